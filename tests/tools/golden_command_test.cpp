// `wavesmith golden` with the committed golden file and with planted faults in copies of it.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;

namespace fs = std::filesystem;

namespace {

const std::string committed_folder = WAVESMITH_SOURCE "/golden";
const std::string some_case = "attention-dense/gfx950/d64_bf16_causal_q32_kv8";

std::string committed() {
  return read_file(fs::path(committed_folder) / "ir_sha256.json");
}

// A golden folder with a changed copy of the committed file.
class Planted {
 public:
  explicit Planted(const std::string& text) { write_file(folder_ / "ir_sha256.json", text); }
  template <class Change>
    requires std::is_invocable_v<Change, nlohmann::json&>
  explicit Planted(Change&& change) {
    nlohmann::json json = nlohmann::json::parse(committed());
    change(json);
    write_file(folder_ / "ir_sha256.json", json.dump(2) + "\n");
  }
  // These are about text, and the folder is in no repository.
  [[nodiscard]] Outcome golden(const std::string& command, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"golden", command, "--dir", folder_.path().string(), "--no-resources"};
    if (command == "bless") words.emplace_back("--no-base");
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  // The document of a check that has to fail.
  [[nodiscard]] nlohmann::json red() const {
    CHECK(golden("check").status == 1);
    const Outcome outcome = golden("check", {"--json"});
    CHECK(outcome.status == 1);
    auto json = document(outcome.out);
    CHECK(json["ok"] == false);
    return json;
  }
  [[nodiscard]] fs::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

nlohmann::json& cases(nlohmann::json& json) {
  return json["flavours"]["llvm22"]["cases"];
}

// Of all flavours.
std::size_t entries(const nlohmann::json& json) {
  std::size_t count = 0;
  for (const auto& [flavour, section] : json["flavours"].items()) count += section["cases"].size();
  return count;
}

}  // namespace

// In every preset: what g++ and clang build, optimised and sanitized, emits the same bytes.
TEST_CASE("the committed goldens are what this build emits and compiles") {
  const Outcome outcome = cli({"golden", "check", "--json", "--dir", committed_folder});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  const auto json = document(outcome.out);
  CHECK(json["ok"] == true);
  const auto golden = nlohmann::json::parse(committed());
  CHECK(json["checked"] == entries(golden));
  CHECK(json["checked"] >= 4 * 30);
  for (const std::string key : {"drifted", "missing", "unexpected", "unread"}) CHECK(json[key].empty());
  // The LLVM of this build is compared with, or named as not checked.
  const auto& resources = json["resources"];
  CHECK(resources["compilers"].size() + resources["not_checked"].size() >= 1);
  for (const auto& compiler : resources["compilers"]) {
    CHECK(compiler["checked"] == golden["flavours"]["llvm22"]["cases"].size());
    CHECK(compiler["missing"].empty());
  }
}

TEST_CASE("golden finds the golden folder from within the sources") {
  const fs::path inside = fs::path(WAVESMITH_SOURCE) / "golden";
  CHECK(cli({"golden", "check", "--no-resources"}, WAVESMITH_SOURCE).status == 0);
  CHECK(cli({"golden", "check", "--no-resources"}, inside).status == 0);
  const TemporaryFolder elsewhere;
  CHECK(cli({"golden", "check"}, elsewhere.path()).status == 2);
  CHECK(cli({"golden", "check", "--dir", elsewhere.path().string()}).status == 2);
  CHECK(cli({"golden", "check", "--dir", elsewhere / "nosuch"}).status == 2);
}

TEST_CASE("one changed hash is drift of that case, with both hashes") {
  const std::string wrong(64, 'a');
  const Planted planted([&](nlohmann::json& json) { cases(json)[some_case]["sha256"] = wrong; });
  const auto json = planted.red();
  REQUIRE(json["drifted"].size() == 1);
  CHECK(json["drifted"][0]["case"] == some_case);
  CHECK(json["drifted"][0]["flavour"] == "llvm22");
  CHECK(json["drifted"][0]["golden"]["sha256"] == wrong);
  nlohmann::json original = nlohmann::json::parse(committed());
  CHECK(json["drifted"][0]["emitted"] == cases(original)[some_case]);
  CHECK(json["checked"] == entries(original));
  CHECK(json["missing"].empty());
  CHECK(planted.golden("check").out.find(some_case) != std::string::npos);
}

TEST_CASE("a changed symbol or length is drift too") {
  CHECK(Planted([](nlohmann::json& json) { cases(json)[some_case]["symbol"] = "other"; })
            .red()["drifted"]
            .size() == 1);
  CHECK(Planted([](nlohmann::json& json) { cases(json)[some_case]["bytes"] = 1; }).red()["drifted"].size() ==
        1);
}

TEST_CASE("a case that the file lacks is missing, one that the build lacks unexpected") {
  const auto lacking = Planted([](nlohmann::json& json) { cases(json).erase(some_case); }).red();
  REQUIRE(lacking["missing"].size() == 1);
  CHECK(lacking["missing"][0]["case"] == some_case);
  CHECK(lacking["unexpected"].empty());

  const auto more = Planted([](nlohmann::json& json) {
                      cases(json)["attention-dense/gfx950/gone"] = cases(json)[some_case];
                    }).red();
  REQUIRE(more["unexpected"].size() == 1);
  CHECK(more["unexpected"][0]["case"] == "attention-dense/gfx950/gone");
  CHECK(more["missing"].empty());
}

TEST_CASE("a flavour that this build does not know is unexpected in every case") {
  const Planted planted(
      [](nlohmann::json& json) { json["flavours"]["llvm19"] = json["flavours"]["llvm22"]; });
  const auto json = planted.red();
  nlohmann::json original = nlohmann::json::parse(committed());
  CHECK(json["unexpected"].size() == cases(original).size());
  for (const auto& one : json["unexpected"]) CHECK(one["flavour"] == "llvm19");
  const Planted without_case(
      [](nlohmann::json& file) { file["flavours"]["llvm19"]["cases"] = nlohmann::json::object(); });
  CHECK(without_case.red()["unexpected"].size() == 1);
}

TEST_CASE("comparing nothing is a failure") {
  const auto empty = Planted([](nlohmann::json& json) { json["flavours"] = nlohmann::json::object(); }).red();
  CHECK(empty["checked"] == 0);
  const auto no_cases = Planted([](nlohmann::json& json) {
                          for (auto& [flavour, section] : json["flavours"].items()) section["cases"].clear();
                        }).red();
  CHECK(no_cases["checked"] == 0);
}

TEST_CASE("a file that is no golden file fails the check") {
  const std::string twice = R"({"schema": "wavesmith.golden.ir/1", "flavours": {}, "flavours": {}})";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), twice, std::string(R"({"flavours": {}})"),
        std::string(R"({"schema": "other/1", "flavours": {}})")}) {
    INFO(text);
    const auto json = Planted(text).red();
    CHECK(json["kind"] == "check_failed");
  }
}

