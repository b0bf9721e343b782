// Finding the worker program; see worker_path.h for where it may be.
#include "runtime/worker_path.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>

namespace wavesmith::runtime {
namespace {

constexpr std::string_view kProgram = "wavesmith-compiler";

/// How far above the library or executable the root of an installed or built tree may be: PREFIX/bin,
/// PREFIX/lib, PREFIX/lib/TRIPLE; BUILD/tools, BUILD/tests/runtime.
constexpr int kMaxLevels = 2;

/// The file that holds this code, library or executable, as the kernel has mapped it: the loader knows it
/// only by the name that it was opened with, which may be relative to a folder that the process has left.
std::string own_file() {
  const auto here = reinterpret_cast<std::uintptr_t>(&find_compiler_worker);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ec != std::errc() || first.ptr == last) continue;
    if (std::from_chars(first.ptr + 1, last, end, 16).ec != std::errc()) continue;
    if (here < begin || here >= end) continue;
    const std::size_t path = line.find('/');
    return path == std::string::npos ? std::string() : line.substr(path);
  }
  return {};
}

/// The directory of the file that holds this code, and that of the executable; the same when linked
/// statically.
std::vector<std::string> own_directories() {
  std::vector<std::string> directories;
  const auto add_directory_of = [&](const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    if (error) return;
    const std::string directory = real.parent_path().string();
    if (std::ranges::find(directories, directory) == directories.end()) directories.push_back(directory);
  };
  if (const std::string file = own_file(); !file.empty()) add_directory_of(file);
  add_directory_of("/proc/self/exe");
  return directories;
}

bool is_program(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> worker_candidates(std::string_view directory) {
  std::filesystem::path level(directory);
  std::vector<std::string> candidates = {(level / kProgram).string()};
  for (int up = 0; up <= kMaxLevels; ++up) {
    candidates.push_back((level / "libexec" / "wavesmith" / kProgram).string());
    candidates.push_back((level / "runtime" / "compiler" / kProgram).string());
    if (level == level.parent_path()) break;
    level = level.parent_path();
  }
  return candidates;
}

Expected<std::string> find_compiler_worker() {
  std::string tried;
  for (const std::string& directory : own_directories()) {
    for (std::string& candidate : worker_candidates(directory)) {
      if (is_program(candidate)) return std::move(candidate);
      tried += fmt::format("{}{}", tried.empty() ? "" : ", ", candidate);
    }
  }
  return fail(ErrorKind::environment,
              fmt::format("the program {} was not found; looked at {}", kProgram, tried));
}

}  // namespace wavesmith::runtime
