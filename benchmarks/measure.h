// What the benchmarks share: processor time of this process and of programs it runs, folders that vanish.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wavesmith::benchmarks {

/// Middle value; of an even number of values, the upper one. `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

/// Processor time of this process so far, ms.
[[nodiscard]] double processor_time();

/// Runs a program (the first word is its path) and gives its processor time in ms; empty unless it succeeds.
[[nodiscard]] std::optional<double> run_time(std::vector<std::string> words);

/// A folder for one run.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace wavesmith::benchmarks
