// SMEM: loads into SGPRs, plain and through a buffer resource. They return in any order, so that only a wait
// for zero proves one; until then the destination reads as poison. Sources: the ISA guides' pseudo-code,
// LLVM's AMDGPUUsage.
#include <cstring>

#include "simulator/groups/groups.h"
#include "simulator/groups/scalar.h"

namespace wavesmith::simulator::groups {
namespace {

/// The offset of a load: immediate, SGPR, or both. Immediates are signed, registers are not.
u64 offset_of(const Wave& wave, const Instruction& i) {
  const Operand& operand = i.operands[2];
  if (i.form == Form::imm) return static_cast<u64>(i64{static_cast<i32>(operand.value)});
  return u64{wave.read32(operand)} + static_cast<u64>(i64{i.modifiers.offset});
}

template <unsigned Dwords>
void complete_load(Wave& wave, PendingOp& op) {
  const std::byte* host = wave.translate(*op.instruction, op.scalar_address, Dwords * 4);
  if (host == nullptr) {
    wave.fail(*op.instruction,
              "scalar load outside every allocation: " + wave.memory->describe(op.scalar_address, Dwords * 4),
              {}, op.scalar_address);
    return;
  }
  std::memcpy(&wave.scalar[op.destination], host, Dwords * 4);
}

template <unsigned Dwords>
void load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_load<Dwords>);
  op.scalar_address = (wave.read64(i.operands[1]) + offset_of(wave, i)) & ~u64{3};
  wave.counted(i).bytes += Dwords * 4;
  wave.in_flight.set_destination(wave, op, i.operands[0], Dwords);
  wave.in_flight.issue(wave, op, QueueId::scalar);
}

// A buffer load keeps its offset and the buffer's size beside the address; dwords beyond the size read as
// zero.
enum BufferSlot : std::size_t { kOffset, kLimit };

template <unsigned Dwords>
void complete_buffer_load(Wave& wave, PendingOp& op) {
  for (unsigned d = 0; d < Dwords; ++d) {
    const u64 offset = op.address[kOffset] + 4 * u64{d};
    u32 value = 0;
    if (offset + 4 <= op.address[kLimit]) {
      const u64 address = op.scalar_address + offset;
      const std::byte* host = wave.translate(*op.instruction, address, 4);
      if (host == nullptr) {
        wave.fail(*op.instruction,
                  "scalar buffer load outside every allocation: " + wave.memory->describe(address, 4), {},
                  address);
        return;
      }
      std::memcpy(&value, host, sizeof value);
    }
    wave.scalar[op.destination + d] = value;
  }
}

template <unsigned Dwords>
void buffer_load(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_buffer_load<Dwords>);
  const std::uint16_t resource = i.operands[1].reg;
  const u64 low = wave.scalar64(resource);
  const u64 records = wave.scalar[resource + 2];
  const u64 stride = low >> 48 & 0x3fff;
  op.scalar_address = low & ((u64{1} << 48) - 1);
  op.address[kOffset] = offset_of(wave, i) & ~u64{3};
  op.address[kLimit] = stride == 0 ? records : records * stride;
  wave.counted(i).bytes += Dwords * 4;
  wave.in_flight.set_destination(wave, op, i.operands[0], Dwords);
  wave.in_flight.issue(wave, op, QueueId::scalar);
}

void complete_clock(Wave& wave, PendingOp& op) {
  wave.set_scalar64(op.destination, op.scalar_address);
}

/// The clock counts instructions of the wave: what it reads is deterministic and rises.
void clock(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_clock);
  op.scalar_address = wave.steps;
  wave.in_flight.set_destination(wave, op, i.operands[0], 2);
  wave.in_flight.issue(wave, op, QueueId::scalar);
}

constexpr AcceptSet kAccepted = Accepts::offset | Accepts::cache;

constexpr Row memory_row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kScalarLoadForms, operands, same(handler), Unit::smem, kAccepted};
}
constexpr Row clock_row(std::string_view mnemonic) {
  return {mnemonic, static_cast<FormSet>(Form::plain), "b64 =", same(clock), Unit::smem};
}

constexpr Row kRows[] = {
    memory_row("s_load_dword", "b32 = b64 any", load<1>),
    memory_row("s_load_dwordx2", "b64 = b64 any", load<2>),
    memory_row("s_load_dwordx4", "b128 = b64 any", load<4>),
    memory_row("s_load_dwordx8", "b256 = b64 any", load<8>),
    memory_row("s_load_dwordx16", "b512 = b64 any", load<16>),
    memory_row("s_buffer_load_dword", "b32 = b128 any", buffer_load<1>),
    memory_row("s_buffer_load_dwordx2", "b64 = b128 any", buffer_load<2>),
    memory_row("s_buffer_load_dwordx4", "b128 = b128 any", buffer_load<4>),
    memory_row("s_buffer_load_dwordx8", "b256 = b128 any", buffer_load<8>),
    memory_row("s_buffer_load_dwordx16", "b512 = b128 any", buffer_load<16>),
    clock_row("s_memtime"),
    clock_row("s_memrealtime"),
};

}  // namespace

std::span<const Row> scalar_memory() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
