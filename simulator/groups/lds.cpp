// DS reads and writes of 8 to 128 bits. LDS operations of a wave retire in order. Address: VGPR plus 16-bit
// offset; the addtid forms take M0[15:0] + 4 * lane instead of the VGPR (CDNA4 guide, DS instructions).
#include "simulator/groups/groups.h"
#include "simulator/groups/lds_address.h"

namespace wavesmith::simulator::groups {
namespace {

template <Piece P>
void complete_read(Wave& wave, PendingOp& op) {
  const std::byte* lds = wave.group->lds.data();
  u32* rows = destination_rows(wave, op);
  const u32 kept = kept_bits(wave, P);
  if (op.exec == ~u64{0}) {
    for (u32 lane = 0; lane < kLanes; ++lane) put_lane<P>(rows, lane, lds + op.lds[lane], kept);
  } else {
    for_each_lane(op.exec, [&](u32 lane) { put_lane<P>(rows, lane, lds + op.lds[lane], kept); });
  }
}

template <Piece P>
void complete_write(Wave& wave, PendingOp& op) {
  std::byte* lds = wave.group->lds.data();
  for_each_lane(op.exec, [&](u32 lane) { take_lane<P>(op, lane, lds + op.lds[lane]); });
}

template <Piece P>
void finish_read(Wave& wave, PendingOp& op) {
  count_lds(wave, op, read_access(bytes_of(P)), bytes_of(P));
  set_load_destination(wave, op, op.instruction->operands[0], P);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

template <Piece P>
void read(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_read<P>);
  capture_lds_address(wave, op, i.operands[1], lds_rule(bytes_of(P)));
  finish_read<P>(wave, op);
}

template <Piece P>
void write(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_write<P>);
  capture_lds_address(wave, op, i.operands[0], lds_rule(bytes_of(P)));
  capture_data(wave, op, i.operands[1], dwords_of(P));
  count_lds(wave, op, write_access(bytes_of(P)), bytes_of(P));
  wave.in_flight.issue(wave, op, QueueId::lds);
}

/// M0 and the lane number in place of the address VGPR.
void capture_thread_address(Wave& wave, PendingOp& op) {
  std::array<u32, kLanes> base;
  const u32 m0 = wave.scalar[kM0] & 0xffffu;
  for (u32 lane = 0; lane < kLanes; ++lane) base[lane] = m0 + 4 * lane;
  capture_lds_address(wave, op, base.data(), static_cast<u32>(op.instruction->modifiers.offset), lds_rule(4));
}

void read_by_thread(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_read<Piece::b32>);
  capture_thread_address(wave, op);
  finish_read<Piece::b32>(wave, op);
}

void write_by_thread(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_write<Piece::b32>);
  capture_thread_address(wave, op);
  capture_data(wave, op, i.operands[0], 1);
  count_lds(wave, op, LdsAccess::write_b32, 4);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

/// Counts on lgkmcnt like the others and does nothing.
void no_operation(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, [](Wave&, PendingOp&) {});
  wave.in_flight.issue(wave, op, QueueId::lds);
}

constexpr Row row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kPlain, operands, same(handler), Unit::lds, accepts(Accepts::offset), 0, kLdsTargets};
}

constexpr Row kRows[] = {
    row("ds_read_u8", "b32 = b32", read<Piece::u8>),
    row("ds_read_i8", "b32 = b32", read<Piece::i8>),
    row("ds_read_u16", "b32 = b32", read<Piece::u16>),
    row("ds_read_i16", "b32 = b32", read<Piece::i16>),
    row("ds_read_u8_d16", "b32 = b32", read<Piece::u8_low>),
    row("ds_read_i8_d16", "b32 = b32", read<Piece::i8_low>),
    row("ds_read_u16_d16", "b32 = b32", read<Piece::u16_low>),
    row("ds_read_u8_d16_hi", "b32 = b32", read<Piece::u8_high>),
    row("ds_read_i8_d16_hi", "b32 = b32", read<Piece::i8_high>),
    row("ds_read_u16_d16_hi", "b32 = b32", read<Piece::u16_high>),
    row("ds_read_b32", "b32 = b32", read<Piece::b32>),
    row("ds_read_b64", "b64 = b32", read<Piece::b64>),
    row("ds_read_b96", "b96 = b32", read<Piece::b96>),
    row("ds_read_b128", "b128 = b32", read<Piece::b128>),
    row("ds_write_b8", "= b32 b32", write<Piece::u8>),
    row("ds_write_b16", "= b32 b32", write<Piece::u16>),
    row("ds_write_b8_d16_hi", "= b32 b32", write<Piece::u8_high>),
    row("ds_write_b16_d16_hi", "= b32 b32", write<Piece::u16_high>),
    row("ds_write_b32", "= b32 b32", write<Piece::b32>),
    row("ds_write_b64", "= b32 b64", write<Piece::b64>),
    row("ds_write_b96", "= b32 b96", write<Piece::b96>),
    row("ds_write_b128", "= b32 b128", write<Piece::b128>),
    row("ds_read_addtid_b32", "b32 =", read_by_thread),
    row("ds_write_addtid_b32", "= b32", write_by_thread),
    row("ds_nop", "=", no_operation),
};

}  // namespace

std::span<const Row> lds() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
