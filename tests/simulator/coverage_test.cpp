// The coverage report: runs the instruction tests once more, collects the forms that ran in cases that
// passed, and holds them against what is implemented and against the instructions that compilers use. The
// report is written to the build folder.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "wavesmith/simulator.h"

#include "coverage_record.h"

namespace {

using namespace wavesmith::simulator;

/// (mnemonic, form) and whether a test ran it alone.
using Tested = std::map<std::pair<std::string, std::string>, bool>;

struct Review {
  const char* mnemonic;
  const char* reason;
};
/// Instructions that compilers use on gfx950 and that are left out on purpose.
constexpr std::vector<Review> left_out() {
  return {};
}

/// What a run of all instruction tests recorded, by processor.
std::map<std::string, Tested> run_instruction_tests(const std::filesystem::path& folder) {
  std::map<std::string, Tested> tested;
  std::istringstream binaries(WAVESMITH_TEST_BINARIES);
  for (std::string binary; std::getline(binaries, binary, '|');) {
    const std::filesystem::path forms =
        folder / (std::filesystem::path(binary).filename().string() + ".forms");
    std::filesystem::remove(forms);
    const std::string command = fmt::format("{}='{}' '{}' > '{}.log' 2>&1", testing::kExecutedFormsVariable,
                                            forms.string(), binary, forms.string());
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    std::ifstream file(forms);
    std::string processor, mnemonic, form, how;
    while (file >> processor >> mnemonic >> form >> how) {
      bool& alone = tested[processor][{mnemonic, form}];
      alone = alone || how == "alone";
    }
  }
  return tested;
}

/// "mnemonic form form ..." for each instruction that LLVM 22 was seen to emit for gfx950; "-" for no form.
std::map<std::string, std::vector<std::string>> compiled_instructions() {
  std::map<std::string, std::vector<std::string>> result;
  std::ifstream file(WAVESMITH_TEST_MNEMONICS);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string mnemonic, form;
    words >> mnemonic;
    while (words >> form) result[mnemonic].push_back(form);
  }
  return result;
}

}  // namespace

TEST_CASE(
    "every form implemented for gfx950 is driven by a test, and every compiled instruction is implemented") {
  const std::filesystem::path report_path = WAVESMITH_TEST_COVERAGE_REPORT;
  std::filesystem::create_directories(report_path.parent_path());
  const auto tested = run_instruction_tests(report_path.parent_path());

  std::vector<std::string> alone, in_sequence, untested, others;
  std::set<std::string> implemented;
  std::set<std::pair<std::string, std::string>> forms_of_gfx950;
  for (const ImplementedForm& f : implemented_forms("gfx950")) {
    implemented.insert(f.mnemonic);
    forms_of_gfx950.emplace(f.mnemonic, f.form);
    const Tested& here = tested.at("gfx950");
    const auto found = here.find({f.mnemonic, f.form});
    (found == here.end() ? untested
     : found->second     ? alone
                         : in_sequence)
        .push_back(fmt::format("{} {}", f.mnemonic, f.form));
  }
  for (const char* processor : {"gfx942", "gfx1030", "gfx1100", "gfx1151", "gfx1201"}) {
    const auto all = implemented_forms(processor);
    const auto here = tested.find(processor);
    const auto count = here == tested.end() ? 0 : std::ranges::count_if(all, [&](const ImplementedForm& f) {
      return here->second.contains({f.mnemonic, f.form});
    });
    others.push_back(fmt::format("{}: {} of {}", processor, count, all.size()));
  }
  std::vector<std::string> missing, forms_missing;
  const auto compiled = compiled_instructions();
  for (const auto& [mnemonic, forms] : compiled) {
    if (!implemented.contains(mnemonic)) {
      missing.push_back(mnemonic);
      continue;
    }
    for (const std::string& form : forms) {
      if (form != "-" && !forms_of_gfx950.contains({mnemonic, form}) &&
          !forms_of_gfx950.contains({mnemonic, "plain"}))
        forms_missing.push_back(fmt::format("{} {}", mnemonic, form));
    }
  }
  std::string reviewed;
  for (const Review& review : left_out()) {
    INFO("left out, but implemented: " << review.mnemonic);
    CHECK(!implemented.contains(review.mnemonic));
    std::erase(missing, review.mnemonic);
    reviewed += fmt::format("{}: {}\n", review.mnemonic, review.reason);
  }

  const std::string counts = fmt::format(
      "gfx950: {} forms of {} instructions implemented; {} driven alone, {} in a sequence, {} untested\n"
      "instructions seen in compiled code: {}, not implemented: {}\nother processors, forms driven: {}\n",
      forms_of_gfx950.size(), implemented.size(), alone.size(), in_sequence.size(), untested.size(),
      compiled.size(), missing.size(), fmt::join(others, ", "));
  const auto section = [](std::string_view title, const std::vector<std::string>& lines) {
    return fmt::format("\n{} ({}):\n  {}\n", title, lines.size(), fmt::join(lines, "\n  "));
  };
  std::ofstream(report_path) << counts << section("untested", untested) << section("not implemented", missing)
                             << section("in a sequence", in_sequence) << section("driven alone", alone)
                             << "\nleft out on purpose:\n"
                             << reviewed;
  fmt::print("{}", counts);
  INFO("the report is " << report_path.string());
  for (const std::string& form : untested) UNSCOPED_INFO("untested: " << form);
  for (const std::string& name : missing) UNSCOPED_INFO("not implemented: " << name);
  for (const std::string& name : forms_missing) UNSCOPED_INFO("form not implemented: " << name);
  // Control flow, waits, and what needs an address or M0 prepared can only be seen in a sequence; arithmetic
  // cannot hide there.
  for (const std::string& form : in_sequence) {
    INFO("never alone in a snippet: " << form);
    CHECK(!form.starts_with("v_"));
  }
  CHECK(untested.empty());
  CHECK(missing.empty());
  CHECK(forms_missing.empty());
  CHECK(forms_of_gfx950.size() > 1000);  // the lists are there
  CHECK(compiled.size() > 200);
}
