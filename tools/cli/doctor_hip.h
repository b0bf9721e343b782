// The HIP runtime and GPUs of this machine, for `wavesmith doctor`: asked through a library that is opened
// and closed again.
#pragma once

#include <string>

namespace wavesmith::cli {

struct HipFindings {
  std::string library;       ///< what was opened; empty: none
  std::string library_note;  ///< the loader's words where there is none, else the runtime's version
  int devices = 0;
  std::string device_note;  ///< why there is no device, by the runtime's error; else nothing
  std::string driver_note;  ///< what is wrong with /dev/kfd; empty: it can be opened
};

/// `library`: a path or name; empty: libamdhip64.so.7, .6 and .5 of the loader's folders and ROCm's.
[[nodiscard]] HipFindings look_for_hip(const std::string& library);

}  // namespace wavesmith::cli
