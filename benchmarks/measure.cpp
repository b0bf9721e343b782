// Processor times by getrusage and clock_gettime.
#include "benchmarks/measure.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <spawn.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

namespace wavesmith::benchmarks {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

std::optional<double> run_time(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    return std::nullopt;
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::nullopt;
  const auto time = [](const timeval& part) {
    return static_cast<double>(part.tv_sec) * 1e3 + static_cast<double>(part.tv_usec) * 1e-3;
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

Folder::Folder() {
  path_ = (std::filesystem::temp_directory_path() / "wavesmith-benchmark-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) path_.clear();
}

Folder::~Folder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace wavesmith::benchmarks