TEST_CASE("a golden file that no check reads is a failure") {
  const Planted planted(committed());
  CHECK(planted.golden("check").status == 0);
  write_file(planted / "old_hashes.json", "{}");
  CHECK(planted.red()["unread"] == nlohmann::json{"old_hashes.json"});
  const Outcome bless = planted.golden("bless");
  CHECK(bless.status == 1);
  CHECK(bless.err.find("old_hashes.json") != std::string::npos);
}

TEST_CASE("bless writes only with --yes, and then the committed bytes") {
  const TemporaryFolder folder;
  const std::vector<std::string> words{"golden",    "bless",         "--dir", folder.path().string(),
                                       "--no-base", "--no-resources"};
  const Outcome shown = cli(words);
  CHECK(shown.status == 1);
  CHECK(shown.out.find("--yes") != std::string::npos);
  CHECK(fs::is_empty(folder.path()));

  std::vector<std::string> yes = words;
  yes.push_back("--yes");
  CHECK(cli(yes).status == 0);
  CHECK(read_file(folder / "ir_sha256.json") == committed());
  // Again: nothing moves.
  const Outcome again = cli(words);
  CHECK(again.status == 0);
  CHECK(again.out.find("nothing to bless") != std::string::npos);
}

TEST_CASE("bless says which cases move, how many stay and what the moved ones share") {
  const std::string wrong(64, 'b');
  const Planted planted([&](nlohmann::json& json) {
    for (auto& [id, entry] : cases(json).items())
      if (id.find("/d64_fp16_") != std::string::npos) entry["sha256"] = wrong;
  });
  const std::size_t all = nlohmann::json::parse(committed())["flavours"]["llvm22"]["cases"].size();
  const Outcome outcome = planted.golden("bless", {"--json"});
  CHECK(outcome.status == 1);
  const auto json = document(outcome.out);
  CHECK(json["written"] == false);
  CHECK(json["added"].empty());
  CHECK(json["moved"].size() > 5);
  for (const auto& moved : json["moved"]) {
    CHECK(std::string(moved["case"]).find("/d64_fp16_") != std::string::npos);
    CHECK(moved["flavours"] == nlohmann::json{"llvm22"});
  }
  CHECK(json["moved"].size() + json["unmoved_cases"].get<std::size_t>() == all);
  std::vector<std::string> shared;
  for (const auto& field : json["common_fields"])
    shared.push_back(std::string(field["field"]) + "=" + std::string(field["value"]));
  CHECK(std::ranges::count(shared, "head_size=64") == 1);
  CHECK(std::ranges::count(shared, "dtype=fp16") == 1);
  CHECK(std::ranges::count(shared, "mask=causal") == 0);
  CHECK(read_file(planted / "ir_sha256.json").find(wrong) != std::string::npos);

  CHECK(planted.golden("bless", {"--yes"}).status == 0);
  CHECK(read_file(planted / "ir_sha256.json") == committed());
}

TEST_CASE("bless does not replace a file that is no golden file") {
  const Planted planted(std::string("<<<<<<< ours"));
  CHECK(planted.golden("bless", {"--yes"}).status == 1);
  CHECK(read_file(planted / "ir_sha256.json") == "<<<<<<< ours");
}

TEST_CASE("list names every case with its symbol") {
  const Outcome outcome = cli({"golden", "list"});
  CHECK(outcome.status == 0);
  nlohmann::json original = nlohmann::json::parse(committed());
  for (const auto& [id, entry] : cases(original).items()) {
    CHECK(outcome.out.find(id) != std::string::npos);
    CHECK(outcome.out.find(std::string(entry["symbol"])) != std::string::npos);
  }
  const auto json = document(cli({"golden", "list", "--json"}).out);
  CHECK(json["cases"].size() == cases(original).size());
  for (const auto& listed : json["cases"])
    CHECK(listed["flavours"]["llvm22"] == cases(original)[std::string(listed["case"])]);
}
