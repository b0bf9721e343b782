// Helpers of the runtime tests: running LLVM's own tools, a folder for their files, kernels in LLVM IR
// written by hand.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::test {

/// A new folder under the system's temporary folder, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a shell command; throws, with its output, unless it succeeds. Returns what it wrote to standard
/// output.
std::string run(const std::string& command);

std::vector<std::byte> read_bytes(const std::string& path);
void write_bytes(const std::string& path, std::span<const std::byte> bytes);
void write_text(const std::string& path, std::string_view text);
std::vector<std::byte> to_bytes(std::string_view text);

/// Compiles IR text with llc-22 and ld.lld-22, independently of wavesmith's own compiler. `options` go to
/// llc.
std::vector<std::byte> compile_with_llc(std::string_view ir, std::string_view processor,
                                        std::string_view options = "");

/// IR text of two kernels: `first` with arguments of all common kinds, hidden ones among them, a required
/// workgroup size and static LDS; `second` reads a global that needs relocations and flushes f32 denormals.
std::string two_kernels(int code_object_version);

}  // namespace wavesmith::test
