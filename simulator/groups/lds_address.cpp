// Words for LDS addresses that break a rule. Not on the fast path.
#include "simulator/groups/lds_address.h"

#include <fmt/format.h>

namespace wavesmith::simulator::groups {

void report_lds_address(Wave& wave, const PendingOp& op, const u32* base, u32 offset, LdsRule rule) {
  const Instruction& i = *op.instruction;
  const u64 size = wave.group->lds.size();
  bool reported = false, warned = false;
  for_each_lane(op.exec, [&](u32 lane) {
    if (reported) return;
    const u64 at = u64{base[lane]} + offset;
    if (at + rule.bytes > size) {
      wave.fail(i,
                fmt::format("LDS access of {} bytes at byte {} of the {} that the workgroup has", rule.bytes,
                            at, size),
                lane, at);
      reported = true;
    } else if (at % rule.alignment != 0 && rule.alignment_is_strict) {
      wave.fail(i, fmt::format("LDS address {} has to be a multiple of {} here", at, rule.alignment), lane,
                at);
      reported = true;
    } else if (at % rule.alignment != 0 && !warned) {
      wave.warn(i, WarningKind::misaligned_lds, lane, at);
      warned = true;
    }
  });
}

}  // namespace wavesmith::simulator::groups
