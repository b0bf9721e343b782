// `wavesmith cache …`: the cache on disk by its commands.
#include <algorithm>
#include <filesystem>

#include <catch2/catch_test_macros.hpp>

#include "support.h"

using namespace wavesmith::test;

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// A kernel that compiles fast; `heads` tells them apart.
Words small_kernel(int heads) {
  const std::string count = std::to_string(heads);
  return {"attention-dense",
          "--head-size",
          "64",
          "--num-query-heads",
          count,
          "--num-kv-heads",
          count,
          "--mask",
          "full",
          "--block-m",
          "128",
          "--block-n",
          "32"};
}

Words warm(const Words& kernel, const TemporaryFolder& folder) {
  return Words{"cache", "warm"} + kernel +
         Words{"--compiler", "llvm", "--cache-dir", (folder / "cache").string()};
}

/// A cache command on the folder's cache.
Words on_cache(const Words& words, const TemporaryFolder& folder) {
  return Words{"cache"} + words + Words{"--cache-dir", (folder / "cache").string()};
}

nlohmann::json as_json(const Words& words, int status = 0) {
  const Outcome outcome = cli(words + Words{"--json"});
  INFO(outcome.err);
  CHECK(outcome.status == status);
  return document(outcome.out);
}

fs::path only_file(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  REQUIRE(files.size() == 1);
  return files.front();
}

void flip(const fs::path& path, std::size_t at) {
  std::string bytes = read_file(path);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
  write_file(path, bytes);
}

}  // namespace

TEST_CASE("cache: warm compiles once, list shows what is there and how to ask for it again") {
  const TemporaryFolder folder;
  const auto first = as_json(warm(small_kernel(4), folder));
  CHECK(first["compiled"] == 1);
  CHECK(first["known"] == 0);
  const auto second = as_json(warm(small_kernel(4), folder));
  CHECK(second["compiled"] == 0);
  CHECK(second["known"] == 1);
  CHECK(second["kernels"] == first["kernels"]);

  const auto list = as_json(on_cache({"list"}, folder));
  REQUIRE(list["kernels"].size() == 1);
  const auto& kernel = list["kernels"][0];
  CHECK(kernel["key"] == first["kernels"][0]["key"]);
  CHECK(list["code_objects"] == 1);
  const Outcome text = cli(on_cache({"list"}, folder));
  CHECK(text.out.find(std::string(kernel["symbol"])) != std::string::npos);

  // `compile` gives the same code object, from the spec that list prints.
  write_file(folder / "spec.json", kernel["spec"].dump());
  const auto compiled = as_json({"compile", "attention-dense", "--spec", (folder / "spec.json").string(),
                                 "--compiler", "llvm", "-o", (folder / "k.hsaco").string()});
  CHECK(compiled["ir_sha256"] == kernel["ir_sha256"]);
  CHECK(read_file(only_file(folder / "cache/objects")).find(read_file(folder / "k.hsaco")) !=
        std::string::npos);
}

TEST_CASE("cache: warm takes a list of specs, and refuses what is wrong in any of them at once") {
  const TemporaryFolder folder;
  const std::string path = (folder / "list.json").string();
  write_file(path, R"([{"num_query_heads": 2, "num_kv_heads": 1}, {"lse": true}, {"lse": true}])");
  const Words words = warm(small_kernel(3), folder) + Words{"--list", path};
  const auto warmed = as_json(words);
  CHECK(warmed["compiled"] == 2);
  REQUIRE(warmed["kernels"].size() == 3);
  CHECK(warmed["kernels"][1] == warmed["kernels"][2]);
  CHECK(std::string(warmed["kernels"][0]["symbol"]).find("_q2_kv1_") != std::string::npos);

  write_file(path, R"([{"head_size": 96}, {"batch": 2}, 7])");
  const auto refused = as_json(words, 2);
  REQUIRE(refused["refusals"].size() == 3);
  std::vector<std::string> fields;
  for (const auto& refusal : refused["refusals"]) fields.push_back(refusal["field"]);
  std::ranges::sort(fields);
  CHECK(fields == Words{"batch", "head_size", "list"});
  for (const char* text : {"{}", "[]", "[", ""}) {
    write_file(path, text);
    CHECK(cli(words).status == 2);
  }
}

TEST_CASE("cache: verify finds a damaged file, repair removes it, and the kernel is made again") {
  const TemporaryFolder folder;
  as_json(warm(small_kernel(4), folder));
  CHECK(as_json(on_cache({"verify"}, folder))["ok"] == true);
  const fs::path object = only_file(folder / "cache/objects");
  flip(object, 1000);
  const auto broken = as_json(on_cache({"verify"}, folder), 1);
  CHECK(broken["ok"] == false);
  REQUIRE(broken["problems"].size() == 2);  // the request leads nowhere now
  const bool named =
      broken["problems"][0]["file"] == object.string() || broken["problems"][1]["file"] == object.string();
  CHECK(named);
  CHECK(as_json(on_cache({"list"}, folder))["damaged"] == 1);
  CHECK(as_json(on_cache({"verify", "--repair"}, folder))["removed"] == 2);
  const auto repaired = as_json(on_cache({"verify"}, folder));
  CHECK(repaired["records"] == 0);
  CHECK(as_json(warm(small_kernel(4), folder))["compiled"] == 1);
  CHECK(as_json(on_cache({"verify"}, folder))["records"] == 2);
}

