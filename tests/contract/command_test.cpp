// `wavesmith contract`, run as a user runs it.
#include <filesystem>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/support.h"

using namespace wavesmith::test;

namespace {

const std::filesystem::path source = WAVESMITH_SOURCE;
const std::vector<std::string> one_case{"contract", "attention-dense",
                                        "--case",   "d64_bf16_causal_q32_kv8_lse",
                                        "--dir",    (source / "golden").string()};

bool last_line_is(const std::string& text, const std::string& line) {
  return text == line + "\n" || text.ends_with("\n" + line + "\n");
}

/// A golden folder whose record of the case says something else.
void write_changed_goldens(const std::filesystem::path& folder, const std::string& field,
                           std::uint64_t value) {
  std::filesystem::create_directory(folder);
  for (const char* name : {"ir_sha256.json", "resources.json"})
    std::filesystem::copy_file(source / "golden" / name, folder / name,
                               std::filesystem::copy_options::overwrite_existing);
  auto recorded = nlohmann::json::parse(read_file(folder / "resources.json"));
  for (auto& compiler : recorded["compilers"])
    compiler["cases"]["attention-dense/gfx950/d64_bf16_causal_q32_kv8_lse"][field] = value;
  write_file(folder / "resources.json", recorded.dump(2) + "\n");
}

}  // namespace

TEST_CASE("contract command: the last line is the summary, and the document has its keys") {
  const auto words = one_case + std::vector<std::string>{"--gate", "resolves"};
  const Outcome text = cli(words);
  CHECK(text.status == 0);
  CHECK(last_line_is(
      text.out,
      "SUMMARY gfx950: 1 kernels, 1 pass, 0 fail; 0 findings, 0 allowed, 0 new; 0 controls, 0 red as "
      "planted, 0 missed"));

  TemporaryFolder folder;
  const Outcome json =
      cli(words + std::vector<std::string>{"--json", "--junit", (folder / "c.xml").string()});
  CHECK(json.status == 0);
  const auto result = document(json.out);
  CHECK(result["ok"] == true);
  for (const char* key : {"targets", "cases", "controls", "uncovered", "stale"})
    CHECK(result[key].is_array());
  const auto& target = result["targets"][0];
  for (const char* key : {"target", "ok", "kernels", "pass", "fail", "findings", "controls", "summary"})
    CHECK(target.contains(key));
  CHECK(target["findings"]["allowed"] == 0);
  CHECK(target["controls"]["missed"] == 0);
  const auto& one = result["cases"][0];
  CHECK(one["case"] == "attention-dense/gfx950/d64_bf16_causal_q32_kv8_lse");
  CHECK(one["gates"]["resolves"] == "pass");
  CHECK(one["gates"]["values"].is_null());
  CHECK(one["problems"].empty());
  CHECK(read_file(folder / "c.xml").contains("d64_bf16_causal_q32_kv8_lse"));
}

TEST_CASE("contract command: what is asked for wrongly is refused at once") {
  const Outcome outcome =
      cli({"contract", "attention-sparse", "--case", "no such case", "--gate", "speed", "--jobs", "0"});
  CHECK(outcome.status == 2);
  for (const char* field : {"family = attention-sparse", "case = no such case", "gate = speed", "jobs = 0"})
    CHECK(outcome.err.contains(field));
}

TEST_CASE("contract command: an allow-list is read strictly, and what it has too much is told") {
  TemporaryFolder folder;
  const auto with_list = [&](const std::string& id) {
    write_file(
        folder / "list.json",
        R"({"findings": [{"case": ")" + id +
            R"(", "finding": "warning", "reason": "planted"}], "schema": "wavesmith.contract.allow/1"})");
    return cli(one_case + std::vector<std::string>{"--gate", "resolves", "--allow-list",
                                                   (folder / "list.json").string()});
  };
  const Outcome stale = with_list("attention-dense/gfx950/d64_bf16_causal_q32_kv8_lse");
  CHECK(stale.status == 0);
  CHECK(stale.out.contains(
      "stale in the allow-list: warning of attention-dense/gfx950/d64_bf16_causal_q32_kv8_lse"));
  const Outcome unknown = with_list("attention-dense/gfx950/nothing");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.contains("there is no case attention-dense/gfx950/nothing"));
}

TEST_CASE(
    "contract: what --limits would ignore is refused, and a machine that cannot compile is no verdict") {
  const Outcome ignored =
      cli(one_case + std::vector<std::string>{"--limits", "--gate", "values", "--allow-list", "list.json"});
  CHECK(ignored.status == 2);
  CHECK(ignored.err.contains("gate = given is refused"));
  CHECK(ignored.err.contains("allow_list = given is refused"));
  const Outcome no_worker =
      cli(one_case + std::vector<std::string>{"--gate", "values", "--worker", "/bin/false"});
  CHECK(no_worker.status == 4);
}

TEST_CASE("contract command: limits show base and now, and only a broken limit fails") {
  TemporaryFolder folder;
  const std::vector<std::string> words{"contract",
                                       "attention-dense",
                                       "--limits",
                                       "--case",
                                       "d64_bf16_causal_q32_kv8_lse",
                                       "--compiler",
                                       "llvm",
                                       "--dir"};
  const Outcome same = cli(words + std::vector<std::string>{(source / "golden").string()});
  CHECK(same.status == 0);
  CHECK(same.out.contains("problems: 0 at base, 0 now; 0 numbers differ, 0 not recorded"));

  write_changed_goldens(folder / "golden", "vgpr", 77);
  const auto changed = words + std::vector<std::string>{(folder / "golden").string()};
  const Outcome drift = cli(changed);
  CHECK(drift.status == 0);
  CHECK(drift.out.contains("vgpr: 77 at base, "));
  CHECK(drift.out.contains("1 numbers differ"));
  const auto result = document(cli(changed + std::vector<std::string>{"--json"}).out);
  CHECK(result["ok"] == true);
  CHECK(result["limits"][0]["drift"][0]["base"] == 77);
  CHECK(result["limits"][0]["problems"]["now"].empty());

  // A record with spills is a problem of the past.
  write_changed_goldens(folder / "golden", "vgpr_spills", 3);
  const Outcome mended = cli(changed);
  CHECK(mended.status == 0);
  CHECK(mended.out.contains("problems: 1 at base, 0 now"));
}
