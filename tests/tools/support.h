// Runs programs as a user does, and gives tests a folder of their own. Nothing here knows how wavesmith
// works.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace wavesmith::test {

struct Outcome {
  int status;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};

/// Runs words[0], searched in PATH. `input` is its standard input; `folder` its working directory, where it
/// is not empty.
[[nodiscard]] Outcome run(const std::vector<std::string>& words, const std::filesystem::path& folder = {},
                          std::string_view input = {});

/// The built program `wavesmith`.
[[nodiscard]] Outcome cli(std::vector<std::string> words, const std::filesystem::path& folder = {},
                          std::string_view input = {});

/// A line for bash, where `wavesmith` is the built program; a pipeline fails when any part does.
[[nodiscard]] Outcome shell(const std::string& line, const std::filesystem::path& folder);

/// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Fails the test unless `text` is exactly one JSON document and a line end.
[[nodiscard]] nlohmann::json document(const std::string& text);

/// `words` and then more of them.
[[nodiscard]] std::vector<std::string> operator+(std::vector<std::string> words,
                                                 const std::vector<std::string>& more);

/// The words of a kernel of 32 query and 8 key/value heads that is built: family, head size, heads.
[[nodiscard]] std::vector<std::string> kernel_words(int head_size = 64);

}  // namespace wavesmith::test
