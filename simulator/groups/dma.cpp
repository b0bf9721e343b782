// Loads from memory straight into LDS: buffer_load_… lds and global_load_lds_…. Lane t, active or not, owns
// the LDS bytes at M0 + inst_offset + 4 * t, or 16 * t for three and four dwords; inactive lanes leave theirs
// alone. Counted on vmcnt only. CDNA4 guide 9.1.9 and 10.3, LLVM's AMDGPUUsage.
#include <fmt/format.h>

#include "simulator/groups/buffer_address.h"
#include "simulator/groups/global_address.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/lds_address.h"
#include "simulator/groups/scratch_address.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr u32 slot_bytes(Piece piece) {
  return bytes_of(piece) > 4 ? 16 : 4;
}

/// Bytes that a lane's slot receives. Narrow elements: an uncertain choice.
u32 written_bytes(const Wave& wave, Piece piece) {
  const bool element = wave.group->dispatch->options->lds_dma_narrow == LdsDmaNarrow::element;
  return bytes_of(piece) < 4 && !element ? 4 : bytes_of(piece);
}

/// The LDS base in M0. GLOBAL ignores its two lowest bits.
u32 lds_base(const Wave& wave, bool whole_dwords) {
  const u32 m0 = wave.scalar[kM0] & (wave.processor->gfx == Gfx::gfx950 ? 0x3ffffu : 0xffffu);
  return whole_dwords ? m0 & ~3u : m0;
}

void poison_slots(Wave& wave, const PendingOp& op, u32 bytes) {
  std::array<u32, 4> pattern;
  pattern.fill(kPendingPoison);
  std::byte* lds = wave.group->lds.data();
  for_each_lane(op.exec, [&](u32 lane) { std::memcpy(lds + op.lds[lane], pattern.data(), bytes); });
}

/// Fills op.lds and checks it. Until the data lands the target reads as poison, like a register would:
/// LDS-DMA may land at any time between issue and wait. Hardware masks off lanes whose slot is beyond the end
/// of LDS.
void claim_slots(Wave& wave, PendingOp& op, Piece piece, u32 base) {
  const Instruction& i = *op.instruction;
  const u32 bytes = written_bytes(wave, piece);
  const u64 size = wave.group->lds.size();
  const std::int64_t start = std::int64_t{base} + i.modifiers.offset;
  for (u32 lane = 0; lane < kLanes; ++lane)
    op.lds[lane] = static_cast<u32>(start + std::int64_t{slot_bytes(piece)} * lane);
  for (u64 lanes = op.exec; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    const std::int64_t at = start + std::int64_t{slot_bytes(piece)} * lane;
    if (at >= 0 && static_cast<u64>(at) + bytes <= size) continue;
    wave.fail(
        i,
        fmt::format("load to LDS of {} bytes at byte {} of the {} that the workgroup has", bytes, at, size),
        lane, static_cast<u64>(at));
    return;
  }
  if (op.exec != 0 && start % 4 != 0) {
    const auto lane = static_cast<u32>(std::countr_zero(op.exec));
    wave.warn(i, WarningKind::misaligned_lds, lane, op.lds[lane]);
  }
  op.lds_bytes = static_cast<std::uint8_t>(bytes);
  if (wave.group->dispatch->options->poison) poison_slots(wave, op, bytes);
  const LdsAccess access = write_access(std::max(bytes_of(piece), 4u));
  wave.group->count_lds_cycles(i, op.exec, op.lds, access, bytes);
}

/// Writes what one lane read into its slot.
template <Piece P>
void fill_slot(Wave& wave, const PendingOp& op, u32 lane, const std::byte* host) {
  std::byte* slot = wave.group->lds.data() + op.lds[lane];
  if constexpr (bytes_of(P) < 4) {
    const u32 value = narrow_value<P>(host);
    std::memcpy(slot, &value, written_bytes(wave, P));
  } else {
    std::memcpy(slot, host, bytes_of(P));
  }
}

