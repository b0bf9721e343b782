// The facts as rules over mnemonics. Sources: CDNA3 and CDNA4 guides (accuracies in the notes of the VOP1
// instructions), the bit-level model that MMA-Sim's authors validated on MI300X, lds_phase_table.cpp for LDS.
#include "simulator/fidelity/classification.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "simulator/lds_phase_table.h"

namespace wavesmith::simulator {
namespace {

using Found = std::optional<Inexactness>;

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

//! \name The switches, as a user writes them

std::string accumulation_option(const Options& options) {
  constexpr std::array<std::string_view, 4> names{"groups_of_8", "groups_of_16", "sequential", "exact"};
  return fmt::format("mfma_accumulation = {}", names.at(static_cast<std::size_t>(options.mfma_accumulation)));
}
std::string read_b32_option(const Options& options) {
  const bool two = options.lds_read_b32 == LdsReadB32::two_phases_of_32_banks;
  return fmt::format("lds_read_b32 = {}", two ? "two_phases_of_32_banks" : "one_phase_of_64_banks");
}
std::string read_transpose_option(const Options& options) {
  const bool two = options.lds_read_transpose == LdsReadTranspose::two_phases_of_32_lanes;
  return fmt::format("lds_read_transpose = {}", two ? "two_phases_of_32_lanes" : "four_phases_of_16_lanes");
}
std::string d16_option(const Options& options) {
  const bool zeroes = options.d16_load == D16Load::zeroes_other_half;
  return fmt::format("d16_load = {}", zeroes ? "zeroes_other_half" : "keeps_other_half");
}
std::string narrow_dma_option(const Options& options) {
  const bool extended = options.lds_dma_narrow == LdsDmaNarrow::extended_dword;
  return fmt::format("lds_dma_narrow = {}", extended ? "extended_dword" : "element");
}

//! \name Vector ALU

Found transcendental(std::string_view mnemonic) {
  Inexactness one{.fidelity = Fidelity::approximate,
                  .bound = "1 ULP",
                  .reason = "the hardware's bits are not published; the simulator rounds the exact result"};
  if (mnemonic.ends_with("_f64")) one.bound = "2^29 ULP";
  if (mnemonic == "v_rcp_iflag_f32")
    one.reason += "; compilers divide integers with it and correct what it may be off";
  return one;
}

Found lane_exchange(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (mnemonic.starts_with("v_permlane"))
    return Inexactness{.fidelity = Fidelity::uncertain,
                       .partial_exec_only = true,
                       .reason = "whether a lane swap minds inactive lanes is not clear; here it does not"};
  const Dpp& dpp = instruction.modifiers.dpp;
  if (instruction.has_dpp && !dpp.bound_ctrl && !dpp.fetch_inactive)
    return Inexactness{.fidelity = Fidelity::uncertain,
                       .partial_exec_only = true,
                       .reason = "a lane whose source lane is inactive is taken not to be written"};
  return {};
}

Found vector_instruction(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (instruction.row->unit == Unit::trans) return transcendental(mnemonic);
  if (mnemonic.starts_with("v_dot2") && contains_text(mnemonic, "_f32_"))
    return Inexactness{
        .fidelity = Fidelity::uncertain,
        .bound = "2 ULP of the largest term",
        .reason = "how the hardware rounds the sum is not published; here it is exact and rounded once"};
  if (mnemonic.starts_with("v_cvt_sr_"))
    return Inexactness{
        .fidelity = Fidelity::uncertain,
        .bound = "one unit of the last digit that stays",
        .reason = "which of the random bits count is not published; here all lie below the last digit"};
  return lane_exchange(instruction);
}

//! \name Matrix instructions

/// K of "v_mfma_f32_32x32x16_bf16".
unsigned depth_of(std::string_view mnemonic) {
  std::size_t at = 0;
  for (int skipped = 0; skipped < 2; ++skipped) at = mnemonic.find('x', at) + 1;
  unsigned depth = 0;
  std::from_chars(mnemonic.data() + at, mnemonic.data() + mnemonic.size(), depth);
  return depth;
}

Found matrix_on_gfx942(std::string_view mnemonic, const Options& options) {
  // f32 and f64 factors are added one after the other, in the simulator and by the model.
  if (mnemonic.ends_with("_f32") || mnemonic.ends_with("_f64")) return {};
  const bool bytes = contains_text(mnemonic, "fp8") || contains_text(mnemonic, "bf8");
  const MfmaAccumulation way = options.mfma_accumulation;
  if (way == MfmaAccumulation::groups_of_8) return {};
  if (way == MfmaAccumulation::groups_of_16 && (bytes || depth_of(mnemonic) <= 8)) return {};
  return Inexactness{
      .fidelity = Fidelity::approximate,
      .bound = bytes ? "2^-19 of the largest product or addend, for each 16 products"
                     : "2^-20 of the largest product or addend, for each 8 products",
      .reason = "the hardware cuts sums off in groups, which mfma_accumulation = groups_of_8 does bit by bit",
      .option = accumulation_option(options)};
}

Found matrix_instruction(std::string_view mnemonic, const Processor& processor, const Options& options) {
  if (mnemonic.starts_with("v_mfma_i32_")) return {};
  if (processor.gfx == Gfx::gfx942) return matrix_on_gfx942(mnemonic, options);
  Inexactness one{.fidelity = Fidelity::uncertain,
                  .reason = "order and width of the additions inside it are not published"};
  if (contains_text(mnemonic, "f8f6f4")) {
    one.reason = "neither the additions inside it nor the lanes of its scales are published";
    one.option = accumulation_option(options);
  } else if (!mnemonic.ends_with("_f32") && !mnemonic.ends_with("_f64")) {
    one.option = accumulation_option(options);
  }
  return one;
}

//! \name LDS

bool is_dma(const Instruction& instruction) {
  return contains(kBufferLdsForms, instruction.form) || contains_text(instruction.row->mnemonic, "_lds_");
}

LdsAccess access_of_width(std::string_view mnemonic, bool read) {
  using enum LdsAccess;
  if (mnemonic.ends_with("b128") || mnemonic.ends_with("dwordx4")) return read ? read_b128 : write_b128;
  if (mnemonic.ends_with("b96") || mnemonic.ends_with("dwordx3")) return read ? read_b96 : write_b96;
  if (mnemonic.ends_with("64")) return read ? read_b64 : write_b64;
  return read ? read_b32 : write_b32;
}

/// The row of the phase table behind an access to LDS.
std::optional<LdsAccess> lds_access(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (is_dma(instruction)) return access_of_width(mnemonic, false);
  if (!mnemonic.starts_with("ds_") || mnemonic == "ds_nop") return {};
  if (contains_text(mnemonic, "_tr_"))
    return mnemonic.ends_with("_b6") ? LdsAccess::read_b96 : LdsAccess::read_tr_b64;
  return access_of_width(mnemonic, mnemonic.starts_with("ds_read"));
}

Found lds_cycles(const Instruction& instruction, const Processor& processor, const Options& options) {
  const auto access = lds_access(instruction);
  if (!access) return {};
  Inexactness one{.fidelity = Fidelity::uncertain, .concern = Concern::lds_cycles};
  if (contains_text(instruction.row->mnemonic, "permute") ||
      contains_text(instruction.row->mnemonic, "swizzle")) {
    one.reason = "cycles of lane permutes are not counted";
    return one;
  }
  const LdsPhaseRow& row =
      find_lds_phases(processor.gfx, *access, options.lds_read_b32, options.lds_read_transpose);
  switch (row.confidence) {
    case Confidence::high:
      return {};
    case Confidence::medium:
      one.reason = fmt::format("its phases are known from one source ({})", row.source);
      break;
    case Confidence::low:
      one.reason = fmt::format("sources do not settle its phases ({})", row.source);
      if (*access == LdsAccess::read_b32) one.option = read_b32_option(options);
      if (*access == LdsAccess::read_tr_b64) one.option = read_transpose_option(options);
      break;
    case Confidence::assumed:
      one.reason = fmt::format("its phases are assumed ({})", row.source);
      break;
  }
  return one;
}

/// Values of memory instructions; cycles only where the values are sure.
Found memory_instruction(const Instruction& instruction, const Processor& processor, const Options& options) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (mnemonic.starts_with("s_mem"))
    return Inexactness{.fidelity = Fidelity::approximate,
                       .reason = "clocks count the wave's instructions instead of time"};
  if (processor.is_cdna() && contains_text(mnemonic, "_d16") && instruction.destinations != 0)
    return Inexactness{.fidelity = Fidelity::uncertain,
                       .reason = "whether the other half of the register is zeroed depends on SRAMECC",
                       .option = d16_option(options)};
  if (is_dma(instruction) && (mnemonic.ends_with("byte") || mnemonic.ends_with("short")))
    return Inexactness{.fidelity = Fidelity::uncertain,
                       .reason = "what narrow loads to LDS write into a lane's four bytes is not documented",
                       .option = narrow_dma_option(options)};
  if (mnemonic.ends_with("_tr_b6"))
    return Inexactness{.fidelity = Fidelity::uncertain,
                       .reason = "the transposition of 6-bit elements is assumed to be that of the others"};
  return lds_cycles(instruction, processor, options);
}

Found hardware_register(const Instruction& instruction) {
  // simm16[5:0] is the register; MODE is 1 and STATUS 2.
  const unsigned id = instruction.simm16 & 63u;
  if (instruction.row->mnemonic != "s_getreg_b32" || id == 1 || id == 2) return {};
  return Inexactness{.fidelity = Fidelity::approximate,
                     .reason = "hardware registers other than MODE and STATUS read 0"};
}

}  // namespace

