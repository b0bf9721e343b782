// MUBUF loads and stores without format conversion. Out of range a load gives zero and a store does nothing,
// dword by dword (CDNA4 guide 9.1.5.1); in range the access still has to be inside an allocation.
#include "simulator/groups/buffer_address.h"
#include "simulator/groups/groups.h"

namespace wavesmith::simulator::groups {
namespace {

template <Piece P>
void complete_load(Wave& wave, PendingOp& op) {
  const Instruction& i = *op.instruction;
  constexpr u32 bytes = bytes_of(P);
  u32* rows = destination_rows(wave, op);
  const u32 kept = kept_bits(wave, P);
  const u64 whole = whole_lanes(op, dwords_of(P));
  for_each_lane(whole, [&](u32 lane) {
    const std::byte* host = wave.translate(i, op.address[lane], bytes);
    if (host == nullptr) return wave.fail_access(i, "load", lane, op.address[lane], bytes);
    put_lane<P>(rows, lane, host, kept);
  });
  for_each_lane(op.exec & ~whole, [&](u32 lane) {
    if constexpr (bytes < 4) {
      rows[lane] &= kept;
    } else {
      for (unsigned d = 0; d < dwords_of(P); ++d) {
        u32& to = rows[d * kLanes + lane];
        to = 0;
        if ((op.in_range[d] >> lane & 1) == 0) continue;
        const u64 address = op.address[lane] + u64{d} * op.dword_step;
        const std::byte* host = wave.translate(i, address, 4);
        if (host == nullptr) return wave.fail_access(i, "load", lane, address, 4);
        std::memcpy(&to, host, 4);
      }
    }
  });
}

template <Piece P>
void complete_store(Wave& wave, PendingOp& op) {
  const Instruction& i = *op.instruction;
  constexpr u32 bytes = bytes_of(P);
  const u64 whole = whole_lanes(op, dwords_of(P));
  for_each_lane(whole, [&](u32 lane) {
    std::byte* host = wave.translate_writable(i, op.address[lane], bytes);
    if (host == nullptr) return wave.fail_access(i, "store", lane, op.address[lane], bytes);
    take_lane<P>(op, lane, host);
  });
  if constexpr (bytes >= 4) {
    for (unsigned d = 0; d < dwords_of(P); ++d) {
      for_each_lane(op.in_range[d] & ~whole, [&](u32 lane) {
        const u64 address = op.address[lane] + u64{d} * op.dword_step;
        std::byte* host = wave.translate_writable(i, address, 4);
        if (host == nullptr) return wave.fail_access(i, "store", lane, address, 4);
        std::memcpy(host, &op.data[d][lane], 4);
      });
    }
  }
}

template <Piece P>
void load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_load<P>);
  capture_buffer_address(wave, op, i.operands[1], i.operands[2], i.operands[3], bytes_of(P),
                         RangeCheck::each_dword);
  count_buffer(wave, op, bytes_of(P));
  set_load_destination(wave, op, i.operands[0], P);
  wave.in_flight.issue(wave, op, QueueId::load);
}

template <Piece P>
void store(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_store<P>);
  capture_buffer_address(wave, op, i.operands[1], i.operands[2], i.operands[3], bytes_of(P),
                         RangeCheck::each_dword);
  capture_data(wave, op, i.operands[0], dwords_of(P));
  count_buffer(wave, op, bytes_of(P));
  wave.in_flight.issue(wave, op, QueueId::store);
}

constexpr Row load_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kBufferForms, operands, same(handler), Unit::vmem_load, kVectorMemory, 0, kCdna};
}
constexpr Row store_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kBufferForms, operands, same(handler), Unit::vmem_store, kVectorMemory, 0, kCdna};
}

constexpr Row kRows[] = {
    load_row("buffer_load_ubyte", "b32 = any b128 b32", load<Piece::u8>),
    load_row("buffer_load_sbyte", "b32 = any b128 b32", load<Piece::i8>),
    load_row("buffer_load_ushort", "b32 = any b128 b32", load<Piece::u16>),
    load_row("buffer_load_sshort", "b32 = any b128 b32", load<Piece::i16>),
    load_row("buffer_load_ubyte_d16", "b32 = any b128 b32", load<Piece::u8_low>),
    load_row("buffer_load_sbyte_d16", "b32 = any b128 b32", load<Piece::i8_low>),
    load_row("buffer_load_short_d16", "b32 = any b128 b32", load<Piece::u16_low>),
    load_row("buffer_load_ubyte_d16_hi", "b32 = any b128 b32", load<Piece::u8_high>),
    load_row("buffer_load_sbyte_d16_hi", "b32 = any b128 b32", load<Piece::i8_high>),
    load_row("buffer_load_short_d16_hi", "b32 = any b128 b32", load<Piece::u16_high>),
    load_row("buffer_load_dword", "b32 = any b128 b32", load<Piece::b32>),
    load_row("buffer_load_dwordx2", "b64 = any b128 b32", load<Piece::b64>),
    load_row("buffer_load_dwordx3", "b96 = any b128 b32", load<Piece::b96>),
    load_row("buffer_load_dwordx4", "b128 = any b128 b32", load<Piece::b128>),
    store_row("buffer_store_byte", "= b32 any b128 b32", store<Piece::u8>),
    store_row("buffer_store_short", "= b32 any b128 b32", store<Piece::u16>),
    store_row("buffer_store_byte_d16_hi", "= b32 any b128 b32", store<Piece::u8_high>),
    store_row("buffer_store_short_d16_hi", "= b32 any b128 b32", store<Piece::u16_high>),
    store_row("buffer_store_dword", "= b32 any b128 b32", store<Piece::b32>),
    store_row("buffer_store_dwordx2", "= b64 any b128 b32", store<Piece::b64>),
    store_row("buffer_store_dwordx3", "= b96 any b128 b32", store<Piece::b96>),
    store_row("buffer_store_dwordx4", "= b128 any b128 b32", store<Piece::b128>),
};

}  // namespace

std::span<const Row> buffer() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
