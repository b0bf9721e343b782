// FLAT loads and stores. They count on vmcnt and lgkmcnt and may finish out of order, so that only waits for
// zero prove them. The bits that select LDS and scratch: AMDGPUUsage, apertures.
#include <fmt/format.h>

#include "simulator/groups/flat_address.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/scratch_address.h"

namespace wavesmith::simulator::groups {

std::byte* flat_bytes(Wave& wave, const PendingOp& op, u32 lane, u32 bytes, bool write,
                      std::string_view access) {
  const Instruction& i = *op.instruction;
  const u64 address = op.address[lane];
  const u64 offset = address & 0xffffffffu;
  std::byte* host = nullptr;
  switch (flat_space(address)) {
    case FlatSpace::lds:
      host = wave.group->lds_at(offset, bytes);
      if (host == nullptr) {
        wave.fail(i,
                  fmt::format("FLAT {} of {} bytes at byte {} of the {} bytes of LDS that the workgroup has",
                              access, bytes, offset, wave.group->lds.size()),
                  lane, offset);
      }
      return host;
    case FlatSpace::scratch:
      return check_scratch(wave, i, lane, offset, bytes, access) ? scratch_bytes(wave, lane, offset)
                                                                 : nullptr;
    case FlatSpace::global:
      host = write ? wave.translate_writable(i, address, bytes) : wave.translate(i, address, bytes);
      if (host == nullptr) wave.fail_access(i, access, lane, address, bytes);
      return host;
  }
  return host;
}

void count_flat(Wave& wave, PendingOp& op, LdsAccess access, u32 bytes, bool atomic) {
  const Instruction& i = *op.instruction;
  u64 global = 0, lds = 0;
  for_each_lane(op.exec, [&](u32 lane) {
    const FlatSpace space = flat_space(op.address[lane]);
    if (space == FlatSpace::global) global |= u64{1} << lane;
    if (space == FlatSpace::lds) lds |= u64{1} << lane;
  });
  count_global(wave, i, op, global, bytes);
  wave.counted(i).bytes += bytes * lane_count(op.exec & ~global);
  if (lds == 0) return;
  for (u32 lane = 0; lane < kLanes; ++lane) op.lds[lane] = static_cast<u32>(op.address[lane]);
  wave.group->count_lds_cycles(i, lds, op.lds, access, bytes, atomic);
}

namespace {

template <Piece P>
void complete_load(Wave& wave, PendingOp& op) {
  u32* rows = destination_rows(wave, op);
  const u32 kept = kept_bits(wave, P);
  for_each_lane(op.exec, [&](u32 lane) {
    const std::byte* host = flat_bytes(wave, op, lane, bytes_of(P), false, "load");
    if (host != nullptr) put_lane<P>(rows, lane, host, kept);
  });
}

template <Piece P>
void complete_store(Wave& wave, PendingOp& op) {
  for_each_lane(op.exec, [&](u32 lane) {
    std::byte* host = flat_bytes(wave, op, lane, bytes_of(P), true, "store");
    if (host != nullptr) take_lane<P>(op, lane, host);
  });
}

template <Piece P>
void load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_load<P>);
  capture_flat_address(wave, op, i.operands[1]);
  count_flat(wave, op, read_access(bytes_of(P)), bytes_of(P));
  set_load_destination(wave, op, i.operands[0], P);
  wave.in_flight.issue_flat(wave, op, QueueId::load);
}

template <Piece P>
void store(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_store<P>);
  capture_flat_address(wave, op, i.operands[0]);
  capture_data(wave, op, i.operands[1], dwords_of(P));
  count_flat(wave, op, write_access(bytes_of(P)), bytes_of(P));
  wave.in_flight.issue_flat(wave, op, QueueId::store);
}

constexpr FormSet kFlatForm = static_cast<FormSet>(Form::vaddr);

constexpr Row load_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kFlatForm, operands, same(handler), Unit::vmem_load, kVectorMemory, 0, kCdna};
}
constexpr Row store_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kFlatForm, operands, same(handler), Unit::vmem_store, kVectorMemory, 0, kCdna};
}

constexpr Row kRows[] = {
    load_row("flat_load_ubyte", "b32 = b64", load<Piece::u8>),
    load_row("flat_load_sbyte", "b32 = b64", load<Piece::i8>),
    load_row("flat_load_ushort", "b32 = b64", load<Piece::u16>),
    load_row("flat_load_sshort", "b32 = b64", load<Piece::i16>),
    load_row("flat_load_ubyte_d16", "b32 = b64", load<Piece::u8_low>),
    load_row("flat_load_sbyte_d16", "b32 = b64", load<Piece::i8_low>),
    load_row("flat_load_short_d16", "b32 = b64", load<Piece::u16_low>),
    load_row("flat_load_ubyte_d16_hi", "b32 = b64", load<Piece::u8_high>),
    load_row("flat_load_sbyte_d16_hi", "b32 = b64", load<Piece::i8_high>),
    load_row("flat_load_short_d16_hi", "b32 = b64", load<Piece::u16_high>),
    load_row("flat_load_dword", "b32 = b64", load<Piece::b32>),
    load_row("flat_load_dwordx2", "b64 = b64", load<Piece::b64>),
    load_row("flat_load_dwordx3", "b96 = b64", load<Piece::b96>),
    load_row("flat_load_dwordx4", "b128 = b64", load<Piece::b128>),
    store_row("flat_store_byte", "= b64 b32", store<Piece::u8>),
    store_row("flat_store_short", "= b64 b32", store<Piece::u16>),
    store_row("flat_store_byte_d16_hi", "= b64 b32", store<Piece::u8_high>),
    store_row("flat_store_short_d16_hi", "= b64 b32", store<Piece::u16_high>),
    store_row("flat_store_dword", "= b64 b32", store<Piece::b32>),
    store_row("flat_store_dwordx2", "= b64 b64", store<Piece::b64>),
    store_row("flat_store_dwordx3", "= b64 b96", store<Piece::b96>),
    store_row("flat_store_dwordx4", "= b64 b128", store<Piece::b128>),
};

}  // namespace

std::span<const Row> flat() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
