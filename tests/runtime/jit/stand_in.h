// A compiler that costs nothing: what the cache's tests use where hundreds of real compiles would be needed.
// Its code objects are bytes that follow from the text, so that a wrong one shows.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <unistd.h>

#include "generator/identity.h"
#include "runtime/jit/kernel_store.h"

namespace wavesmith::test {

inline constexpr const char* kStandInCompiler = "stand-in 1";

/// The text of kernel number `index`.
inline std::string text_of(int index) {
  return "text of kernel " + std::to_string(index) + "\n";
}

/// What the stand-in makes of a text: a few kilobytes.
inline std::vector<std::byte> code_of(const std::string& text) {
  std::string bytes = "code of ";
  for (int block = 0; block < 64; ++block) bytes += generator::sha256_hex(text + std::to_string(block));
  std::vector<std::byte> code(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) code[i] = static_cast<std::byte>(bytes[i]);
  return code;
}

inline runtime::Recipe recipe_of(int index) {
  const std::string number = std::to_string(index);
  return {.key = generator::sha256_hex("key " + number),
          .symbol = "kernel_" + number,
          .spec = "index=" + number + "\n",
          .target = "gfx950",
          .flavour = "llvm22",
          .options = "none",
          .compiler = kStandInCompiler,
          .emit = [index] { return text_of(index); }};
}

inline Expected<JitKernel> describe_stand_in(std::vector<std::byte> hsaco, const std::string&) {
  JitKernel kernel;
  kernel.hsaco = std::move(hsaco);
  return kernel;
}

/// Counts compiles by text.
class StandIn {
 public:
  [[nodiscard]] runtime::KernelStore::Compile compile() {
    return [this](const runtime::Recipe&, const std::string& ir) -> Expected<runtime::Made> {
      {
        const std::lock_guard lock(mutex_);
        ++compiles_[ir];
      }
      return runtime::Made{.hsaco = code_of(ir), .compiler = kStandInCompiler};
    };
  }
  [[nodiscard]] std::map<std::string, int> compiles() const {
    const std::lock_guard lock(mutex_);
    return compiles_;
  }
  [[nodiscard]] int total() const {
    int sum = 0;
    for (const auto& [text, count] : compiles()) sum += count;
    return sum;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> compiles_;
};

/// A folder in memory where the machine has one: every entry is synced to its disk, which thousands of them
/// would feel.
class FastFolder {
 public:
  FastFolder() {
    path_ = ((access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                            : std::filesystem::temp_directory_path()) /
             "wavesmith-cache-XXXXXX")
                .string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~FastFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  FastFolder(const FastFolder&) = delete;
  FastFolder& operator=(const FastFolder&) = delete;
  [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

/// Collects warnings.
class Heard {
 public:
  [[nodiscard]] std::function<void(std::string_view)> function() {
    return [this](std::string_view text) {
      const std::lock_guard lock(mutex_);
      texts_.emplace_back(text);
    };
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// A store on a folder, its compiler and its warnings; an empty folder's name: no cache on disk.
struct StandInStore {
  explicit StandInStore(const std::string& directory, runtime::KernelStoreOptions options = {})
      : store(with_directory(std::move(options), directory), compiler.compile(), describe_stand_in,
              warnings) {}

  /// Whether kernel number `index` is served, and is the right one.
  bool serves(int index) {
    const auto kernel = store.get(recipe_of(index));
    return kernel && (*kernel)->hsaco == code_of(text_of(index)) &&
           (*kernel)->ir_sha256 == generator::sha256_hex(text_of(index));
  }

  StandIn compiler;
  Heard heard;
  runtime::Warnings warnings{heard.function()};
  runtime::KernelStore store;

 private:
  static runtime::KernelStoreOptions with_directory(runtime::KernelStoreOptions options,
                                                    const std::string& directory) {
    options.directory = directory;
    return options;
  }
};

}  // namespace wavesmith::test
