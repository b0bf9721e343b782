// An installed wavesmith, moved to another folder: programs that know nothing of this repository build
// against it with CMake and with pkg-config, find the worker program beside it, and get right numbers on the
// simulated driver. The examples compare with references of their own.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/support.h"

using namespace wavesmith::test;
namespace fs = std::filesystem;

namespace {

/// Fails the test, with everything that was written, unless the program ends with 0.
std::string succeeds(const std::vector<std::string>& words) {
  const Outcome outcome = run(words);
  std::string line;
  for (const std::string& word : words) line += word + " ";
  INFO(line << '\n' << outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

/// Installs into one folder and moves everything to another.
fs::path installed(const TemporaryFolder& folder) {
  succeeds({"cmake", "--install", WAVESMITH_TEST_BUILD, "--prefix", folder / "first"});
  fs::rename(folder / "first", folder / "moved");
  return folder / "moved";
}

/// The words before a program: a cache of its own, so that it has to compile, and no other way to this build.
std::vector<std::string> alone(const TemporaryFolder& folder) {
  return {"env", "-u", "LD_LIBRARY_PATH", "WAVESMITH_CACHE_DIR=" + (folder / "cache").string()};
}

void skip_where_sanitized() {
#ifdef WAVESMITH_SANITIZED
  SKIP("outside programs are not sanitized");
#endif
}

}  // namespace

TEST_CASE("installed: library, header, worker, CMake package and pkg-config file, and nothing else") {
  const TemporaryFolder folder;
  const fs::path prefix = installed(folder);
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(prefix))
    if (!entry.is_directory()) {
      std::string name = entry.path().lexically_relative(prefix).string();
      // One file for each build type.
      if (name.ends_with(".cmake") && name.find("wavesmith-config-") != std::string::npos &&
          name.find("version") == std::string::npos)
        name = "lib/cmake/wavesmith/wavesmith-config-*.cmake";
      files.insert(name);
    }
  CHECK(files == std::set<std::string>{"include/wavesmith/wavesmith.h",
                                       "lib/cmake/wavesmith/wavesmith-config-*.cmake",
                                       "lib/cmake/wavesmith/wavesmith-config-version.cmake",
                                       "lib/cmake/wavesmith/wavesmith-config.cmake", "lib/libwavesmith.so",
                                       "lib/libwavesmith.so.0.1", "lib/libwavesmith.so.0.1.0",
                                       "lib/pkgconfig/wavesmith.pc", "libexec/wavesmith/wavesmith-compiler"});
}

TEST_CASE("installed: the examples build with the CMake package and their numbers are right") {
  skip_where_sanitized();
  const TemporaryFolder folder;
  const fs::path prefix = installed(folder);
  const std::string build = (folder / "build").string();
  succeeds({"cmake", "-S", WAVESMITH_TEST_EXAMPLES, "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix.string(),
            "-DCMAKE_BUILD_TYPE=Debug"});
  const std::string cache = read_file(folder / "build/CMakeCache.txt");
  CHECK(cache.find("wavesmith_DIR:PATH=" + (prefix / "lib/cmake/wavesmith").string()) != std::string::npos);
  succeeds({"cmake", "--build", build});
  for (const char* program : {"prefill_c", "prefill_cpp"}) {
    const std::string out =
        succeeds(alone(folder) + std::vector<std::string>{build + "/" + program, WAVESMITH_TEST_HIP_DRIVER});
    CHECK(out.find("Simulated") != std::string::npos);
    CHECK(out.find("largest error") != std::string::npos);
  }
  const std::vector<std::string> server{
      build + "/serving", "--hip", WAVESMITH_TEST_HIP_DRIVER, "--requests", "5", "--models", "1",
      "--max-length",     "30"};
  CHECK(succeeds(alone(folder) + server).find("5 requests served") != std::string::npos);
  // Only the worker that was installed compiles for them: without it, requests fail and the server does not.
  fs::remove(prefix / "libexec/wavesmith/wavesmith-compiler");
  const Outcome none = run(alone(folder) + server + std::vector<std::string>{"--cache", folder / "empty"});
  CHECK(none.status == 4);
  CHECK(none.out.find("0 requests served in 0 batches, 5 failed, 0 not served") != std::string::npos);
  CHECK(none.err.find("the program wavesmith-compiler was not found") != std::string::npos);
}

TEST_CASE("installed: a C program builds with the pkg-config file, and the Python example runs") {
  skip_where_sanitized();
  const TemporaryFolder folder;
  const fs::path prefix = installed(folder);
  const std::string package = "PKG_CONFIG_PATH=" + (prefix / "lib/pkgconfig").string();
  CHECK(succeeds({"env", package, "pkg-config", "--modversion", "wavesmith"}) == WAVESMITH_TEST_VERSION "\n");
  succeeds({"env", package, "sh", "-c",
            "cc -std=c11 \"$1\"/c/prefill.c $(pkg-config --cflags --libs wavesmith) -lm "
            "-Wl,-rpath,\"$(pkg-config --variable=libdir wavesmith)\" -o \"$2\"",
            "sh", WAVESMITH_TEST_EXAMPLES, folder / "program"});
  CHECK(succeeds(alone(folder) + std::vector<std::string>{folder / "program", WAVESMITH_TEST_HIP_DRIVER})
            .find("largest error") != std::string::npos);
  // By a relative name, from which the library has to find its worker all the same.
  const Outcome python = run(
      alone(folder) + std::vector<std::string>{WAVESMITH_TEST_PYTHON,
                                               WAVESMITH_TEST_EXAMPLES "/python/prefill.py", "--library",
                                               "./libwavesmith.so.0.1", "--hip", WAVESMITH_TEST_HIP_DRIVER},
      prefix / "lib");
  INFO(python.out << python.err);
  CHECK(python.status == 0);
  CHECK(python.out.find("largest error") != std::string::npos);
}

TEST_CASE("examples: without a GPU they say so and give the status of the environment") {
  const TemporaryFolder folder;
  for (const char* program : {WAVESMITH_TEST_PREFILL_C, WAVESMITH_TEST_PREFILL_CPP}) {
    const Outcome none =
        run(alone(folder) + std::vector<std::string>{program, "/nonexistent/libamdhip64.so"});
    CHECK(none.status == 4);
    CHECK(none.err.find("/nonexistent/libamdhip64.so") != std::string::npos);
    // A GPU that no kernel is built for.
    const Outcome other = run(alone(folder) + std::vector<std::string>{"WAVESMITH_SIM_ARCH=gfx942", program,
                                                                       WAVESMITH_TEST_HIP_DRIVER});
    CHECK(other.status == 2);
    CHECK(other.err.find("target = gfx942") != std::string::npos);
  }
}

TEST_CASE("examples: the numbers are right in the build tree, and nothing leaks") {
  const TemporaryFolder folder;
  for (const char* program : {WAVESMITH_TEST_PREFILL_C, WAVESMITH_TEST_PREFILL_CPP})
    CHECK(succeeds(alone(folder) + std::vector<std::string>{program, WAVESMITH_TEST_HIP_DRIVER})
              .find("largest error") != std::string::npos);
}
