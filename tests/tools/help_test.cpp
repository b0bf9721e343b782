// Help, examples and the list of what this build can do.
#include <algorithm>
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::shell;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;

namespace {

using Words = std::vector<std::string>;

const std::vector<Words> commands{{},
                                  {"emit"},
                                  {"compile"},
                                  {"inspect"},
                                  {"verify"},
                                  {"simulate"},
                                  {"list"},
                                  {"golden"},
                                  {"golden", "check"},
                                  {"golden", "bless"},
                                  {"golden", "diff"},
                                  {"golden", "list"},
                                  {"cache"},
                                  {"cache", "list"},
                                  {"cache", "verify"},
                                  {"cache", "prune"},
                                  {"cache", "clear"},
                                  {"cache", "warm"},
                                  {"cache", "export"},
                                  {"cache", "import"},
                                  {"doctor"}};

// golden_base_test.cpp has the repository that these need, and runs their examples.
bool needs_repository(const Words& words) {
  return words == Words{"golden", "bless", "--help"} || words == Words{"golden", "diff", "--help"};
}

std::vector<std::string> examples(const std::string& help) {
  std::istringstream lines(help);
  std::vector<std::string> found;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Example:" || line == "Examples:")
      inside = true;
    else if (!line.starts_with("  "))
      inside = false;
    else if (inside)
      found.push_back(line.substr(2));
  }
  return found;
}

}  // namespace

TEST_CASE("every example in the help works as printed") {
  for (Words words : commands) {
    words.emplace_back("--help");
    const Outcome help = cli(words);
    INFO(help.out);
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    const std::vector<std::string> lines = examples(help.out);
    REQUIRE_FALSE(lines.empty());
    if (needs_repository(words)) continue;
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "golden");
    write_file(folder / "golden/ir_sha256.json", read_file(WAVESMITH_SOURCE "/golden/ir_sha256.json"));
    // Of no compiler, so that none has to compile all cases for each example.
    write_file(folder / "golden/resources.json",
               R"({"compilers": {}, "schema": "wavesmith.golden.resources/1",
                   "slack": {"agpr": 0, "sgpr": 0, "vgpr": 0}})");
    for (const std::string& line : lines) {
      INFO(line);
      const Outcome outcome = shell(line, folder.path());
      INFO(outcome.err);
      CHECK(outcome.status == 0);
      CHECK_FALSE(outcome.out.empty());
      const Outcome as_json = shell(line + " --json", folder.path());
      CHECK(as_json.status == 0);
      CHECK(as_json.err.empty());
      CHECK_FALSE(document(as_json.out).empty());
    }
  }
}

TEST_CASE("help has no overlong lines and no trailing blanks") {
  for (Words words : commands) {
    words.emplace_back("-h");
    std::istringstream lines(cli(words).out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK_FALSE(line.ends_with(' '));
      CHECK((line.size() <= 110 || line.starts_with("  wavesmith ")));
    }
  }
}

TEST_CASE("every spec field that list prints is an option of emit and compile") {
  const auto json = document(cli({"list", "--json"}).out);
  REQUIRE(json["families"].size() >= 1);
  for (const auto& family : json["families"]) {
    REQUIRE(family["fields"].size() > 10);
    for (const std::string command : {"emit", "compile"}) {
      const std::string help = cli({command, std::string(family["name"]), "--help"}).out;
      for (const auto& field : family["fields"]) {
        std::string option = field["name"];
        std::ranges::replace(option, '_', '-');
        const std::string spelled = (field["type"] == "flag" ? "  --[no-]" : "  --") + option + " ";
        INFO(spelled);
        CHECK(help.find(spelled) != std::string::npos);
      }
    }
  }
}

TEST_CASE("list names families, targets, flavours and the compilers found") {
  const Outcome outcome = cli({"list"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const std::string part :
       {"attention-dense", "gfx950", "llvm22", "head_size", "0 to 64, a multiple of 8"})
    CHECK(outcome.out.find(part) != std::string::npos);
  const auto json = document(cli({"list", "--json"}).out);
  const auto& compilers = json["compilers"];
  const auto llvm =
      std::ranges::find_if(compilers, [](const auto& compiler) { return compiler["name"] == "llvm"; });
  REQUIRE(llvm != compilers.end());
  CHECK((*llvm)["found"] == true);
  CHECK(std::string((*llvm)["identity"]).starts_with("LLVM 22."));
}

TEST_CASE("the version is printed") {
  CHECK(cli({"--version"}).out == "wavesmith " WAVESMITH_VERSION "\n");
}
