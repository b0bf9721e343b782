// Bytes and cache lines of vector memory accesses.
#include "simulator/groups/vector_memory.h"

#include <algorithm>

namespace wavesmith::simulator::groups {
namespace {

/// The lines seen so far. Lanes mostly walk upwards, several to a line: then a look at the highest is enough.
class LineSet {
 public:
  void add(u64 line) {
    if (count_ != 0 && line <= highest_ && (line == highest_ || seen(line))) return;
    lines_[count_++] = line;
    highest_ = count_ == 1 ? line : std::max(highest_, line);
  }
  u32 count() const { return count_; }

 private:
  bool seen(u64 line) const {
    const auto end = lines_.begin() + count_;
    return std::find(lines_.begin(), end, line) != end;
  }

  std::array<u64, 2 * kLanes> lines_;
  u64 highest_ = 0;
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
