// JUnit and Markdown of the `golden` commands, read by other programs, and the golden file of resources.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::run;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;
using wavesmith::test::operator+;

namespace {

using Words = std::vector<std::string>;

const std::string committed_folder = WAVESMITH_SOURCE "/golden";
const std::string some_case = "attention-dense/gfx950/d64_bf16_causal_q32_kv8";

nlohmann::json committed(const std::string& name) {
  return nlohmann::json::parse(read_file(committed_folder + "/" + name));
}

// What Python's XML parser makes of a file: {suites: [{name, tests, failures, skipped, cases: [{name,
// outcome, message}]}]}.
nlohmann::json parsed_xml(const std::filesystem::path& file) {
  const std::string script = R"(
import json, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == 'testsuites'
def case(e):
    outcome = next((c for c in e if c.tag in ('failure', 'skipped')), None)
    return {'name': e.get('name'), 'outcome': 'passed' if outcome is None else outcome.tag,
            'message': '' if outcome is None else outcome.get('message')}
print(json.dumps({'tests': int(root.get('tests')), 'failures': int(root.get('failures')),
    'suites': [{'name': s.get('name'), 'tests': int(s.get('tests')), 'failures': int(s.get('failures')),
                'skipped': int(s.get('skipped')), 'cases': [case(e) for e in s]} for s in root]}))
)";
  const Outcome outcome = run({"python3", "-c", script, file.string()});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return document(outcome.out);
}

const nlohmann::json& suite(const nlohmann::json& xml, const std::string& name) {
  const auto found =
      std::ranges::find_if(xml["suites"], [&](const auto& one) { return one["name"] == name; });
  REQUIRE(found != xml["suites"].end());
  return *found;
}

}  // namespace

TEST_CASE("JUnit of a check has one test for each case and flavour, and agrees with the check") {
  const TemporaryFolder folder;
  auto json = committed("ir_sha256.json");
  json["flavours"]["llvm22"]["cases"][some_case]["sha256"] = std::string(64, 'a');
  write_file(folder / "ir_sha256.json", json.dump(2) + "\n");
  const Outcome outcome = cli({"golden", "check", "--no-resources", "--dir", folder.path().string(),
                               "--junit", folder / "out.xml", "--json"});
  CHECK(outcome.status == 1);
  const auto xml = parsed_xml(folder / "out.xml");
  for (const auto& [flavour, section] : json["flavours"].items()) {
    const auto& tests = suite(xml, flavour);
    CHECK(tests["tests"] == section["cases"].size());
    CHECK(tests["cases"].size() == section["cases"].size());
    CHECK(tests["failures"] == (flavour == "llvm22" ? 1 : 0));
    for (const auto& one : tests["cases"]) {
      CHECK(section["cases"].contains(std::string(one["name"])));
      const bool changed = flavour == "llvm22" && one["name"] == some_case;
      CHECK(one["outcome"] == (changed ? "failure" : "passed"));
      if (changed) CHECK(std::string(one["message"]).starts_with(std::string(64, 'a') + " -> "));
    }
  }
  CHECK(suite(xml, "resources not checked")["skipped"] == 1);
}

TEST_CASE("JUnit is well-formed and keeps apart what golden files and file names hold") {
  const TemporaryFolder folder;
  auto json = committed("ir_sha256.json");
  auto& cases = json["flavours"]["llvm22"]["cases"];
  const std::vector<std::string> names{
      "a<b>&\"c'",    "]]>",          "line\nend\ttab\rcr", std::string("nul\0", 4),
      "\x01\x1b[31m", "\xef\xbf\xbe", "\xf0\x9f\x98\x80",   "a|b`c``d"};
  for (const std::string& name : names) cases[name] = cases[some_case];
  write_file(folder / "ir_sha256.json", json.dump(2) + "\n");
  write_file(folder / "no\xff\xfeutf8<.json", "{}");
  const Outcome outcome = cli({"golden", "check", "--no-resources", "--dir", folder.path().string(),
                               "--junit", folder / "out.xml", "--markdown", folder / "out.md"});
  CHECK(outcome.status == 1);
  const auto xml = parsed_xml(folder / "out.xml");
  std::vector<std::string> failed;
  for (const auto& one : suite(xml, "llvm22")["cases"])
    if (one["outcome"] == "failure") failed.push_back(one["name"]);
  std::ranges::sort(failed);
  std::vector<std::string> expected{
      "a<b>&\"c'",        "]]>",     "line\nend\ttab\rcr", "nul\\x00", "\\x01\\x1b[31m", "\\xef\\xbf\\xbe",
      "\xf0\x9f\x98\x80", "a|b`c``d"};
  std::ranges::sort(expected);
  CHECK(failed == expected);
  CHECK(suite(xml, "golden files")["cases"][0]["name"] == "no\\xff\\xfeutf8<.json");

  // Every row of a table in the Markdown has as many cells as its head, whatever stands in them.
  const std::string markdown = read_file(folder / "out.md");
  CHECK(markdown.find("```` a\\|b`c``d ````") == std::string::npos);
  CHECK(markdown.find("``` a\\|b`c``d ```") != std::string::npos);
  CHECK(markdown.find('\x1b') == std::string::npos);
  std::size_t rows = 0;
  for (std::size_t at = 0; at < markdown.size(); at = markdown.find('\n', at) + 1) {
    const std::string line = markdown.substr(at, markdown.find('\n', at) - at);
    if (!line.starts_with("| `unexpected`")) continue;
    ++rows;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '|' && line[i - (i > 0)] != '\\') ++bars;
    INFO(line);
    CHECK(bars == 5);
  }
  CHECK(rows == names.size());
}