std::optional<Inexactness> inexactness(const Instruction& instruction, const Processor& processor,
                                       const Options& options) {
  switch (instruction.row->unit) {
    case Unit::valu:
    case Unit::trans:
      return vector_instruction(instruction);
    case Unit::mfma:
      return matrix_instruction(instruction.row->mnemonic, processor, options);
    case Unit::lds:
    case Unit::smem:
    case Unit::vmem_load:
    case Unit::vmem_store:
      return memory_instruction(instruction, processor, options);
    case Unit::salu:
      return hardware_register(instruction);
    case Unit::branch:
    case Unit::wait:
    case Unit::other:
      return {};
  }
  return {};
}

FidelityReport count_fidelity(std::span<const Instruction> code,
                              std::span<const InstructionCounters> counters, const Processor& processor,
                              const Options& options, std::uint32_t wave_size) {
  FidelityReport report;
  for (const Instruction& instruction : code) {
    const InstructionCounters& counted = counters[instruction.index];
    if (counted.executions == 0) continue;
    report.executed += counted.executions;
    const auto found = inexactness(instruction, processor, options);
    if (!found ||
        (found->partial_exec_only && counted.active_lanes == std::uint64_t{wave_size} * counted.executions)) {
      report.exact += counted.executions;
      continue;
    }
    (found->fidelity == Fidelity::approximate ? report.approximate : report.uncertain) += counted.executions;
    const auto same = [&](const InexactInstruction& one) {
      return one.mnemonic == instruction.row->mnemonic && one.reason == found->reason;
    };
    if (const auto known = std::ranges::find_if(report.instructions, same);
        known != report.instructions.end()) {
      known->executions += counted.executions;
      continue;
    }
    report.instructions.push_back({.mnemonic = std::string(instruction.row->mnemonic),
                                   .fidelity = found->fidelity,
                                   .concern = found->concern,
                                   .executions = counted.executions,
                                   .bound = found->bound,
                                   .reason = found->reason,
                                   .option = found->option});
  }
  std::ranges::sort(report.instructions, [](const InexactInstruction& a, const InexactInstruction& b) {
    return std::pair(a.fidelity, std::string_view(a.mnemonic)) <
           std::pair(b.fidelity, std::string_view(b.mnemonic));
  });
  return report;
}

std::string_view name(Fidelity fidelity) {
  constexpr std::array<std::string_view, 3> names{"exact", "approximate", "uncertain"};
  return names.at(static_cast<std::size_t>(fidelity));
}

std::string_view name(Concern concern) {
  return concern == Concern::values ? "values" : "lds_cycles";
}

}  // namespace wavesmith::simulator
