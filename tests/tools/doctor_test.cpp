// `wavesmith doctor` tries what it reports.
#include <catch2/catch_test_macros.hpp>

#include "support.h"

using namespace wavesmith::test;

namespace {

using Words = std::vector<std::string>;

nlohmann::json finding(const nlohmann::json& document, const std::string& subject) {
  for (const auto& found : document["findings"])
    if (found["subject"] == subject) return found;
  FAIL("nothing about " << subject);
  return {};
}

nlohmann::json doctor(const TemporaryFolder& folder, const Words& more, int status) {
  const Outcome outcome = cli(Words{"doctor", "--json", "--cache-dir", (folder / "cache").string()} + more);
  INFO(outcome.err);
  INFO(outcome.out);
  CHECK(outcome.status == status);
  return document(outcome.out);
}

}  // namespace

TEST_CASE(
    "doctor: compiles a kernel, writes the cache, leaves no entry, and says how to get what is missing") {
  const TemporaryFolder folder;
  const auto json = doctor(folder, {}, 0);
  CHECK(json["ok"] == true);
  CHECK(finding(json, "compiler worker")["status"] == "ok");
  CHECK(finding(json, "compiler llvm")["status"] == "ok");
  CHECK(std::string(finding(json, "compiler llvm")["detail"]).starts_with("LLVM 22."));
  CHECK(finding(json, "cache")["status"] == "ok");
  CHECK(json["findings"].size() == 6);
  for (const auto& found : json["findings"]) CHECK((found["status"] == "ok") == found["remedy"].is_null());
  const auto list =
      document(cli({"cache", "list", "--json", "--cache-dir", (folder / "cache").string()}).out);
  CHECK(list["bytes"] == 0);
  CHECK(std::filesystem::exists(folder / "cache"));
}

TEST_CASE("doctor: what should work and does not is status 4, and the rest is tried all the same") {
  const TemporaryFolder folder;
  const auto dying = doctor(folder, {"--worker", WAVESMITH_DYING_WORKER}, 4);
  CHECK(dying["ok"] == false);
  CHECK(finding(dying, "compiler worker")["status"] == "ok");
  CHECK(finding(dying, "compiler llvm")["status"] == "broken");
  CHECK(finding(dying, "cache")["status"] == "ok");
  CHECK(finding(doctor(folder, {"--worker", "/nonexistent"}, 4), "compiler worker")["status"] == "broken");
  CHECK(finding(doctor(folder, {"--comgr", "/nonexistent"}, 4), "compiler comgr")["status"] == "broken");
  const auto hip = doctor(folder, {"--hip", "/nonexistent"}, 4);
  CHECK(finding(hip, "HIP runtime")["status"] == "broken");
  CHECK(finding(hip, "GPU")["status"] == "missing");
  // A library without HIP's functions is no HIP runtime that could be used.
  CHECK(std::string(finding(doctor(folder, {"--hip", "libc.so.6"}, 0), "GPU")["detail"]).find("lacks") !=
        std::string::npos);

  std::filesystem::remove_all(folder / "cache");
  write_file(folder / "cache", "a file where the folder should be");
  const auto unwritable = doctor(folder, {}, 4);
  CHECK(finding(unwritable, "cache")["status"] == "broken");
}
