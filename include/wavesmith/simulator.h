// A simulated AMD GPU: loads code objects (HSACO), holds buffers in a 64-bit address space of its own and
// executes kernels instruction by instruction on the CPU. Device is the entry; nothing here shows how it
// works or needs LLVM.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::simulator {

/// An address in the simulated GPU's memory; not a host pointer.
using DeviceAddress = std::uint64_t;

/// In which order the waves of a workgroup run. Results of a race-free kernel do not depend on it.
enum class Schedule {
  wave_by_wave,     ///< each wave to its next barrier or end, in rising order
  to_wait_rising,   ///< each wave to its next wait instruction or barrier, in rising order
  to_wait_falling,  ///< the same in falling order
  round_robin,      ///< one instruction of each wave in turn
  random,           ///< a seeded random wave for a seeded random number of instructions
};

/// When loads, stores and LDS operations take effect. Results of a kernel without hazards do not depend on
/// it.
enum class Arrival : std::uint8_t {
  latest,  ///< with the wait that covers them
  random,  ///< at a seeded moment between issue and that wait, in the order of their counter
};

/// Order and width of the additions inside one MFMA with f32 results. Uncertain on gfx950: no bit-level model
/// is published for it. The grouped ways are what was measured on gfx942; `exact` is the default because it
/// is several times faster. f32 factors are added in sequence and f64 factors too, as everywhere.
enum class MfmaAccumulation {
  groups_of_8,   ///< products in groups of 8 (fp8: 16), cut off as measured on gfx942, each group rounded
  groups_of_16,  ///< the same in groups of 16
  sequential,    ///< one fused multiply-add for each k, in rising order
  exact,         ///< exact products added up in f64, rounded once
};

/// LDS banks of ds_read_b32 and narrower reads on gfx950. Sources disagree.
enum class LdsReadB32 {
  two_phases_of_32_banks,
  one_phase_of_64_banks,
};

/// LDS phases of the transposing reads on gfx950 (64 banks). Both choices fit what is published.
enum class LdsReadTranspose {
  two_phases_of_32_lanes,
  four_phases_of_16_lanes,
};

/// What a load of 8 or 16 bits into one half of a register (names with _d16) does to the other half on gfx942
/// and gfx950. With SRAMECC, which their HBM parts have on, hardware zeroes it.
enum class D16Load {
  zeroes_other_half,
  keeps_other_half,
};

/// What LDS-DMA of 8 and 16 bits writes into the four bytes of LDS that each lane has. Not documented.
enum class LdsDmaNarrow {
  extended_dword,  ///< all four: the value, zero- or sign-extended
  element,         ///< only the first one or two
};

/// How far what the simulator computes for an instruction is what the hardware computes.
enum class Fidelity : std::uint8_t {
  exact,        ///< the same, as far as is known; what concerns special values alone does not count
  approximate,  ///< known to differ, within a bound
  uncertain,    ///< rests on a fact that is not published or on which sources disagree
};
[[nodiscard]] std::string_view name(Fidelity fidelity);

/// What of an instruction is not exact.
enum class Concern : std::uint8_t {
  values,      ///< results
  lds_cycles,  ///< only the counters of LDS cycles and conflicts
};
[[nodiscard]] std::string_view name(Concern concern);

/// What one instruction did to registers, for Options::trace. Valid during the callback only.
class TraceEvent {
 public:
  std::array<std::uint32_t, 3> workgroup{};
  std::uint32_t wave = 0;     ///< in the workgroup
  std::uint64_t address = 0;  ///< in the code object, as a disassembler of the file prints it
  std::string_view text;      ///< disassembly
  std::uint64_t exec = 0;
  std::uint64_t vcc = 0;
  bool scc = false;
  std::uint32_t vgprs = 0, agprs = 0;  ///< how many the wave has