/// From global memory; dwords that a buffer's range check stopped are zero.
template <Piece P>
void complete_memory(Wave& wave, PendingOp& op) {
  const Instruction& i = *op.instruction;
  constexpr u32 bytes = bytes_of(P);
  constexpr unsigned dwords = dwords_of(P);
  const u64 whole = whole_lanes(op, dwords);
  for_each_lane(whole, [&](u32 lane) {
    const std::byte* host = wave.translate(i, op.address[lane], bytes);
    if (host == nullptr) return wave.fail_access(i, "load to LDS", lane, op.address[lane], bytes);
    fill_slot<P>(wave, op, lane, host);
  });
  for_each_lane(op.exec & ~whole, [&](u32 lane) {
    std::array<std::byte, 16> data{};
    for (unsigned d = 0; d < dwords; ++d) {
      if ((op.in_range[d] >> lane & 1) == 0) continue;
      const u64 address = op.address[lane] + u64{d} * op.dword_step;
      const std::byte* host = wave.translate(i, address, 4);
      if (host == nullptr) return wave.fail_access(i, "load to LDS", lane, address, 4);
      std::memcpy(data.data() + 4 * d, host, 4);
    }
    fill_slot<P>(wave, op, lane, data.data());
  });
}

template <Piece P>
void complete_scratch(Wave& wave, PendingOp& op) {
  for_each_lane(op.exec,
                [&](u32 lane) { fill_slot<P>(wave, op, lane, scratch_bytes(wave, lane, op.address[lane])); });
}

template <Piece P>
void from_buffer(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_memory<P>);
  capture_buffer_address(wave, op, i.operands[0], i.operands[1], i.operands[2], bytes_of(P),
                         RangeCheck::each_dword);
  count_buffer(wave, op, bytes_of(P));
  claim_slots(wave, op, P, lds_base(wave, false));
  wave.in_flight.issue(wave, op, QueueId::load);
}

template <Piece P>
void from_global(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_memory<P>);
  capture_global_address(wave, op, i, i.operands[0], i.operands[1]);
  op.in_range.fill(op.exec);
  op.dword_step = 4;
  count_global(wave, i, op, op.exec, bytes_of(P));
  claim_slots(wave, op, P, lds_base(wave, true));
  wave.in_flight.issue(wave, op, QueueId::load);
}

template <Piece P>
void from_scratch(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_scratch<P>);
  capture_scratch_address(wave, op, i.operands[0], i.operands[1], bytes_of(P), "load to LDS");
  claim_slots(wave, op, P, lds_base(wave, true));
  wave.in_flight.issue(wave, op, QueueId::load);
}

constexpr GfxSet kGfx950 = static_cast<GfxSet>(Gfx::gfx950);

constexpr Row buffer_row(std::string_view mnemonic, Handler handler, GfxSet targets = kCdna) {
  return {mnemonic, kBufferLdsForms, "= any b128 b32", same(handler), Unit::vmem_load, kVectorMemory,
          0,        targets};
}
constexpr Row global_row(std::string_view mnemonic, Handler handler, GfxSet targets = kCdna) {
  return {mnemonic, kGlobalForms, "= any any", same(handler), Unit::vmem_load, kVectorMemory, 0, targets};
}
constexpr Row scratch_row(std::string_view mnemonic, Handler handler) {
  return {mnemonic, kScratchForms, "= any any", same(handler), Unit::vmem_load, kVectorMemory, 0, kCdna};
}

constexpr Row kRows[] = {
    buffer_row("buffer_load_ubyte", from_buffer<Piece::u8>),
    buffer_row("buffer_load_sbyte", from_buffer<Piece::i8>),
    buffer_row("buffer_load_ushort", from_buffer<Piece::u16>),
    buffer_row("buffer_load_sshort", from_buffer<Piece::i16>),
    buffer_row("buffer_load_dword", from_buffer<Piece::b32>),
    buffer_row("buffer_load_dwordx3", from_buffer<Piece::b96>, kGfx950),
    buffer_row("buffer_load_dwordx4", from_buffer<Piece::b128>, kGfx950),
    global_row("global_load_lds_ubyte", from_global<Piece::u8>),
    global_row("global_load_lds_sbyte", from_global<Piece::i8>),
    global_row("global_load_lds_ushort", from_global<Piece::u16>),
    global_row("global_load_lds_sshort", from_global<Piece::i16>),
    global_row("global_load_lds_dword", from_global<Piece::b32>),
    global_row("global_load_lds_dwordx3", from_global<Piece::b96>, kGfx950),
    global_row("global_load_lds_dwordx4", from_global<Piece::b128>, kGfx950),
    scratch_row("scratch_load_lds_ubyte", from_scratch<Piece::u8>),
    scratch_row("scratch_load_lds_sbyte", from_scratch<Piece::i8>),
    scratch_row("scratch_load_lds_ushort", from_scratch<Piece::u16>),
    scratch_row("scratch_load_lds_sshort", from_scratch<Piece::i16>),
    scratch_row("scratch_load_lds_dword", from_scratch<Piece::b32>),
};

}  // namespace

std::span<const Row> dma() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
