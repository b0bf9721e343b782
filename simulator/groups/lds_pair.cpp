// DS instructions with two addresses for each lane: VGPR + offset0 and VGPR + offset1, the offsets in units
// of the element size, or of 64 elements (st64). Served as two accesses, the first one first.
#include "simulator/groups/groups.h"
#include "simulator/groups/lds_address.h"

namespace wavesmith::simulator::groups {
namespace {

enum class Stride : u32 { element = 1, elements64 = 64 };

struct Offsets {
  u32 first, second;  ///< bytes
};
template <u32 Bytes, Stride S>
Offsets offsets_of(const Instruction& i) {
  constexpr u32 unit = Bytes * static_cast<u32>(S);
  return {i.modifiers.offset0 * unit, i.modifiers.offset1 * unit};
}

/// Checks and counts both accesses; leaves op.lds at the first.
template <u32 Bytes, Stride S>
void capture_pair(Wave& wave, PendingOp& op, const Operand& address, LdsAccess access, LdsRule rule,
                  bool atomic = false) {
  const u32* base = wave.row(address.reg);
  const Offsets offsets = offsets_of<Bytes, S>(*op.instruction);
  capture_lds_address(wave, op, base, offsets.second, rule);
  count_lds(wave, op, access, Bytes, atomic);
  capture_lds_address(wave, op, base, offsets.first, rule);
  count_lds(wave, op, access, Bytes, atomic);
}

/// Host bytes of both elements of a lane.
template <u32 Bytes, Stride S>
std::array<std::byte*, 2> elements_of(Wave& wave, const PendingOp& op, u32 lane) {
  const Offsets offsets = offsets_of<Bytes, S>(*op.instruction);
  std::byte* first = wave.group->lds.data() + op.lds[lane];
  return {first, first + (std::ptrdiff_t{offsets.second} - std::ptrdiff_t{offsets.first})};
}

template <u32 Bytes>
void put_element(u32* rows, u32 lane, const std::byte* host) {
  put_lane<Bytes == 4 ? Piece::b32 : Piece::b64>(rows, lane, host, 0);
}
template <u32 Bytes>
void take_element(const PendingOp& op, unsigned element, u32 lane, std::byte* host) {
  constexpr unsigned dwords = Bytes / 4;
  std::array<u32, dwords> data;
  for (unsigned d = 0; d < dwords; ++d) data[d] = op.data[element * dwords + d][lane];
  std::memcpy(host, data.data(), sizeof data);
}

template <u32 Bytes, Stride S>
void complete_read(Wave& wave, PendingOp& op) {
  u32* rows = destination_rows(wave, op);
  for_each_lane(op.exec, [&](u32 lane) {
    const auto [first, second] = elements_of<Bytes, S>(wave, op, lane);
    put_element<Bytes>(rows, lane, first);
    put_element<Bytes>(rows + Bytes / 4 * kLanes, lane, second);
  });
}

template <u32 Bytes, Stride S>
void complete_write(Wave& wave, PendingOp& op) {
  for (unsigned element = 0; element < 2; ++element) {
    for_each_lane(op.exec, [&](u32 lane) {
      take_element<Bytes>(op, element, lane, elements_of<Bytes, S>(wave, op, lane)[element]);
    });
  }
}

/// Lanes one after the other, each reading both of its elements before it writes them.
template <u32 Bytes, Stride S>
void complete_exchange(Wave& wave, PendingOp& op) {
  u32* rows = destination_rows(wave, op);
  for_each_lane(op.exec, [&](u32 lane) {
    const auto [first, second] = elements_of<Bytes, S>(wave, op, lane);
    put_element<Bytes>(rows, lane, first);
    put_element<Bytes>(rows + Bytes / 4 * kLanes, lane, second);
    take_element<Bytes>(op, 0, lane, first);
    take_element<Bytes>(op, 1, lane, second);
  });
}

template <u32 Bytes, Stride S>
void read(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_read<Bytes, S>);
  capture_pair<Bytes, S>(wave, op, i.operands[1], read_access(Bytes), lds_rule(Bytes));
  wave.in_flight.set_destination(wave, op, i.operands[0], Bytes / 2);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

template <u32 Bytes, Stride S>
void write(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_write<Bytes, S>);
  capture_pair<Bytes, S>(wave, op, i.operands[0], write_access(Bytes), lds_rule(Bytes));
  capture_data(wave, op, i.operands[1], Bytes / 4);
  capture_data(wave, op, i.operands[2], Bytes / 4, Bytes / 4);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

template <u32 Bytes, Stride S>
void exchange(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_exchange<Bytes, S>);
  capture_pair<Bytes, S>(wave, op, i.operands[1], write_access(Bytes), strict_lds_rule(Bytes, Bytes), true);
  capture_data(wave, op, i.operands[2], Bytes / 4);
  capture_data(wave, op, i.operands[3], Bytes / 4, Bytes / 4);
  wave.in_flight.set_destination(wave, op, i.operands[0], Bytes / 2);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

constexpr Row row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kPlain, operands, same(handler), Unit::lds, accepts(Accepts::offset01), 0, kLdsTargets};
}

using enum Stride;
constexpr Row kRows[] = {
    row("ds_read2_b32", "b64 = b32", read<4, element>),
    row("ds_read2_b64", "b128 = b32", read<8, element>),
    row("ds_read2st64_b32", "b64 = b32", read<4, elements64>),
    row("ds_read2st64_b64", "b128 = b32", read<8, elements64>),
    row("ds_write2_b32", "= b32 b32 b32", write<4, element>),
    row("ds_write2_b64", "= b32 b64 b64", write<8, element>),
    row("ds_write2st64_b32", "= b32 b32 b32", write<4, elements64>),
    row("ds_write2st64_b64", "= b32 b64 b64", write<8, elements64>),
    row("ds_wrxchg2_rtn_b32", "b64 = b32 b32 b32", exchange<4, element>),
    row("ds_wrxchg2_rtn_b64", "b128 = b32 b64 b64", exchange<8, element>),
    row("ds_wrxchg2st64_rtn_b32", "b64 = b32 b32 b32", exchange<4, elements64>),
    row("ds_wrxchg2st64_rtn_b64", "b128 = b32 b64 b64", exchange<8, elements64>),
};

}  // namespace

std::span<const Row> lds_pair() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
