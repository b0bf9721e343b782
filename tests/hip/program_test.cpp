// Programs around the simulated driver: ones that were linked with libamdhip64, what the library exports, and
// an environment that names no GPU.
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/support.h"

using namespace wavesmith::test;

namespace {

std::vector<std::string> with_driver(const std::string& arch, const std::string& program) {
  return {"env", "LD_LIBRARY_PATH=" WAVESMITH_TEST_HIP_FOLDER, "WAVESMITH_SIM_ARCH=" + arch, program,
          WAVESMITH_TEST_SCALE_ADD};
}

}  // namespace

TEST_CASE("a program made with AMD's header runs unmodified") {
  for (const std::string program : {WAVESMITH_TEST_LINKED_5, WAVESMITH_TEST_LINKED_6}) {
    if (program.empty()) SKIP("no headers of HIP; tools/hip.sh fetches them");
    const Outcome outcome = run(with_driver("", program));
    INFO(program << '\n' << outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == "gfx950:sramecc+:xnack- 256\n0 wrong\n");
    const Outcome other = run(with_driver("gfx942:xnack+", program));
    CHECK(other.out == "gfx942:sramecc+:xnack+ 304\nhipModuleLoad: hipErrorNoBinaryForGpu\n");
    CHECK(other.err.find("gfx950") != std::string::npos);
    const Outcome none = run(with_driver("gfx7", program));
    CHECK(none.out == "hipGetDeviceProperties: hipErrorNoDevice\n");
    CHECK(none.err.find("WAVESMITH_SIM_ARCH = gfx7 is refused") != std::string::npos);
  }
}

TEST_CASE("hazards are errors unless the variable says otherwise") {
  const std::string program = WAVESMITH_TEST_LINKED_6;
  if (program.empty()) SKIP("no headers of HIP 6; tools/hip.sh fetches them");
  std::vector<std::string> words = with_driver("", program) + std::vector<std::string>{"race"};
  const Outcome on = run(words);
  CHECK(on.out == "gfx950:sramecc+:xnack- 256\nhipDeviceSynchronize: hipErrorIllegalAddress\n");
  CHECK(on.err.find("global_race") != std::string::npos);
  words.insert(words.begin() + 1, "WAVESMITH_SIM_HAZARDS=0");
  const Outcome off = run(words);
  CHECK(off.out.find("wrong\n") != std::string::npos);
  CHECK(off.err.empty());
}

TEST_CASE("the simulated driver exports HIP's names with HIP's versions, and nothing else") {
  const Outcome outcome = run({WAVESMITH_TEST_READELF, "--dyn-syms", "-W", WAVESMITH_TEST_HIP_DRIVER});
  REQUIRE(outcome.status == 0);
  std::istringstream lines(outcome.out);
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, value, size, type, binding, visibility, index, name;
    words >> number >> value >> size >> type >> binding >> visibility >> index >> name;
    if (type != "FUNC" && type != "OBJECT") continue;
    if (index == "UND" || binding == "LOCAL") continue;
    INFO(line);
    CHECK(name.starts_with("hip"));
    names.insert(name);
  }
  CHECK(names.contains("hipGetDeviceProperties@@hip_4.2"));
  CHECK(names.contains("hipGetDevicePropertiesR0600@@hip_6.0"));
  CHECK(names.contains("hipModuleLaunchKernel@@hip_4.2"));
  CHECK(names.size() > 100);
}

TEST_CASE("AMD's own library without a GPU is a clear error of the environment") {
  const std::string folder = WAVESMITH_TEST_REAL_HIP;
  if (folder.empty()) SKIP("no libamdhip64 of AMD's; tools/hip.sh fetches it");
  if (std::filesystem::exists("/dev/kfd")) SKIP("this machine may have a GPU");
  for (const std::string& library : {folder + "/libamdhip64.so.5", std::string()}) {
    const Outcome outcome =
        run({"env", "-u", "ROCM_PATH", "LD_LIBRARY_PATH=" + folder, WAVESMITH_TEST_LAUNCHER_PROBE, library});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 4);
    CHECK(outcome.out.find("no GPU: ") == 0);
    CHECK(outcome.out.find("libamdhip64.so.5") != std::string::npos);
    CHECK(outcome.out.find("finds no device") != std::string::npos);
  }
}

TEST_CASE("the launcher says what it tried, and what a library lacks") {
  const Outcome none = run({WAVESMITH_TEST_LAUNCHER_PROBE, "/nowhere/libamdhip64.so"});
  CHECK(none.status == 4);
  CHECK(none.out.find("no HIP library could be opened") == 0);
  CHECK(none.out.find("/nowhere/libamdhip64.so") != std::string::npos);
  const Outcome other = run({WAVESMITH_TEST_LAUNCHER_PROBE, "libelf.so.1"});
  CHECK(other.status == 4);
  CHECK(other.out.find("hipModuleLaunchKernel") != std::string::npos);
  const Outcome refused =
      run({"env", "WAVESMITH_SIM_ARCH=gfx1", WAVESMITH_TEST_LAUNCHER_PROBE, WAVESMITH_TEST_HIP_DRIVER});
  CHECK(refused.status == 4);
  CHECK(refused.out.find("no GPU: ") == 0);
  const Outcome found =
      run({"env", "LD_LIBRARY_PATH=" WAVESMITH_TEST_HIP_FOLDER, "WAVESMITH_SIM_ARCH=gfx950,gfx942",
           "HIP_VISIBLE_DEVICES=1", WAVESMITH_TEST_LAUNCHER_PROBE});
  CHECK(found.status == 0);
  CHECK(found.out == "libamdhip64.so.7: 1 devices\n");
}
