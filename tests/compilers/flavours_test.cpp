// Flavours against the compilers of their versions: a part of the golden cases (compiler_matrix takes all),
// every operation, and what a flavour asks of the hardware. Compilers that are not there are skips, one for
// each.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/compilers/lane.h"
#include "tests/compilers/round_trip.h"
#include "tests/lowering/support.h"

namespace wavesmith::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Toolchains& toolchains() {
  static const Toolchains all = find_toolchains(WAVESMITH_COMPILERS);
  return all;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

/// The compilers of one LLVM version; skips where there is none.
std::vector<Toolchain*> compilers_of(unsigned major) {
  std::vector<Toolchain*> found;
  for (const auto& compiler : toolchains().ready)
    if (compiler->flavour().llvm_major == major) found.push_back(compiler.get());
  if (found.empty()) SKIP("no LLVM " << major << " here; " << joined(toolchains().skipped));
  return found;
}

#ifdef WAVESMITH_SANITIZED
constexpr std::size_t parts = 2;  // the simulator is many times slower
#else
constexpr std::size_t parts = 4;
#endif

/// Cases far apart in the list: combinations and knobs.
void check_golden_cases(unsigned major) {
  const auto cases = golden::cases();
  for (Toolchain* compiler : compilers_of(major)) {
    std::size_t verified = 0;
    for (std::size_t i = 0; i < cases.size(); i += cases.size() / parts) {
      const LaneResult result = run_case(*compiler, cases[i]);
      INFO(compiler->name() << ", " << cases[i].id() << ": " << joined(result.problems));
      CHECK(result.compiled);
      CHECK(result.right);
      verified += result.right ? 1 : 0;
    }
    CHECK(verified >= parts);
  }
}

std::string every_op(const lowering::Flavour& flavour) {
  lowering::testing::TestKernel kernel;
  kernel.b.kernel().attributes.f32_denormals = ir::DenormalMode::flush;
  kernel.b.kernel().attributes.ieee_mode = false;
  lowering::testing::build_every_op(kernel);
  const auto text =
      lowering::lower(kernel.finish(), lowering::testing::gfx950(), flavour, {.line_table = true});
  REQUIRE(text);
  return *text;
}

/// Every operation and attribute that there is, with a line table.
void check_every_op(unsigned major) {
  for (Toolchain* compiler : compilers_of(major)) {
    INFO(compiler->name());
    const std::string text = every_op(compiler->flavour());
    const Compiled compiled = compiler->compile(text, "gfx950");
    INFO(joined(compiled.changes));
    CHECK(compiled.changes.empty());
    // The attributes reach the kernel descriptor, however they are spelled (AMDGPUUsage: 0 flushes).
    const std::string assembly = compiler->assembly(text, "gfx950");
    CHECK_THAT(assembly, ContainsSubstring(".amdhsa_float_denorm_mode_32 0"));
    CHECK_THAT(assembly, ContainsSubstring(".amdhsa_ieee_mode 0"));
    CHECK_THAT(assembly, ContainsSubstring(".uniform_work_group_size: 1"));
  }
}

}  // namespace

TEST_CASE("flavour llvm21: golden cases compile unchanged and give right numbers") {
  check_golden_cases(21);
}
TEST_CASE("flavour llvm22: golden cases compile unchanged and give right numbers") {
  check_golden_cases(22);
}
TEST_CASE("flavour llvm23: golden cases compile unchanged and give right numbers") {
  check_golden_cases(23);
}
TEST_CASE("flavour llvm21: every operation and attribute is read as it was written") {
  check_every_op(21);
}
TEST_CASE("flavour llvm22: every operation and attribute is read as it was written") {
  check_every_op(22);
}
TEST_CASE("flavour llvm23: every operation and attribute is read as it was written") {
  check_every_op(23);
}

TEST_CASE("flavours claim the compilers that they are checked with, and no others") {
  std::string checked;
  for (const auto& compiler : toolchains().ready) {
    // The worker's LLVM is the one of the programs.
    if (compiler->name().ends_with(" in the worker")) continue;
    INFO(compiler->name());
    CHECK_THAT(std::string(compiler->flavour().verified_with), ContainsSubstring(compiler->name()));
  }
  if (!toolchains().skipped.empty()) SKIP(joined(toolchains().skipped));
  for (const lowering::Flavour& flavour : lowering::all_flavours()) {
    std::string own;
    for (const auto& compiler : toolchains().ready)
      if (&compiler->flavour() == &flavour && !compiler->name().ends_with(" in the worker"))
        own += (own.empty() ? "" : "; ") + compiler->name();
    CHECK(flavour.verified_with == own);
    CHECK((flavour.verification() == "not verified here") == own.empty());
  }
}

TEST_CASE("comgr and the worker's LLVM of one version make the same code, in any order in one process") {
  std::vector<std::vector<std::byte>> codes;
  const golden::Case& one = golden::cases().front();
  for (Toolchain* compiler : compilers_of(22)) codes.push_back(run_case(*compiler, one).code);
  if (codes.size() < 3) SKIP("no comgr on LLVM 22; " << joined(toolchains().skipped));
  REQUIRE_FALSE(codes.front().empty());
  for (const auto& code : codes) CHECK(code == codes.front());
}

TEST_CASE("a text of another version's flavour is noticed") {
  for (const auto& compiler : toolchains().ready) {
    for (const lowering::Flavour& flavour : lowering::all_flavours()) {
      const bool has_worker_log = compiler->name().find("comgr") != std::string::npos;
      if (&flavour == &compiler->flavour() || has_worker_log) continue;
      INFO(flavour.name << " for " << compiler->name());
      bool noticed = false;
      try {
        noticed = !compiler->compile(every_op(flavour), "gfx950").changes.empty();
      } catch (const std::exception&) {
        noticed = true;  // rejected
      }
      CHECK(noticed);
    }
  }
}

}  // namespace wavesmith::test
