// GLOBAL loads and stores. Address: 64-bit VGPR pair, or SGPR pair and 32-bit unsigned VGPR; plus the signed
// immediate offset (isa guides, chapter on FLAT). Bounds are checked when the operation retires, because that
// is when memory is touched.
#include "simulator/groups/global_address.h"
#include "simulator/groups/groups.h"

namespace wavesmith::simulator::groups {
namespace {

template <Piece P>
void complete_load(Wave& wave, PendingOp& op) {
  const Instruction& i = *op.instruction;
  u32* rows = destination_rows(wave, op);
  const u32 kept = kept_bits(wave, P);
  for_each_lane(op.exec, [&](u32 lane) {
    const std::byte* host = wave.translate(i, op.address[lane], bytes_of(P));
    if (host == nullptr) return wave.fail_access(i, "load", lane, op.address[lane], bytes_of(P));
    put_lane<P>(rows, lane, host, kept);
  });
}

template <Piece P>
void complete_store(Wave& wave, PendingOp& op) {
  const Instruction& i = *op.instruction;
  for_each_lane(op.exec, [&](u32 lane) {
    std::byte* host = wave.translate_writable(i, op.address[lane], bytes_of(P));
    if (host == nullptr) return wave.fail_access(i, "store", lane, op.address[lane], bytes_of(P));
    take_lane<P>(op, lane, host);
  });
}

template <Piece P>
void load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_load<P>);
  capture_global_address(wave, op, i, i.operands[1], i.operands[2]);
  count_global(wave, i, op, op.exec, bytes_of(P));
  set_load_destination(wave, op, i.operands[0], P);
  wave.in_flight.issue(wave, op, QueueId::load);
}

template <Piece P>
void store(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_store<P>);
  capture_global_address(wave, op, i, i.operands[0], i.operands[2]);
  capture_data(wave, op, i.operands[1], dwords_of(P));
  count_global(wave, i, op, op.exec, bytes_of(P));
  wave.in_flight.issue(wave, op, QueueId::store);
}

// The names of gfx9 and gfx10. The gfx1030 rows behave alike except that saddr "off" is encoded otherwise,
// which the disassembler hides.
constexpr GfxSet kTargets = kCdna | kGfx10;

constexpr Row load_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kGlobalForms, operands, same(handler), Unit::vmem_load, kVectorMemory, 0, kTargets};
}
constexpr Row store_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kGlobalForms, operands, same(handler), Unit::vmem_store, kVectorMemory, 0, kTargets};
}

constexpr Row kRows[] = {
    load_row("global_load_ubyte", "b32 = any any", load<Piece::u8>),
    load_row("global_load_sbyte", "b32 = any any", load<Piece::i8>),
    load_row("global_load_ushort", "b32 = any any", load<Piece::u16>),
    load_row("global_load_sshort", "b32 = any any", load<Piece::i16>),
    load_row("global_load_ubyte_d16", "b32 = any any", load<Piece::u8_low>),
    load_row("global_load_sbyte_d16", "b32 = any any", load<Piece::i8_low>),
    load_row("global_load_short_d16", "b32 = any any", load<Piece::u16_low>),
    load_row("global_load_ubyte_d16_hi", "b32 = any any", load<Piece::u8_high>),
    load_row("global_load_sbyte_d16_hi", "b32 = any any", load<Piece::i8_high>),
    load_row("global_load_short_d16_hi", "b32 = any any", load<Piece::u16_high>),
    load_row("global_load_dword", "b32 = any any", load<Piece::b32>),
    load_row("global_load_dwordx2", "b64 = any any", load<Piece::b64>),
    load_row("global_load_dwordx3", "b96 = any any", load<Piece::b96>),
    load_row("global_load_dwordx4", "b128 = any any", load<Piece::b128>),
    store_row("global_store_byte", "= any b32 any", store<Piece::u8>),
    store_row("global_store_short", "= any b32 any", store<Piece::u16>),
    store_row("global_store_byte_d16_hi", "= any b32 any", store<Piece::u8_high>),
    store_row("global_store_short_d16_hi", "= any b32 any", store<Piece::u16_high>),
    store_row("global_store_dword", "= any b32 any", store<Piece::b32>),
    store_row("global_store_dwordx2", "= any b64 any", store<Piece::b64>),
    store_row("global_store_dwordx3", "= any b96 any", store<Piece::b96>),
    store_row("global_store_dwordx4", "= any b128 any", store<Piece::b128>),
};

}  // namespace

std::span<const Row> global() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