TEST_CASE("Markdown says the verdict first and goes to standard output on request") {
  const Outcome outcome =
      cli({"golden", "check", "--no-resources", "--dir", committed_folder, "--markdown", "-"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("### golden check: ok\n\ngoldens ok: "));
  CHECK(outcome.err.find("goldens ok") != std::string::npos);
  CHECK(cli({"golden", "check", "--no-resources", "--dir", committed_folder, "--markdown", "-", "--json"})
            .status == 2);
}

TEST_CASE("resources: spills, scratch, LDS and counts fail; registers fail beyond the slack and are shown") {
  auto json = committed("resources.json");
  const Outcome here = cli({"golden", "check", "--json", "--dir", committed_folder});
  const auto found = document(here.out)["resources"]["compilers"];
  if (found.empty()) SKIP("no compiler that resources.json pins is at hand");
  const std::string compiler = found[0]["compiler"];
  auto& cases = json["compilers"][compiler]["cases"];
  json["compilers"]["LLVM 1.0"] = json["compilers"][compiler];
  const std::uint64_t vgprs = json["slack"]["vgpr"];

  std::vector<std::string> ids;
  for (const auto& [id, entry] : cases.items()) ids.push_back(id);
  REQUIRE(ids.size() > 8);
  const auto shift = [&](auto& number, std::uint64_t by) {
    number = number.template get<std::uint64_t>() + by;
  };
  shift(cases[ids[0]]["vgpr"], vgprs);      // shown
  shift(cases[ids[1]]["vgpr"], vgprs + 1);  // fails
  shift(cases[ids[2]]["vgpr_spills"], 1);
  shift(cases[ids[3]]["sgpr_spills"], 1);
  shift(cases[ids[4]]["scratch_bytes"], 4);
  shift(cases[ids[5]]["lds_bytes"], 16);
  shift(cases[ids[6]]["instructions"]["v_mfma_"], 1);
  cases.erase(ids[7]);
  cases["attention-dense/gfx950/gone"] = cases[ids[8]];

  const TemporaryFolder folder;
  write_file(folder / "ir_sha256.json", read_file(committed_folder + "/ir_sha256.json"));
  write_file(folder / "resources.json", json.dump(2) + "\n");
  const Outcome outcome =
      cli({"golden", "check", "--json", "--dir", folder.path().string(), "--junit", folder / "out.xml"});
  CHECK(outcome.status == 1);
  const auto checked = document(outcome.out)["resources"];
  REQUIRE(checked["compilers"].size() == found.size());
  const auto& result = checked["compilers"][0];
  CHECK(result["ok"] == false);
  std::map<std::string, bool> fails;
  for (const auto& change : result["changes"]) {
    fails[std::string(change["case"]) + " " + std::string(change["field"])] = change["fails"];
    CHECK(change["golden"] != change["measured"]);
  }
  CHECK(fails == std::map<std::string, bool>{{ids[0] + " vgpr", false},
                                             {ids[1] + " vgpr", true},
                                             {ids[2] + " vgpr_spills", true},
                                             {ids[3] + " sgpr_spills", true},
                                             {ids[4] + " scratch_bytes", true},
                                             {ids[5] + " lds_bytes", true},
                                             {ids[6] + " instructions v_mfma_", true}});
  CHECK(result["missing"] == nlohmann::json{ids[7]});
  CHECK(result["unexpected"] == nlohmann::json{"attention-dense/gfx950/gone"});
  // A compiler that is not here is named, not passed over.
  CHECK(std::ranges::any_of(checked["not_checked"],
                            [](const auto& one) { return one["compiler"] == "LLVM 1.0"; }));
  const auto xml = parsed_xml(folder / "out.xml");
  CHECK(suite(xml, "resources by " + compiler)["failures"] == 8);

  // A bless with this compiler puts its numbers right and leaves the other's alone.
  CHECK(cli({"golden", "bless", "--no-base", "--yes", "--dir", folder.path().string()}).status == 0);
  auto expected = committed("resources.json");
  expected["compilers"]["LLVM 1.0"] = json["compilers"]["LLVM 1.0"];
  CHECK(read_file(folder / "resources.json") == expected.dump(2) + "\n");
}

TEST_CASE("a folder without resources.json fails the check, unless resources are left out") {
  const TemporaryFolder folder;
  write_file(folder / "ir_sha256.json", read_file(committed_folder + "/ir_sha256.json"));
  const Words words{"golden", "check", "--dir", folder.path().string()};
  CHECK(cli(words).status == 2);
  const Outcome without = cli(words + Words{"--no-resources"});
  CHECK(without.status == 0);
  CHECK(without.out.find("resources: not checked") != std::string::npos);
  write_file(folder / "resources.json", "{}");
  CHECK(cli(words).status == 1);
}
