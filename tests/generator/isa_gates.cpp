#include "tests/generator/isa_gates.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::test {
namespace {

// Counts that a gate expects, with what it found instead.
class Counts {
 public:
  Findings findings;

  void exactly(std::string_view where, std::string_view what, std::size_t found, std::size_t expected) {
    if (found != expected) findings.push_back(fmt::format("{}: {} {}, not {}", where, found, what, expected));
  }
  void at_most(std::string_view where, std::string_view what, std::size_t found, std::size_t limit) {
    if (found > limit) findings.push_back(fmt::format("{}: {} {}, more than {}", where, found, what, limit));
  }
};

bool is_copy(const Instruction& instruction) {
  return instruction.mnemonic.starts_with("buffer_load") && instruction.operands.ends_with(" lds");
}

bool is_lds_read(const Instruction& instruction) {
  return instruction.mnemonic.starts_with("ds_read");
}

unsigned scores_per_lane(const Plan& plan) {
  return plan.sub_tiles * 16;
}

template <class Each>
Findings for_each_loop(const Compiled& compiled, Each&& each) {
  Counts counts;
  counts.exactly("kernel", "loops", compiled.listing.loops.size(), 2);
  for (std::size_t i = 0; i < compiled.listing.loops.size(); ++i)
    each(counts, fmt::format("loop {}", i), compiled.listing.loops[i]);
  return counts.findings;
}

}  // namespace

Findings loop_contents(const Plan& plan, const Compiled& compiled) {
  std::size_t compares = 0;
  Findings findings = for_each_loop(compiled, [&](Counts& counts, const std::string& where,
                                                  const auto& loop) {
    const std::string_view element =
        plan.spec.dtype == generator::attention_dense::DType::bf16 ? "bf16" : "f16";
    counts.exactly(where, "MFMA", count(loop, "v_mfma"),
                   plan.sub_tiles * plan.k_steps + plan.d_tiles * plan.key_steps);
    counts.exactly(where, "MFMA of the element type",
                   count(loop, fmt::format("v_mfma_f32_32x32x16_{}", element)), count(loop, "v_mfma"));
    counts.exactly(where, "K reads", count(loop, "ds_read_b128"), plan.sub_tiles * plan.k_steps);
    counts.exactly(where, "V reads", count(loop, "ds_read_b64_tr_b16"), 2 * plan.d_tiles * plan.key_steps);
    counts.exactly(where, "LDS operations",
                   static_cast<std::size_t>(std::ranges::count_if(
                       loop, [](const auto& i) { return i.mnemonic.starts_with("ds_"); })),
                   count(loop, "ds_read_b128") + count(loop, "ds_read_b64_tr_b16"));
    counts.exactly(where, "copies", static_cast<std::size_t>(std::ranges::count_if(loop, is_copy)),
                   plan.k_dma + plan.v_dma);
    counts.exactly(
        where, "loads and stores",
        count(loop, "buffer_") + count(loop, "global_") + count(loop, "flat_") + count(loop, "scratch_"),
        plan.k_dma + plan.v_dma);
    // One more for alpha.
    counts.exactly(where, "exponentials", count(loop, "v_exp_f32"), scores_per_lane(plan) + 1);
    compares += count(loop, "v_cndmask_b32");
  });
  // The mask selects each score in one of the loops; the choice of a lazy m is one selection in each.
  Counts counts;
  counts.exactly("loops", "selections", compares, scores_per_lane(plan) + (plan.spec.lazy_rescale ? 2 : 0));
  findings.insert(findings.end(), counts.findings.begin(), counts.findings.end());
  return findings;
}

Findings partial_waits(const Plan& plan, const Compiled& compiled) {
  return for_each_loop(compiled, [&](Counts& counts, const std::string& where, const auto& loop) {
    std::size_t waits = 0;
    for (const Instruction& instruction : loop) {
      const int left = wait_of(instruction, "vmcnt");
      if (left < 0) continue;
      ++waits;
      counts.exactly(where, "copies left in flight by a wait", static_cast<std::size_t>(left),
                     plan.wait_loop);
    }
    counts.exactly(where, "waits for copies", waits, 1);
  });
}

