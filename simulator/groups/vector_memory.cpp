// Bytes and cache lines of vector memory accesses.
#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {

void count_global(Wave& wave, const Instruction& i, const PendingOp& op, u64 lanes, u32 bytes) {
  InstructionCounters& counters = wave.counted(i);
  CacheLines lines;
  for_each_lane(lanes, [&](u32 lane) { lines.add(op.address[lane], bytes); });
  counters.bytes += bytes * lane_count(lanes);
  counters.cache_lines += lines.count();
}

}  // namespace wavesmith::simulator::groups
