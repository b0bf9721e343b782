// DS reads that transpose (gfx950): 16 lanes together read a tile, each lane its own contiguous 64 or 96
// bits, and get it transposed. With E elements for each lane and C = 16 / E, lane l of a group of 16 gets as
// element j the element l % E of what lane C * j + l / E read. b16: CDNA4 guide 11.4 and kernels that work
// only so; b8 and b4: a public measurement; b6: assumed alike.
#include "simulator/groups/groups.h"
#include "simulator/groups/lds_address.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr u32 kGroup = 16;

/// Reads `count` bits, at most 16, at bit `at` of up to three dwords.
u32 bits_at(std::span<const u32> dwords, u32 at, u32 count) {
  u64 window = dwords[at / 32];
  if (at / 32 + 1 < dwords.size()) window |= u64{dwords[at / 32 + 1]} << 32;
  return static_cast<u32>(window >> (at % 32)) & ((1u << count) - 1);
}

template <u32 Bits, u32 Bytes>
void complete(Wave& wave, PendingOp& op) {
  constexpr u32 elements = Bytes * 8 / Bits;
  constexpr u32 lanes_of_row = kGroup / elements;
  constexpr u32 dwords = Bytes / 4;
  const std::byte* lds = wave.group->lds.data();
  u32* rows = destination_rows(wave, op);
  for (u32 first = 0; first < kLanes; first += kGroup) {
    std::array<std::array<u32, dwords>, kGroup> loaded;
    for (u32 l = 0; l < kGroup; ++l) std::memcpy(loaded[l].data(), lds + op.lds[first + l], Bytes);
    for (u32 l = 0; l < kGroup; ++l) {
      std::array<u64, 2> result{};
      for (u32 j = 0; j < elements; ++j) {
        const u64 element = bits_at(loaded[lanes_of_row * j + l / elements], l % elements * Bits, Bits);
        const u32 at = j * Bits;
        result[at / 64] |= element << at % 64;
        if (at % 64 + Bits > 64) result[at / 64 + 1] |= element >> (64 - at % 64);
      }
      for (u32 d = 0; d < dwords; ++d)
        rows[d * kLanes + first + l] = static_cast<u32>(result[d / 2] >> (32 * (d % 2)));
    }
  }
}

/// The common case without bit fiddling: elements are halves of dwords.
void complete_b16(Wave& wave, PendingOp& op) {
  const std::byte* lds = wave.group->lds.data();
  u32* low = destination_rows(wave, op);
  u32* high = low + kLanes;
  for (u32 first = 0; first < kLanes; first += kGroup) {
    std::array<std::array<std::uint16_t, 4>, kGroup> loaded;
    for (u32 l = 0; l < kGroup; ++l) std::memcpy(loaded[l].data(), lds + op.lds[first + l], 8);
    for (u32 l = 0; l < kGroup; ++l) {
      const u32 source = l / 4, element = l % 4;
      low[first + l] = loaded[source][element] | u32{loaded[source + 4][element]} << 16;
      high[first + l] = loaded[source + 8][element] | u32{loaded[source + 12][element]} << 16;
    }
  }
}

template <u32 Bytes, Complete Finish>
void read(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, Finish);
  if (!wave.all_lanes()) {
    wave.fail(i,
              "a transposing read needs every lane active: each takes part in the tiles of fifteen others");
  }
  // The guide demands alignment to the data size; 96 bits are taken to mean dwords, with a warning off 16
  // bytes.
  if constexpr (Bytes == 8) {
    capture_lds_address(wave, op, i.operands[1], strict_lds_rule(Bytes, Bytes));
    count_lds(wave, op, LdsAccess::read_tr_b64, Bytes);
  } else {
    capture_lds_address(wave, op, i.operands[1], strict_lds_rule(Bytes, 4));
    capture_lds_address(wave, op, i.operands[1], lds_rule(Bytes));
    count_lds(wave, op, LdsAccess::read_b96, Bytes);
  }
  wave.in_flight.set_destination(wave, op, i.operands[0], Bytes / 4);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

constexpr Row row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic,  kPlain,
          operands,  same(handler),
          Unit::lds, accepts(Accepts::offset),
          0,         static_cast<GfxSet>(Gfx::gfx950)};
}

constexpr Row kRows[] = {
    row("ds_read_b64_tr_b16", "b64 = b32", read<8, complete_b16>),
    row("ds_read_b64_tr_b8", "b64 = b32", read<8, complete<8, 8>>),
    row("ds_read_b64_tr_b4", "b64 = b32", read<8, complete<4, 8>>),
    row("ds_read_b96_tr_b6", "b96 = b32", read<12, complete<6, 12>>),
};

}  // namespace

std::span<const Row> lds_transpose() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
