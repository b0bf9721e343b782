// Bytes and cache lines of vector memory accesses.
#include "simulator/groups/vector_memory.h"

#include <algorithm>

namespace wavesmith::simulator::groups {
namespace {

/// The lines seen so far, with a filter that answers most questions about new ones.
class LineSet {
 public:
  void add(u64 line) {
    const u64 hash = line * 0x9e3779b97f4a7c15u >> 54;
    u64& word = filter_[hash / 64];
    const u64 bit = u64{1} << hash % 64;
    // Neighbouring lanes mostly share a line, so that a repeat is found near the end.
    if ((word & bit) != 0 && std::find(std::make_reverse_iterator(lines_.begin() + count_), lines_.rend(),
                                       line) != lines_.rend()) {
      return;
    }
    word |= bit;
    lines_[count_++] = line;
  }
  u32 count() const { return count_; }

 private:
  std::array<u64, 16> filter_{};
  std::array<u64, 2 * kLanes> lines_;
  u32 count_ = 0;
};

}  // namespace

u32 count_cache_lines(std::span<const u64, kLanes> address, u64 lanes, u32 bytes) {
  LineSet seen;
  for_each_lane(lanes, [&](u32 lane) {
    const u64 first = address[lane] / kCacheLineBytes;
    const u64 last = (address[lane] + bytes - 1) / kCacheLineBytes;
    seen.add(first);
    if (last != first) seen.add(last);
  });
  return seen.count();
}

void count_global(Wave& wave, const Instruction& i, const PendingOp& op, u64 lanes, u32 bytes) {
  InstructionCounters& counters = wave.counted(i);
  counters.bytes += bytes * lane_count(lanes);
  counters.cache_lines += count_cache_lines(op.address, lanes, bytes);
}

}  // namespace wavesmith::simulator::groups
