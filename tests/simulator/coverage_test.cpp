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

/// What of a processor's forms the tests drove.
struct Coverage {
  std::string processor;
  std::set<std::string> instructions;
  std::set<std::pair<std::string, std::string>> forms;
  std::vector<std::string> alone, in_sequence, untested;

  std::string counts() const {
    return fmt::format(
        "{}: {} forms of {} instructions implemented; {} driven alone, {} in a sequence, {} untested\n",
        processor, forms.size(), instructions.size(), alone.size(), in_sequence.size(), untested.size());
  }
};

Coverage coverage_of(const std::string& processor, const std::map<std::string, Tested>& tested) {
  Coverage coverage;
  coverage.processor = processor;
  const Tested& here = tested.at(processor);
  for (const ImplementedForm& f : implemented_forms(processor)) {
    coverage.instructions.insert(f.mnemonic);
    coverage.forms.emplace(f.mnemonic, f.form);
    const auto found = here.find({f.mnemonic, f.form});
    (found == here.end() ? coverage.untested
     : found->second     ? coverage.alone
                         : coverage.in_sequence)
        .push_back(fmt::format("{} {}", f.mnemonic, f.form));
  }
  return coverage;
}

std::string section(const std::string& title, const std::vector<std::string>& lines) {
  return fmt::format("\n{} ({}):\n  {}\n", title, lines.size(), fmt::join(lines, "\n  "));
}

void check_driven(const Coverage& coverage) {
  for (const std::string& form : coverage.untested)
    UNSCOPED_INFO("untested on " << coverage.processor << ": " << form);
  CHECK(coverage.untested.empty());
  CHECK(coverage.forms.size() > 1000);  // the list is there
  // Control flow, waits, and what needs an address or M0 prepared can only be seen in a sequence; arithmetic
  // cannot hide there.
  for (const std::string& form : coverage.in_sequence) {
    INFO("never alone in a snippet for " << coverage.processor << ": " << form);
    CHECK(!form.starts_with("v_"));
  }
}

}  // namespace

TEST_CASE(
    "every form implemented for gfx950 and gfx942 is driven by a test, and every compiled instruction is "
    "implemented") {
  const std::filesystem::path report_path = WAVESMITH_TEST_COVERAGE_REPORT;
  std::filesystem::create_directories(report_path.parent_path());
  const auto tested = run_instruction_tests(report_path.parent_path());

  const Coverage gfx950 = coverage_of("gfx950", tested), gfx942 = coverage_of("gfx942", tested);
  std::vector<std::string> others;
  for (const char* processor : {"gfx1030", "gfx1100", "gfx1151", "gfx1201"}) {
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
    if (!gfx950.instructions.contains(mnemonic)) {
      missing.push_back(mnemonic);
      continue;
    }
    for (const std::string& form : forms) {
      if (form != "-" && !gfx950.forms.contains({mnemonic, form}) &&
          !gfx950.forms.contains({mnemonic, "plain"}))
        forms_missing.push_back(fmt::format("{} {}", mnemonic, form));
    }
  }
  std::string reviewed;
  for (const Review& review : left_out()) {
    INFO("left out, but implemented: " << review.mnemonic);
    CHECK(!gfx950.instructions.contains(review.mnemonic));
    std::erase(missing, review.mnemonic);
    reviewed += fmt::format("{}: {}\n", review.mnemonic, review.reason);
  }

  const std::string counts = fmt::format(
      "{}{}instructions seen in compiled code: {}, not implemented: {}\nother processors, forms driven: {}\n",
      gfx950.counts(), gfx942.counts(), compiled.size(), missing.size(), fmt::join(others, ", "));
  std::ofstream report(report_path);
  report << counts << section("not implemented", missing);
  for (const Coverage* one : {&gfx950, &gfx942})
    report << section(one->processor + " untested", one->untested)
           << section(one->processor + " in a sequence", one->in_sequence)
           << section(one->processor + " driven alone", one->alone);
  report << "\nleft out on purpose:\n" << reviewed;
  fmt::print("{}", counts);
  INFO("the report is " << report_path.string());
  for (const std::string& name : missing) UNSCOPED_INFO("not implemented: " << name);
  for (const std::string& name : forms_missing) UNSCOPED_INFO("form not implemented: " << name);
  CHECK(missing.empty());
  CHECK(forms_missing.empty());
  CHECK(compiled.size() > 200);
  check_driven(gfx950);
  check_driven(gfx942);
}
