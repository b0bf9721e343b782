// SCRATCH loads and stores: a lane's private memory at VGPR offset, SGPR offset, both or neither, plus the
// signed immediate (CDNA4 guide 10.5). Sums are exact: a kernel that relies on wrapping at 32 bits is
// stopped.
#include <fmt/format.h>

#include "simulator/groups/groups.h"
#include "simulator/groups/scratch_address.h"

namespace wavesmith::simulator::groups {

bool check_scratch(Wave& wave, const Instruction& i, u32 lane, u64 offset, u32 bytes,
                   std::string_view access) {
  if (offset <= wave.scratch_bytes && wave.scratch_bytes - offset >= bytes) return true;
  wave.fail(i,
            fmt::format("scratch {} of {} bytes at byte {} of the {} that a work-item has", access, bytes,
                        static_cast<std::int64_t>(offset), wave.scratch_bytes),
            lane, offset);
  return false;
}

void capture_scratch_address(Wave& wave, PendingOp& op, const Operand& vaddr, const Operand& saddr, u32 bytes,
                             std::string_view access) {
  const Instruction& i = *op.instruction;
  u64 constant = static_cast<u64>(std::int64_t{i.modifiers.offset});
  if (saddr.kind != OperandKind::off) constant += wave.read32(saddr);
  if (vaddr.kind == OperandKind::off) {
    op.address.fill(constant);
  } else {
    const u32* offset = wave.row(vaddr.reg);
    for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = constant + offset[lane];
  }
  wave.counted(i).bytes += bytes * lane_count(op.exec);
  for (u64 lanes = op.exec; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    if (!check_scratch(wave, i, lane, op.address[lane], bytes, access)) return;
  }
}

namespace {

template <Piece P>
void complete_load(Wave& wave, PendingOp& op) {
  u32* rows = destination_rows(wave, op);
  const u32 kept = kept_bits(wave, P);
  for_each_lane(
      op.exec, [&](u32 lane) { put_lane<P>(rows, lane, scratch_bytes(wave, lane, op.address[lane]), kept); });
}

template <Piece P>
void complete_store(Wave& wave, PendingOp& op) {
  for_each_lane(op.exec,
                [&](u32 lane) { take_lane<P>(op, lane, scratch_bytes(wave, lane, op.address[lane])); });
}

template <Piece P>
void load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_load<P>);
  capture_scratch_address(wave, op, i.operands[1], i.operands[2], bytes_of(P), "load");
  set_load_destination(wave, op, i.operands[0], P);
  wave.in_flight.issue(wave, op, QueueId::load);
}

template <Piece P>
void store(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_store<P>);
  capture_scratch_address(wave, op, i.operands[0], i.operands[2], bytes_of(P), "store");
  capture_data(wave, op, i.operands[1], dwords_of(P));
  wave.in_flight.issue(wave, op, QueueId::store);
}

constexpr Row load_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kScratchForms, operands, same(handler), Unit::vmem_load, kVectorMemory, 0, kCdna};
}
constexpr Row store_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kScratchForms, operands, same(handler), Unit::vmem_store, kVectorMemory, 0, kCdna};
}

constexpr Row kRows[] = {
    load_row("scratch_load_ubyte", "b32 = any any", load<Piece::u8>),
    load_row("scratch_load_sbyte", "b32 = any any", load<Piece::i8>),
    load_row("scratch_load_ushort", "b32 = any any", load<Piece::u16>),
    load_row("scratch_load_sshort", "b32 = any any", load<Piece::i16>),
    load_row("scratch_load_ubyte_d16", "b32 = any any", load<Piece::u8_low>),
    load_row("scratch_load_sbyte_d16", "b32 = any any", load<Piece::i8_low>),
    load_row("scratch_load_short_d16", "b32 = any any", load<Piece::u16_low>),
    load_row("scratch_load_ubyte_d16_hi", "b32 = any any", load<Piece::u8_high>),
    load_row("scratch_load_sbyte_d16_hi", "b32 = any any", load<Piece::i8_high>),
    load_row("scratch_load_short_d16_hi", "b32 = any any", load<Piece::u16_high>),
    load_row("scratch_load_dword", "b32 = any any", load<Piece::b32>),
    load_row("scratch_load_dwordx2", "b64 = any any", load<Piece::b64>),
    load_row("scratch_load_dwordx3", "b96 = any any", load<Piece::b96>),
    load_row("scratch_load_dwordx4", "b128 = any any", load<Piece::b128>),
    store_row("scratch_store_byte", "= any b32 any", store<Piece::u8>),
    store_row("scratch_store_short", "= any b32 any", store<Piece::u16>),
    store_row("scratch_store_byte_d16_hi", "= any b32 any", store<Piece::u8_high>),
    store_row("scratch_store_short_d16_hi", "= any b32 any", store<Piece::u16_high>),
    store_row("scratch_store_dword", "= any b32 any", store<Piece::b32>),
    store_row("scratch_store_dwordx2", "= any b64 any", store<Piece::b64>),
    store_row("scratch_store_dwordx3", "= any b96 any", store<Piece::b96>),
    store_row("scratch_store_dwordx4", "= any b128 any", store<Piece::b128>),
};

}  // namespace

std::span<const Row> scratch() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
