// The state of one wave and of the workgroup it belongs to: registers, mode, what is in flight, how it
// stopped. Handlers get a Wave; workgroup.h runs them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "wavesmith/simulator.h"

#include "simulator/hazards/global_accesses.h"
#include "simulator/hazards/hazard_kind.h"
#include "simulator/in_flight.h"
#include "simulator/instruction.h"
#include "simulator/memory.h"
#include "simulator/program.h"
#include "simulator/warnings.h"

namespace wavesmith::simulator {

struct Workgroup;

inline constexpr std::uint32_t kLanes = 64;  ///< lanes of a register row, for both wave sizes

/// Indices into Wave::scalar. They are the operand codes of gfx9, which leaves s0..s105 where every processor
/// has them; `null` and the scratch slots behind EXEC are ours.
enum ScalarIndex : std::uint16_t {
  kFlatScratch = 102,  ///< gfx9: FLAT_SCRATCH and XNACK_MASK are SGPR codes
  kXnackMask = 104,
  kVcc = 106,
  kTtmp = 108,
  kM0 = 124,
  kExec = 126,
  kDiscard = 128,  ///< destination of writes to null, 16 registers
  kScalarRegisters = 144,
};

/// Start of the LDS and scratch apertures of FLAT addresses. Outside the 47 bits that allocations use.
inline constexpr std::uint64_t kSharedAperture = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kPrivateAperture = std::uint64_t{2} << 48;

// What undefined state reads as at the start: NaN as f32, f16 and bf16, and all different from one another.
inline constexpr std::uint32_t kRegisterPoison = 0xffe5ffe5u;
inline constexpr std::uint32_t kLdsPoison = 0xffd5ffd5u;
inline constexpr std::uint32_t kScratchPoison = 0xffc5ffc5u;

enum class Signal : std::uint8_t {
  none,
  barrier,  ///< at a barrier; Workgroup::released says when it may go on
  end,
  fault,
};

/// The MODE register, taken apart.
struct Mode {
  std::uint32_t bits = 0;

  static constexpr std::uint32_t kDx10Clamp = 1u << 8, kIeee = 1u << 9, kFp16Overflow = 1u << 23;
  unsigned round_f32() const { return bits & 3; }
  unsigned round_f16_f64() const { return (bits >> 2) & 3; }
  bool flush_f32_sources() const { return (bits & (1u << 4)) == 0; }
  bool flush_f32_results() const { return (bits & (1u << 5)) == 0; }
  bool flush_f16_f64_sources() const { return (bits & (1u << 6)) == 0; }
  bool flush_f16_f64_results() const { return (bits & (1u << 7)) == 0; }
  bool dx10_clamp() const { return (bits & kDx10Clamp) != 0; }
  bool ieee() const { return (bits & kIeee) != 0; }
  bool fp16_overflow() const { return (bits & kFp16Overflow) != 0; }
};

struct Wave {
  std::uint32_t* vectors = nullptr;             ///< [row][kLanes]
  std::uint64_t full_exec = ~std::uint64_t{0};  ///< one bit for each lane a wave of this size has
  std::uint32_t next = 0;                       ///< index of the instruction to execute next
  bool scc = false;
  Signal signal = Signal::none;
  Mode mode;
  const Processor* processor = nullptr;
  const Program* program = nullptr;
  Workgroup* group = nullptr;
  const Memory* memory = nullptr;
  InstructionCounters* counters = nullptr;  ///< one for each instruction of the program
  alignas(64) std::array<std::uint32_t, kScalarRegisters> scalar{};
  std::array<MemoryWindow, 8> windows{};  ///< last hits, by instruction
  InFlight in_flight;
  GlobalAccesses* global_accesses = nullptr;  ///< where global accesses are noted, or null
  const Wave* original = nullptr;  ///< of a shadow (hazards/shadow.h): the wave that it accompanies
  std::byte* dropped = nullptr;    ///< of a shadow: the 16 bytes that all its stores to memory go to

  std::uint32_t index = 0;  ///< in the workgroup
  std::uint32_t size = 64;  ///< 32 or 64
  std::uint64_t steps = 0;
  std::uint64_t barrier_phase = 0;  ///< the barrier phase that has to be over before the wave goes on
  std::uint64_t barrier_pc = 0;
  std::uint32_t scratch_bytes = 0;  ///< of a lane
  std::vector<std::byte> scratch;   ///< [lane][scratch_bytes]
  std::vector<std::uint32_t> vector_storage;

