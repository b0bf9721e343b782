// Asking libamdhip64 by its C interface; no header of HIP is needed for these three functions.
#include "tools/cli/doctor_hip.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace wavesmith::cli {
namespace {

std::vector<std::string> candidates(const std::string& library) {
  if (!library.empty()) return {library};
  const char* rocm = std::getenv("ROCM_PATH");
  std::vector<std::string> names;
  for (const std::string& folder :
       {std::string(), std::string(rocm != nullptr ? rocm : "/opt/rocm") + "/lib/"})
    for (const char* version : {"7", "6", "5"})
      names.push_back(fmt::format("{}libamdhip64.so.{}", folder, version));
  return names;
}

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

void ask(void* library, HipFindings& findings) {
  using Ask = int (*)(int*);
  using Name = const char* (*)(int);
  const auto count = find<Ask>(library, "hipGetDeviceCount"),
             version = find<Ask>(library, "hipRuntimeGetVersion");
  const auto name = find<Name>(library, "hipGetErrorName");
  if (count == nullptr || version == nullptr || name == nullptr) {
    findings.device_note = "the library lacks functions of the HIP runtime";
    return;
  }
  int number = 0;
  if (version(&number) == 0)
    findings.library_note = fmt::format("HIP {}.{}", number / 10'000'000, number / 100'000 % 100);
  if (const int error = count(&findings.devices); error != 0) {
    findings.devices = 0;
    findings.device_note = name(error);
  }
}

}  // namespace

HipFindings look_for_hip(const std::string& library) {
  HipFindings findings;
  for (const std::string& name : candidates(library)) {
    void* opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      if (findings.library_note.empty()) findings.library_note = dlerror();
      continue;
    }
    findings.library = name;
    findings.library_note.clear();
    ask(opened, findings);
    break;
  }
  const int driver = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (driver < 0)
    findings.driver_note = std::strerror(errno);
  else
    close(driver);
  return findings;
}

}  // namespace wavesmith::cli
