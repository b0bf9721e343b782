// The library as a file: what it exports, what it needs, and that it works beside an LLVM of the host's own.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/wavesmith.h"

#include "tests/abi/support.h"
#include "tests/runtime/support.h"

using namespace wavesmith::test;

extern "C" int wavesmith_test_versions(void);
extern "C" int wavesmith_test_versions_cpp(void);

namespace {

std::string read_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every function that the header declares.
std::set<std::string> declared() {
  const std::string header = read_file(WAVESMITH_TEST_HEADER);
  const std::regex function(R"(WAVESMITH_API[^;(]*?\b(wavesmith_\w+)\()");
  std::set<std::string> names;
  for (auto match = std::sregex_iterator(header.begin(), header.end(), function);
       match != std::sregex_iterator(); ++match)
    names.insert((*match)[1]);
  return names;
}

}  // namespace

TEST_CASE("abi: the header's versions are the library's, from C and from C++") {
  CHECK(wavesmith_test_versions() == WAVESMITH_ABI_VERSION);
  CHECK(wavesmith_test_versions_cpp() == WAVESMITH_ABI_VERSION);
  CHECK(wavesmith_version() == std::string_view(WAVESMITH_TEST_VERSION));
  CHECK(std::string_view(wavesmith_emitter_identity()).size() == 64);
}

TEST_CASE("abi: the library exports what the header declares, and nothing else") {
  std::istringstream lines(
      run(std::string(WAVESMITH_TEST_NM) + " -D --defined-only " WAVESMITH_TEST_LIBRARY));
  std::set<std::string> exported;
  for (std::string line; std::getline(lines, line);) {
    std::string name = line.substr(line.rfind(' ') + 1);
    if (line.find(" A ") != std::string::npos) continue;  // the version's own name
    const auto version = name.find('@');
    INFO(line);
    REQUIRE(version != std::string::npos);
    CHECK(name.substr(version) == "@@WAVESMITH_0.1");
    exported.insert(name.substr(0, version));
  }
  CHECK(exported.size() > 20);
  CHECK(exported == declared());
}

TEST_CASE("abi: the library has its name and needs no LLVM") {
  const std::string dynamic = run(WAVESMITH_READELF " -d " WAVESMITH_TEST_LIBRARY);
  CHECK(dynamic.find("Library soname: [libwavesmith.so.0.1]") != std::string::npos);
  CHECK(dynamic.find("NODELETE") != std::string::npos);
  // All that is loaded with it, not only what it names itself.
  const std::string loaded = run("ldd " WAVESMITH_TEST_LIBRARY);
  CHECK(loaded.find("libfmt") != std::string::npos);
  for (const char* unwanted : {"LLVM", "lld", "clang", "amdhip", "amd_comgr"}) {
    CHECK(dynamic.find(unwanted) == std::string::npos);
    CHECK(loaded.find(unwanted) == std::string::npos);
  }
}

TEST_CASE("abi: a program that links an LLVM of its own gets kernels") {
  const TemporaryFolder folder;
  const std::string out = run("WAVESMITH_CACHE_DIR=" + folder.file("cache") + " " WAVESMITH_TEST_LLVM_HOST);
  CHECK(out.find("one LLVM module and one kernel") != std::string::npos);
}