  /// State after the instruction. Results of loads appear after the wait that covers them. Out of range reads
  /// 0.
  [[nodiscard]] std::uint32_t sgpr(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t vgpr(std::uint32_t index, std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t agpr(std::uint32_t index, std::uint32_t lane) const;

  const void* wave_state = nullptr;  ///< of the implementation
};

struct Options {
  unsigned threads =
      0;  ///< workgroups run on that many threads; 0: one for each CPU. Results do not depend on it.
  Schedule schedule = Schedule::wave_by_wave;
  Arrival arrival = Arrival::latest;
  std::uint64_t seed = 1;  ///< of Schedule::random and Arrival::random
  MfmaAccumulation mfma_accumulation = MfmaAccumulation::exact;
  LdsReadB32 lds_read_b32 = LdsReadB32::two_phases_of_32_banks;
  LdsReadTranspose lds_read_transpose = LdsReadTranspose::two_phases_of_32_lanes;
  D16Load d16_load = D16Load::zeroes_other_half;
  LdsDmaNarrow lds_dma_narrow = LdsDmaNarrow::extended_dword;
  /// Follow approximate and uncertain values to addresses, branches and EXEC (FidelityReport::uses); takes
  /// about a tenth more time.
  bool follow_inexact = false;
  /// Registers, LDS and scratch start as NaN patterns (values in docs/simulator.md); false: as zeros.
  bool poison = true;
  /// Use the executor's code for wider CPU vectors where this CPU has them. The results are the same bits.
  bool wide_vectors = true;
  /// Look for hazards (Report::hazards); more than doubles the time.
  bool hazards = false;
  /// Among hazards, look for uses of registers, LDS and scratch that were never written; without `hazards` it
  /// means nothing. Takes a third more time.
  bool uninitialized = false;
  /// Instructions one wave may execute before the dispatch is stopped with a fault.
  std::uint64_t steps_per_wave = 4'000'000'000;
  /// Called after every instruction, on one thread. Makes the dispatch run on one thread.
  std::function<void(const TraceEvent&)> trace = {};
  /// Called after every workgroup, from any of the threads but one call at a time, with how many are done.
  std::function<void(std::uint64_t done, std::uint64_t workgroups)> progress = {};
};

/// One argument of a kernel, in the order of the kernel's explicit arguments.
struct Argument {
  std::vector<std::byte> bytes;

  template <class T>
    requires std::is_trivially_copyable_v<T>
  static Argument of(const T& value) {
    const auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    return {{raw.begin(), raw.end()}};
  }
};

struct Launch {
  std::string kernel = {};
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< workgroups
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< work-items of a workgroup
  std::uint32_t dynamic_lds_bytes = 0;
  std::vector<Argument> arguments = {};  ///< explicit ones; those the metadata calls hidden are filled in
  Options options = {};
};

/// Why a dispatch was stopped, and where.
struct Fault {
  std::string what;           ///< one sentence
  std::uint64_t address = 0;  ///< of the instruction in the code object
  std::string text;           ///< its disassembly
  std::array<std::uint32_t, 3> workgroup{};
  std::uint32_t wave = 0;
  std::optional<std::uint32_t> lane;
  std::optional<DeviceAddress> memory_address;  ///< or the byte offset in LDS or scratch, as `what` says

  [[nodiscard]] std::string message() const;
};

/// Something that works but that a kernel should not do: reported once for each instruction and rule.
struct Warning {
  Fault first;              ///< what, and where it happened first
  std::uint64_t count = 0;  ///< executions by waves that did it
};

/// A fault of the code that need not show in this run's results: reported once for each instruction and kind.
/// docs/simulator.md lists the kinds.
struct Hazard {
  std::string kind;         ///< stable name, e.g. "lds_race"
  Fault first;              ///< what, and where it happened first
  std::string step;         ///< of the instruction, by the line table
  std::uint64_t count = 0;  ///< how often
};

/// What was counted for one instruction of the code, or for all of them.
struct InstructionCounters {
  std::uint64_t executions = 0;           ///< by waves
  std::uint64_t active_lanes = 0;         ///< lanes with EXEC = 1, summed over executions
  std::uint64_t lds_cycles = 0;           ///< phases and conflicts, SQ_LDS_IDX_ACTIVE
  std::uint64_t lds_conflict_cycles = 0;  ///< cycles beyond one for each phase, SQ_LDS_BANK_CONFLICT
  std::uint64_t max_lanes_per_bank = 0;   ///< most distinct dwords of one bank in one phase
  std::uint64_t bytes = 0;                ///< of global memory, buffers or LDS that active lanes moved
  std::uint64_t cache_lines = 0;  ///< distinct 128-byte lines of global memory, summed over executions

  InstructionCounters& operator+=(const InstructionCounters& other);
  friend bool operator==(const InstructionCounters&, const InstructionCounters&) = default;
};

struct InstructionReport {
  std::uint64_t address = 0;  ///< in the code object
  std::string text;           ///< disassembly
  std::string mnemonic;       ///< without encoding suffix
  std::string step;           ///< what the code object's line table says it belongs to; empty without one
  std::string unit;  ///< salu, smem, branch, valu, trans, mfma, vmem_load, vmem_store, lds, wait, other
  InstructionCounters counters;
  double busy_cycles = 0;  ///< of its unit, by the cost table
};

/// Executed instructions of one name that are not exact.
struct InexactInstruction {
  std::string mnemonic;
  Fidelity fidelity = Fidelity::approximate;
  Concern concern = Concern::values;
  std::uint64_t executions = 0;  ///< by waves
  std::string bound;             ///< how far from the hardware at most; empty: unknown
  std::string reason;            ///< one sentence
  std::string option;            ///< "mfma_accumulation = exact": the switch that chooses; empty without one
};

/// An instruction where an approximate or uncertain value decided what the kernel does.
struct InexactUse {
  struct Origin {
    std::string mnemonic;
    Fidelity fidelity = Fidelity::approximate;
    friend bool operator==(const Origin&, const Origin&) = default;
  };
  std::string use;           ///< "address", "branch", or "exec": which lanes are active
  Fault first;               ///< what, and where it happened first
  std::string step;          ///< of the instruction, by the line table
  std::uint64_t count = 0;   ///< how often
  std::vector<Origin> from;  ///< the instructions that the value depended on
};

/// How far the executed instructions are those of the hardware. `executed` is the sum of the other three.
struct FidelityReport {
  std::uint64_t executed = 0, exact = 0, approximate = 0, uncertain = 0;  ///< executions by waves
  std::vector<InexactInstruction> instructions;                           ///< approximate ones first, by name
  std::optional<std::vector<InexactUse>> uses;  ///< by address; empty where values were not followed
};

struct Report {
  /// Set when the dispatch was stopped; memory then holds what had been written, and nothing was counted.
  std::optional<Fault> fault;
  std::vector<InstructionReport> instructions;  ///< every reachable instruction of the kernel, by address
  FidelityReport fidelity;
  std::map<std::string, std::uint64_t> counters;  ///< totals under the profiler's names, e.g. SQ_INSTS_VALU
  std::map<std::string, double> cycles_by_unit;   ///< busy cycles summed over all waves
  std::vector<Warning> warnings;                  ///< by address
  std::optional<std::vector<Hazard>> hazards;     ///< by address; empty where they were not looked for
  std::vector<std::string> hazards_not_checked;   ///< kinds that Options::hazards did not look for
  std::vector<std::string> uncertain_choices;     ///< switches of Options that the executed code depended on
};

struct ArgumentInfo {
  std::string name;
  std::string kind;  ///< as in the metadata: "global_buffer", "by_value", …
  std::uint32_t offset = 0, size = 0;
};

struct KernelInfo {
  std::string name;
  std::vector<ArgumentInfo> arguments;  ///< explicit ones
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t lds_bytes = 0;      ///< fixed part
  std::uint32_t scratch_bytes = 0;  ///< of a work-item
  std::uint32_t wave_size = 0;
  std::uint32_t max_work_items = 0;
};

struct AllocationOptions {
  std::string name = {};                      ///< for messages about stray accesses
  std::uint64_t alignment = 256;              ///< a power of two
  std::optional<DeviceAddress> address = {};  ///< exactly there, e.g. to put a buffer across a 4 GiB boundary
  bool writable = true;                       ///< by kernels
  /// Memory of the caller's that kernels are to see, of as many bytes; it must stay until the allocation is
  /// freed.
  std::byte* backing = nullptr;
};

/// A code object that is loaded on a Device.
struct Module {
  std::uint32_t id = 0;
};

/// One simulated GPU. Not thread-safe: one call at a time (a launch uses threads of its own).
class Device {
 public:
  /// `target` is a processor with optional features, e.g. "gfx950" or "gfx950:sramecc+:xnack-".
  [[nodiscard]] static Expected<Device> create(std::string_view target);

  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  //! \name Memory
  /// Fresh memory is zero and is only backed when touched, so `bytes` may exceed the host's. At least one
  /// byte.
  [[nodiscard]] Expected<DeviceAddress> allocate(std::uint64_t bytes, AllocationOptions options = {});
  Expected<void> free(DeviceAddress address);
  Expected<void> write(DeviceAddress address, std::span<const std::byte> bytes);
  Expected<void> read(DeviceAddress address, std::span<std::byte> bytes) const;
  Expected<void> fill(DeviceAddress address, std::uint64_t bytes, std::byte value);
  /// Host view of memory that lies in one allocation, for copying without a detour.
  [[nodiscard]] Expected<std::span<std::byte>> view(DeviceAddress address, std::uint64_t bytes);

  //! \name Code
  [[nodiscard]] Expected<Module> load(std::span<const std::byte> code_object,
                                      std::string name = "code object");
  Expected<void> unload(Module module);
  [[nodiscard]] Expected<std::vector<KernelInfo>> kernels(Module module) const;
  /// Address and size of a global variable of the module.
  [[nodiscard]] Expected<std::pair<DeviceAddress, std::uint64_t>> symbol(Module module,
                                                                         std::string_view name) const;

  /// Executes one dispatch to its end. An Error means that nothing ran (unknown kernel, wrong arguments, an
  /// instruction that is not implemented); a fault during execution is in the Report.
  [[nodiscard]] Expected<Report> launch(Module module, const Launch& launch);

 private:
  struct State;
  explicit Device(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One operation the simulator implements, for the coverage report.
struct ImplementedForm {
  std::string mnemonic;
  std::string form;
};

/// Every (mnemonic, form) implemented for a processor, sorted.
[[nodiscard]] std::vector<ImplementedForm> implemented_forms(std::string_view processor);

}  // namespace wavesmith::simulator
