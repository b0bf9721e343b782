// The compilers that flavours are checked with: those that tools/compilers.sh unpacked, and this machine's
// LLVM
// 22. One interface over LLVM's programs and over the backends of the compiler worker.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lowering/flavour.h"
#include "runtime/compiler.h"

namespace wavesmith::test {

/// What one compiler made of one text.
struct Compiled {
  std::vector<std::byte> code_object;
  std::vector<std::string> changes;  ///< that it made on reading, where it can be asked
};

class Toolchain {
 public:
  virtual ~Toolchain() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< "LLVM 21.1.8", as in Flavour::verified_with
  [[nodiscard]] virtual const lowering::Flavour& flavour() const = 0;
  /// Throws with all that the compiler said when it does not compile, or says anything at all.
  [[nodiscard]] virtual Compiled compile(std::string_view ir, std::string_view target) = 0;
  /// The workers behind a comgr; null for every other compiler.
  [[nodiscard]] virtual runtime::CompilerPool* comgr_pool() { return nullptr; }
  /// Assembly of the code, with the kernel descriptor in it.
  [[nodiscard]] virtual std::string assembly(std::string_view ir, std::string_view target) = 0;
};

struct Toolchains {
  std::vector<std::unique_ptr<Toolchain>> ready;
  std::vector<std::string> skipped;  ///< "comgr-7.0 7.0.2: the package libamd-comgr3 is gone from sid"
};

/// All that can be had: this machine's LLVM 22 always, the others as `folder`/manifest.tsv says. Without a
/// manifest they are all skipped.
[[nodiscard]] Toolchains find_toolchains(const std::filesystem::path& folder);

}  // namespace wavesmith::test