TEST_CASE("cache: a bundle carries kernels to another cache; a damaged one says what is lost") {
  const TemporaryFolder folder;
  const std::string bundle = (folder / "kernels.bundle").string(), other = (folder / "other").string();
  as_json(warm(small_kernel(4), folder));
  CHECK(as_json(on_cache({"export", bundle}, folder))["kernels"] == 1);
  CHECK(as_json({"cache", "import", bundle, "--cache-dir", other})["kernels"] == 1);
  CHECK(as_json({"cache", "list", "--cache-dir", other})["kernels"].size() == 1);
  const auto known =
      as_json(Words{"cache", "warm"} + small_kernel(4) + Words{"--compiler", "llvm", "--cache-dir", other});
  CHECK(known["known"] == 1);

  flip(bundle, read_file(bundle).size() - 80);  // in the last record
  const auto damaged = as_json({"cache", "import", bundle, "--cache-dir", (folder / "third").string()}, 1);
  CHECK(damaged["damaged"].size() == 1);
  flip(bundle, 0);
  CHECK(cli({"cache", "import", bundle, "--cache-dir", other}).status == 1);
  CHECK(cli({"cache", "import", (folder / "none").string(), "--cache-dir", other}).status == 4);
  CHECK(cli({"cache", "import", "--cache-dir", other}).status == 2);
}

TEST_CASE("cache: prune keeps what was used last within its limits, clear leaves nothing") {
  const TemporaryFolder folder;
  const std::string path = (folder / "list.json").string();
  write_file(path,
             R"([{"num_query_heads": 1, "num_kv_heads": 1}, {"num_query_heads": 2, "num_kv_heads": 2}])");
  as_json(warm(small_kernel(1), folder) + Words{"--list", path});
  CHECK(as_json(on_cache({"prune", "--max-age", "1", "--max-bytes", "1G"}, folder))["kept"] == 4);
  const auto bytes = as_json(on_cache({"list"}, folder))["bytes"].get<int>();
  const auto pruned = as_json(on_cache({"prune", "--max-bytes", std::to_string(bytes - 1)}, folder));
  CHECK(pruned["kept_bytes"].get<int>() < bytes);
  CHECK(pruned["kept"].get<int>() >= 2);
  CHECK(as_json(on_cache({"verify"}, folder))["ok"] == true);
  CHECK(as_json(on_cache({"clear"}, folder))["removed"].get<int>() >= 2);
  CHECK(as_json(on_cache({"list"}, folder))["kernels"].empty());
  CHECK(
      as_json(on_cache({"prune", "--max-bytes", "much", "--max-age", "-1"}, folder), 2)["refusals"].size() ==
      2);
  CHECK(as_json(on_cache({"prune", "--max-bytes", "99999999999999999999"}, folder), 2)["refusals"].size() ==
        1);
}

TEST_CASE(
    "cache: the variables name the folder; without one, or where it cannot be written, the status is 4") {
  const TemporaryFolder folder;
  const std::string words = " wavesmith cache list --json";
  const auto named = [&](const std::string& variables) {
    return std::string(
        document(shell("env -u WAVESMITH_CACHE_DIR -u XDG_CACHE_HOME " + variables + words, folder.path())
                     .out)["directory"]);
  };
  CHECK(named("WAVESMITH_CACHE_DIR=/c HOME=/h") == "/c");
  CHECK(named("XDG_CACHE_HOME=/x HOME=/h") == "/x/wavesmith");
  CHECK(named("HOME=/h") == "/h/.cache/wavesmith");
  const Outcome none = shell("env -u WAVESMITH_CACHE_DIR -u XDG_CACHE_HOME -u HOME" + words, folder.path());
  CHECK(none.status == 4);
  CHECK(none.err.find("WAVESMITH_CACHE_DIR") != std::string::npos);

  write_file(folder / "cache", "a file where the folder should be");
  const Outcome unwritable = cli(warm(small_kernel(4), folder));
  CHECK(unwritable.status == 4);
  CHECK(unwritable.err.find("cannot be written") != std::string::npos);
}

TEST_CASE("cache: a compiler that dies is status 3, with its log, and nothing is stored") {
  const TemporaryFolder folder;
  fs::copy_file(WAVESMITH_DYING_WORKER, folder / "worker");
  write_file(folder / "identity", "LLVM 22.1.8 (dying)\n");
  const Outcome outcome =
      cli(warm(small_kernel(4), folder) + Words{"--worker", (folder / "worker").string()});
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("kernel 1 of 1") != std::string::npos);
  CHECK(outcome.err.find("LLVM ERROR: Cannot select") != std::string::npos);
  CHECK(as_json(on_cache({"list"}, folder))["kernels"].empty());
}
