// What the tests of lowering share: kernels lowered for gfx950, LLVM's tools run on their text, and stores
// that keep any value alive. LLVM's tools are the judge; see tests/runtime/support.h for running them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lowering/lower.h"
#include "tests/ir_builder/every_op.h"
#include "tests/runtime/support.h"

namespace wavesmith::lowering::testing {

using ir::testing::Operands;
using ir::testing::TestKernel;

[[nodiscard]] const TargetFacts& gfx950();
[[nodiscard]] const Flavour& llvm22();

/// The text for gfx950 in flavour llvm22; the kernel must be valid.
[[nodiscard]] std::string lowered(TestKernel& kernel, const LowerOptions& options = {});

/// Stores a value of any type that operations give, so that neither finish() nor LLVM drops what it is made
/// of.
void store(TestKernel& kernel, const Operands& operands, ir::Value value);

/// One operation of each kind, results stored, in the order of OpKind.
void build_every_op(TestKernel& kernel);

/// `opt-22 -S` with these passes ("verify", "default<O3>"); throws with LLVM's message where it refuses the
/// text.
[[nodiscard]] std::string opt(std::string_view text, std::string_view passes, std::string_view options = "");
/// Assembly that `opt -O3` and llc-22 make for gfx950.
[[nodiscard]] std::string assembly(std::string_view text, std::string_view processor = "gfx950");

/// Lines that contain `part`.
[[nodiscard]] std::vector<std::string> lines_with(std::string_view text, std::string_view part);
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);
[[nodiscard]] std::size_t count(std::string_view text, std::string_view part);

}  // namespace wavesmith::lowering::testing
