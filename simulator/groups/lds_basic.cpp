// DS reads and writes of one dword: the pattern for the LDS groups. LDS operations of a wave retire in order.
// Beyond the end of LDS a read gives 0 and a write is dropped on hardware; here both are faults.
#include <fmt/format.h>

#include "simulator/groups/groups.h"
#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {
namespace {

void fail_lds(Wave& wave, const PendingOp& op, u32 lane, std::string_view access) {
  wave.fail(*op.instruction,
            fmt::format("LDS {} at byte {} of the {} that the workgroup has", access, op.address[lane],
                        wave.group->lds.size()),
            lane, op.address[lane]);
}

void complete_read(Wave& wave, PendingOp& op) {
  u32* row = destination_row(wave, op, 0);
  for_each_lane(op.exec, [&](u32 lane) {
    const std::byte* host = wave.group->lds_at(op.address[lane], 4);
    if (host == nullptr) return fail_lds(wave, op, lane, "read");
    std::memcpy(&row[lane], host, 4);
  });
}

void complete_write(Wave& wave, PendingOp& op) {
  for_each_lane(op.exec, [&](u32 lane) {
    std::byte* host = wave.group->lds_at(op.address[lane], 4);
    if (host == nullptr) return fail_lds(wave, op, lane, "write");
    std::memcpy(host, &op.data[0][lane], 4);
  });
}

void capture_address(Wave& wave, PendingOp& op, const Operand& address, std::int64_t offset) {
  const u32* row = wave.row(address.reg);
  for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = u64{row[lane]} + static_cast<u64>(offset);
}

void read(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_read);
  capture_address(wave, op, i.operands[1], i.modifiers.offset);
  wave.group->count_lds_access(i, op, LdsAccess::read_b32, 4);
  wave.in_flight.set_destination(wave, op, i.operands[0], 1);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

void write(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_write);
  capture_address(wave, op, i.operands[0], i.modifiers.offset);
  capture_data(wave, op, i.operands[1], 1);
  wave.group->count_lds_access(i, op, LdsAccess::write_b32, 4);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

constexpr FormSet kPlain = static_cast<FormSet>(Form::plain);

constexpr Row kRows[] = {
    {"ds_read_b32", kPlain, "b32 = b32", same(read), Unit::lds, accepts(Accepts::offset)},
    {"ds_write_b32", kPlain, "= b32 b32", same(write), Unit::lds, accepts(Accepts::offset)},
};

}  // namespace

std::span<const Row> lds_basic() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