Findings barriers_hold(const Plan& plan, const Compiled& compiled) {
  return for_each_loop(compiled, [&](Counts& counts, const std::string& where, const auto& loop) {
    counts.exactly(where, "barriers", count(loop, "s_barrier"), 2);
    if (count(loop, "s_barrier") != 2) return;
    // A round from the barrier that follows the wait for copies to the one that frees the V buffer.
    std::vector<Instruction> before, between, after;
    std::vector<Instruction>* part = &before;
    for (const Instruction& instruction : loop) {
      if (instruction.mnemonic == "s_barrier") part = part == &before ? &between : &after;
      part->push_back(instruction);
    }
    const auto total = [](const std::vector<Instruction>& instructions, auto&& is) {
      return static_cast<std::size_t>(std::ranges::count_if(instructions, is));
    };
    counts.exactly(where, "LDS reads outside the barriers",
                   total(before, is_lds_read) + total(after, is_lds_read), 0);
    counts.exactly(where, "copies between the barriers", total(between, is_copy), plan.k_dma);
    counts.exactly(where, "copies behind the barriers", total(before, is_copy) + total(after, is_copy),
                   plan.v_dma);
    // The wait that empties the queue of LDS reads stands behind the last of them.
    bool all_returned = false;
    for (const Instruction& instruction : between) {
      if (is_lds_read(instruction)) all_returned = false;
      if (wait_of(instruction, "lgkmcnt") == 0) all_returned = true;
    }
    if (!all_returned)
      counts.findings.push_back(fmt::format("{}: a barrier with LDS reads in flight", where));
    const auto wait = std::ranges::find_if(before, [](const auto& i) { return wait_of(i, "vmcnt") >= 0; });
    if (wait == before.end())
      counts.findings.push_back(
          fmt::format("{}: the first barrier does not follow the wait for copies", where));
  });
}

Findings no_lane_loops(const Plan&, const Compiled& compiled) {
  Counts counts;
  const auto& all = compiled.listing.instructions;
  counts.exactly("kernel", "instructions that save EXEC",
                 count(all, "s_and_saveexec") + count(all, "s_or_saveexec"), 0);
  counts.exactly("kernel", "exchanges through LDS",
                 count(all, "ds_bpermute") + count(all, "ds_permute") + count(all, "ds_swizzle"), 0);
  // The wave's number is the one value that is made uniform.
  counts.exactly("kernel", "v_readfirstlane", count(all, "v_readfirstlane"), 1);
  counts.exactly("kernel", "v_med3", count(all, "v_med3"), 0);
  return counts.findings;
}

Findings packed_softmax(const Plan& plan, const Compiled& compiled) {
  const unsigned scores = scores_per_lane(plan);
  return for_each_loop(compiled, [&](Counts& counts, const std::string& where, const auto& loop) {
    // LLVM splits a packed FMA beside an MFMA into two plain ones, which can be issued together with it.
    counts.exactly(where, "scores in FMA", 2 * count(loop, "v_pk_fma_f32") + count(loop, "v_fma_f32"),
                   scores);
    // The first maximum takes two scores, each further one two more; the last has one left.
    counts.exactly(where, "v_max3_f32", count(loop, "v_max3_f32"), (scores - 2) / 2);
    counts.exactly(where, "v_pk_add_f32", count(loop, "v_pk_add_f32"), scores / 2 - 1);
    counts.exactly(where, "v_cvt_pk", count(loop, "v_cvt_pk"), scores / 2);
    counts.exactly(where, "v_pk_mul_f32", count(loop, "v_pk_mul_f32"), plan.d_tiles * 8);
    counts.exactly(where, "v_permlane32_swap", count(loop, "v_permlane32_swap"), 1);
    // No instruction quiets a maximum's operand: v_max_f32 x, x.
    counts.at_most(where, "v_max_f32", count(loop, "v_max_f32"), 3);
  });
}

