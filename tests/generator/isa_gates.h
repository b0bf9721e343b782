// What must hold of a kernel's machine code, as functions that return what is wrong: empty for a good kernel.
// gates_test.cpp holds every kernel to all of them and shows each one red on a planted defect.
#pragma once

#include <string>
#include <vector>

#include "generator/attention_dense/plan.h"
#include "tests/generator/code_objects.h"

namespace wavesmith::test {

using Findings = std::vector<std::string>;
using generator::attention_dense::Plan;

/// Two loops over KV tiles, one without and one with mask, each with the Plan's matrix instructions, LDS
/// reads, copies and exponentials.
[[nodiscard]] Findings loop_contents(const Plan& plan, const Compiled& compiled);
/// A loop waits for copies exactly once, for the Plan's partial count, and never for all of them.
[[nodiscard]] Findings partial_waits(const Plan& plan, const Compiled& compiled);
/// Between a loop's two barriers, and nowhere else, LDS is read; all reads have returned before the barrier
/// that lets their buffer be overwritten; K is copied behind the first barrier, V behind the second.
[[nodiscard]] Findings barriers_hold(const Plan& plan, const Compiled& compiled);
/// No instruction that parts lanes, loops over their values, or goes through LDS to exchange them.
[[nodiscard]] Findings no_lane_loops(const Plan& plan, const Compiled& compiled);
/// Softmax on packed and three-operand instructions, and no more vector instructions than they make.
[[nodiscard]] Findings packed_softmax(const Plan& plan, const Compiled& compiled);
/// Between each two matrix instructions of PV stand as many exponentials as the Plan says.
[[nodiscard]] Findings interleaved(const Plan& plan, const Compiled& compiled);
/// No scratch, no spill, nothing moved to accumulation registers, and none used where two waves share a SIMD.
[[nodiscard]] Findings registers_only(const Plan& plan, const Compiled& compiled);
/// Descriptor and metadata are what the Plan asked: modes, workgroup, LDS, wave size.
[[nodiscard]] Findings descriptor(const Plan& plan, const Compiled& compiled);

struct Gate {
  std::string_view name;
  Findings (*run)(const Plan&, const Compiled&);
};
[[nodiscard]] std::vector<Gate> all_gates();

}  // namespace wavesmith::test
