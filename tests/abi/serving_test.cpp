// The serving example: every request is served with right numbers, kernels come from the cache the second
// time, and a signal, wrong options and a missing compiler end it in an orderly way.
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/support.h"

using namespace wavesmith::test;

namespace {

std::vector<std::string> serving(const TemporaryFolder& folder, const std::vector<std::string>& options) {
  return std::vector<std::string>{WAVESMITH_TEST_SERVING, "--hip", WAVESMITH_TEST_HIP_DRIVER, "--cache",
                                  folder / "cache"} +
         options;
}

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("serving: every request is served right, with kernels from the cache the second time") {
  const TemporaryFolder folder;
#ifdef WAVESMITH_SANITIZED
  const std::vector<std::string> load{"--requests",   "4",  "--models", "1",
                                      "--max-length", "40", "--seed",   "3"};
  const std::string requests = "4", models = "1";
#else
  const std::vector<std::string> load{"--requests", "20", "--max-length", "90",
                                      "--streams",  "3",  "--seed",       "3"};
  const std::string requests = "20", models = "3";
#endif
  const Outcome cold = run(serving(folder, load));
  INFO(cold.err);
  CHECK(cold.status == 0);
  says(cold.out, requests + " requests served in ");
  says(cold.out, " batches, 0 failed, 0 not served\n");
  says(cold.out, "kernels: " + models + " compiled in ");
  says(cold.out, "largest error ");
  CHECK(cold.err.empty());
  const Outcome warm = run(serving(folder, load));
  CHECK(warm.status == 0);
  says(warm.out, requests + " requests served in ");
  says(warm.out, "kernels: 0 compiled in 0 ms, " + models + " from disk");
}

TEST_CASE("serving: a signal ends it after what is in flight, and says what is left") {
  const TemporaryFolder folder;
  // More requests than can be done in an hour; the signal comes once the first ones are.
  const std::string wait_then_stop =
      "out=$1; shift; \"$@\" > \"$out\" & pid=$!; "
      "for round in $(seq 6000); do grep -q 'is done' \"$out\" && break; sleep 0.02; done; "
      "kill -TERM $pid; wait $pid; status=$?; cat \"$out\"; exit $status";
  const Outcome outcome =
      run(std::vector<std::string>{"bash", "-c", wait_then_stop, "bash", folder / "out"} +
          serving(folder, {"--requests", "100000", "--rate", "20", "--models", "1", "--max-length", "8"}));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  says(outcome.out, " requests served in ");
  says(outcome.out, " 0 failed, 99");
  CHECK(outcome.out.find(" 0 requests served") == std::string::npos);
}

TEST_CASE("serving: wrong options are refused with what is allowed") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--requests", "0"}, "--requests = 0 is refused: a whole number from 1 to"},
      {{"--requests", "ten"}, "--requests = ten is refused"},
      {{"--rate", "nan"}, "--rate = nan is refused"},
      {{"--models", "4"}, "--models = 4 is refused: a whole number from 1 to 3"},
      {{"--seed", "1.5"}, "--seed = 1.5 is refused"},
      {{"--max-tokens", "10"}, "--max-tokens = 10 is refused: at least --max-length, 200"},
      {{"--streams"}, "--streams = (missing) is refused"},
      {{"--colour", "red"}, "option = --colour is refused: see --help"}};
  for (const auto& [options, message] : cases) {
    const Outcome outcome = run(serving(folder, options));
    CHECK(outcome.status == 2);
    says(outcome.err, message);
    CHECK(outcome.out.empty());
  }
  const Outcome help = run({WAVESMITH_TEST_SERVING, "--help"});
  CHECK(help.status == 0);
  says(help.out, "--max-tokens N");
  const Outcome none = run({WAVESMITH_TEST_SERVING, "--hip", "/nonexistent/libamdhip64.so"});
  CHECK(none.status == 4);
  says(none.err, "/nonexistent/libamdhip64.so");
}

TEST_CASE(
    "serving: a compiler that dies fails the requests of its kernel, with its words, and ends it with 3") {
  const TemporaryFolder folder;
  // The worker belongs to the library and is looked for next to it first.
  std::filesystem::copy_file(WAVESMITH_TEST_LIBRARY, folder / WAVESMITH_TEST_SONAME);
  std::filesystem::copy_file(WAVESMITH_DYING_WORKER, folder / "wavesmith-compiler");
  write_file(folder / "identity", "LLVM 22.1.8");
  const Outcome outcome = run(std::vector<std::string>{"env", "LD_LIBRARY_PATH=" + folder.path().string()} +
                              serving(folder, {"--requests", "5", "--models", "1", "--max-length", "8"}));
  INFO(outcome.out);
  CHECK(outcome.status == 3);
  says(outcome.err, "no kernel for ");
  says(outcome.err, "LLVM ERROR: Cannot select");
}
