// GLOBAL loads and stores of one dword: the pattern for the vector memory groups.
// Address: 64-bit VGPR pair, or SGPR pair + 32-bit unsigned VGPR; plus the signed immediate offset.
#include "simulator/groups/groups.h"
#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {
namespace {

void capture_address(Wave& wave, PendingOp& op, const Instruction& i, unsigned vaddr, unsigned saddr) {
  const u64 offset = static_cast<u64>(std::int64_t{i.modifiers.offset});
  const u32* low = wave.row(i.operands[vaddr].reg);
  if (i.form == Form::saddr) {
    const u64 base = wave.read64(i.operands[saddr]) + offset;
    for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = base + low[lane];
    return;
  }
  const u32* high = wave.row(i.operands[vaddr].reg + 1u);
  for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = (low[lane] | u64{high[lane]} << 32) + offset;
}

void complete_load(Wave& wave, PendingOp& op) {
  u32* row = destination_row(wave, op, 0);
  for_each_lane(op.exec, [&](u32 lane) {
    const std::byte* host = wave.translate(*op.instruction, op.address[lane], 4);
    if (host == nullptr) return wave.fail_access(*op.instruction, "load", lane, op.address[lane], 4);
    std::memcpy(&row[lane], host, 4);
  });
}

void complete_store(Wave& wave, PendingOp& op) {
  for_each_lane(op.exec, [&](u32 lane) {
    std::byte* host = wave.translate_writable(*op.instruction, op.address[lane], 4);
    if (host == nullptr) return wave.fail_access(*op.instruction, "store", lane, op.address[lane], 4);
    std::memcpy(host, &op.data[0][lane], 4);
  });
}

void load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_load);
  capture_address(wave, op, i, 1, 2);
  count_global(wave, i, op, 4);
  wave.in_flight.set_destination(wave, op, i.operands[0], 1);
  wave.in_flight.issue(wave, op, QueueId::load);
}

void store(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_store);
  capture_address(wave, op, i, 0, 2);
  capture_data(wave, op, i.operands[1], 1);
  count_global(wave, i, op, 4);
  wave.in_flight.issue(wave, op, QueueId::store);
}

constexpr Row kRows[] = {
    {"global_load_dword", kGlobalForms, "b32 = any any", same(load), Unit::vmem_load, kVectorMemory},
    {"global_store_dword", kGlobalForms, "= any b32 any", same(store), Unit::vmem_store, kVectorMemory},
};

}  // namespace

std::span<const Row> global_basic() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