  //! \name Registers
  std::uint32_t* row(std::uint32_t reg) { return vectors + std::size_t{reg} * kLanes; }
  const std::uint32_t* row(std::uint32_t reg) const { return vectors + std::size_t{reg} * kLanes; }

  std::uint64_t scalar64(std::uint32_t reg) const {
    std::uint64_t value;
    std::memcpy(&value, &scalar[reg], sizeof value);
    return value;
  }
  void set_scalar64(std::uint32_t reg, std::uint64_t value) {
    std::memcpy(&scalar[reg], &value, sizeof value);
  }

  /// EXEC, only the lanes that exist.
  std::uint64_t exec() const { return scalar64(kExec) & full_exec; }
  bool all_lanes() const { return exec() == full_exec; }
  std::uint64_t vcc() const { return scalar64(kVcc) & full_exec; }
  /// A lane mask in scalar registers: two in wave64, one in wave32.
  std::uint64_t mask(const Operand& operand) const { return read64(operand) & full_exec; }
  void set_mask(const Operand& operand, std::uint64_t value) {
    if (size == 64) {
      set_scalar64(operand.reg, value);
    } else {
      scalar[operand.reg] = static_cast<std::uint32_t>(value);
    }
  }

  /// A scalar operand: register, constant or special. The 64-bit form reads two registers.
  std::uint32_t read32(const Operand& operand) const {
    if (operand.kind == OperandKind::scalar) return scalar[operand.reg];
    if (operand.kind == OperandKind::constant) return static_cast<std::uint32_t>(operand.value);
    return read_special(operand);
  }
  std::uint64_t read64(const Operand& operand) const {
    if (operand.kind == OperandKind::scalar) return scalar64(operand.reg);
    if (operand.kind == OperandKind::constant) return operand.value;
    return read_special(operand);
  }
  void write32(const Operand& operand, std::uint32_t value) { scalar[operand.reg] = value; }
  void write64(const Operand& operand, std::uint64_t value) { set_scalar64(operand.reg, value); }

  //! \name Memory
  /// Host bytes of simulated memory, or null.
  std::byte* translate(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes) {
    MemoryWindow& hint = windows[instruction.index % windows.size()];
    std::byte* host = memory->translate(address, bytes, hint);
    if (global_accesses != nullptr && host != nullptr && hint.writable)
      global_accesses->read(instruction.index, address, bytes);
    return host;
  }
  std::byte* translate_writable(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes) {
    if (dropped != nullptr) return dropped;
    MemoryWindow& hint = windows[instruction.index % windows.size()];
    std::byte* host = memory->translate(address, bytes, hint);
    if (host == nullptr || !hint.writable) return nullptr;
    if (global_accesses != nullptr) {
      const bool atomic = (instruction.row->traits & static_cast<TraitSet>(Trait::ordered_global)) != 0;
      global_accesses->write(instruction.index, address, bytes, atomic);
    }
    return host;
  }
  InstructionCounters& counted(const Instruction& instruction) { return counters[instruction.index]; }

  //! \name Stopping
  /// Ends the dispatch. The first fault of a workgroup is the one that is reported.
  void fail(const Instruction& instruction, std::string what, std::optional<std::uint32_t> lane = {},
            std::optional<std::uint64_t> address = {});
  /// The same for an access outside every allocation; says what is nearest. `access` is "load" or the like.
  void fail_access(const Instruction& instruction, std::string_view access, std::uint32_t lane,
                   std::uint64_t address, std::uint64_t bytes);
  /// Notes a broken rule that does not end the dispatch.
  void warn(const Instruction& instruction, WarningKind kind, std::uint32_t lane, std::uint64_t address);
  /// Notes a hazard; `what` is one sentence about this occurrence.
  void hazard(const Instruction& instruction, HazardKind kind, std::string what,
              std::optional<std::uint32_t> lane = {}, std::optional<std::uint64_t> address = {});
  /// Where the wave is, for what is noted about it.
  Fault place(const Instruction& instruction, std::string what, std::optional<std::uint32_t> lane,
              std::optional<std::uint64_t> address) const;

 private:
  std::uint32_t read_special(const Operand& operand) const;
};

/// Calls f(lane) for each set bit, in rising order.
template <class F>
void for_each_lane(std::uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

}  // namespace wavesmith::simulator