Findings interleaved(const Plan& plan, const Compiled& compiled) {
  return for_each_loop(compiled, [&](Counts& counts, const std::string& where, const auto& loop) {
    // PV is the part at raised priority.
    std::size_t products = 0, exponentials = 0;
    bool raised = false;
    for (const Instruction& instruction : loop) {
      if (instruction.mnemonic == "s_setprio") raised = instruction.operands == "1";
      if (!raised) continue;
      if (instruction.mnemonic.starts_with("v_exp_f32")) ++exponentials;
      if (!instruction.mnemonic.starts_with("v_mfma")) continue;
      if (products > 0)
        counts.exactly(where, "exponentials between two MFMA of PV", exponentials, plan.exps_per_mfma);
      ++products;
      exponentials = 0;
    }
    counts.exactly(where, "MFMA in PV", products, plan.d_tiles * plan.key_steps);
  });
}

Findings registers_only(const Plan& plan, const Compiled& compiled) {
  Counts counts;
  const runtime::Kernel& kernel = compiled.kernel();
  counts.exactly("kernel", "spilled vector registers", kernel.vgpr_spills, 0);
  counts.exactly("kernel", "spilled scalar registers", kernel.sgpr_spills, 0);
  counts.exactly("kernel", "bytes of scratch", kernel.scratch_bytes, 0);
  // A wave that has the SIMD for itself has 512 registers, the upper half of which are accumulation
  // registers: LDS reads may fill them and matrix instructions read them, but nothing is moved there.
  if (plan.attributes.waves_per_eu > 1) counts.exactly("kernel", "accumulation registers", kernel.agprs, 0);
  counts.exactly("kernel", "v_accvgpr", count(compiled.listing.instructions, "v_accvgpr"), 0);
  return counts.findings;
}

Findings descriptor(const Plan& plan, const Compiled& compiled) {
  Findings findings;
  const runtime::Kernel& kernel = compiled.kernel();
  const runtime::KernelDescriptor& d = kernel.descriptor;
  const auto expect = [&](std::string_view what, auto found, auto expected) {
    if (found != expected) findings.push_back(fmt::format("{}: {}, not {}", what, found, expected));
  };
  const auto number = [](auto value) { return static_cast<unsigned>(value); };
  const bool keep = plan.attributes.f32_denormals == ir::DenormalMode::keep;
  expect("f32 denormals", number(d.denorm_f32),
         number(keep ? runtime::DenormMode::keep : runtime::DenormMode::flush_source_and_result));
  expect("f16 and f64 denormals", number(d.denorm_f16_f64), number(runtime::DenormMode::keep));
  expect("f32 rounding", number(d.round_f32), number(runtime::RoundMode::nearest_even));
  expect("f16 and f64 rounding", number(d.round_f16_f64), number(runtime::RoundMode::nearest_even));
  expect("IEEE mode", d.ieee.value_or(!plan.attributes.ieee_mode), plan.attributes.ieee_mode);
  expect("clamping of NaN to 0", d.dx10_clamp.value_or(false), true);
  expect("saturating f16", d.fp16_overflow, false);
  expect("exceptions", d.exceptions, 0U);
  expect("LDS bytes", d.group_segment_fixed_size, plan.lds_bytes);
  expect("wave size", kernel.wavefront_size, plan.facts->wave_size);
  expect("largest workgroup", kernel.max_flat_workgroup_size, plan.attributes.workgroup_size);
  expect("required workgroup", kernel.required_workgroup_size.value_or(std::array<std::uint32_t, 3>{}),
         std::array<std::uint32_t, 3>{plan.attributes.workgroup_size, 1, 1});
  expect("uniform workgroups", kernel.uniform_workgroup_size.value_or(false), true);
  expect("work-item ids", d.workitem_id_dimensions, 1U);
  return findings;
}

std::vector<Gate> all_gates() {
  return {{"loop_contents", loop_contents},   {"partial_waits", partial_waits},
          {"barriers_hold", barriers_hold},   {"no_lane_loops", no_lane_loops},
          {"packed_softmax", packed_softmax}, {"interleaved", interleaved},
          {"registers_only", registers_only}, {"descriptor", descriptor}};
}

}  // namespace wavesmith::test
