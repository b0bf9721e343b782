// Running another program to its end: git, cmake, the emitter of another revision. run_process() is the only
// entry.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::golden {

struct Process {
  std::vector<std::string> words;                        ///< words[0] is searched in PATH
  std::filesystem::path folder = {};                     ///< working directory; empty: this process's
  std::map<std::string, std::string> environment = {};   ///< on top of this process's
  std::vector<std::string> without = {};                 ///< variables that it does not get
  std::function<void(std::string_view)> on_output = {};  ///< gets standard output as it comes
  bool to_the_end = false;                               ///< clean-up: goes on after an interrupt
};

struct Finished {
  int status = 0;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;

  /// Both outputs, for a person.
  [[nodiscard]] std::string log() const { return out + err; }
};

/// Standard input is empty. Errors (environment): a program that cannot be started; Interrupts::came(), after
/// the program and all it started were told to end.
[[nodiscard]] Expected<Finished> run_process(const Process& process);

}  // namespace wavesmith::golden
