// ROCm's code object manager, opened at run time: what it is, and one action of it at a time. Nothing of
// comgr's own types leaves this pair of files; comgr_backend.cpp compiles with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/compiler/comgr_api.h"

namespace wavesmith::runtime {

/// The prefix of comgr's names for processors.
inline constexpr std::string_view comgr_isa_prefix = "amdgcn-amd-amdhsa--";

class ComgrLibrary {
 public:
  struct LlvmVersion {
    unsigned major = 0, minor = 0, patch = 0;
  };
  /// One action: what to do with what, for which target, with which options of the clang driver.
  struct Action {
    std::uint32_t action = 0;  ///< of actions()
    comgr::DataKind input_kind{}, output_kind{};
    std::string_view input;
    std::string isa;  ///< "amdgcn-amd-amdhsa--gfx950"
    comgr::Language language = comgr::Language::none;
    std::vector<const char*> options;
  };
  struct Output {
    std::vector<char> bytes;
    std::string log;
  };

  /// Opens the library at `path`, or where that is empty the first of libamd_comgr.so.3 and .so.2 that the
  /// loader finds or ROCm's folder has. Its symbols stay its own. Its cache of results is switched off, for
  /// the environment of this process. Errors (environment): what the loader said of each.
  [[nodiscard]] static Expected<std::unique_ptr<ComgrLibrary>> open(const std::string& path);

  [[nodiscard]] std::string interface_version() const;
  /// Of the LLVM in it: asked of the library, and where it does not export the question, of its preprocessor.
  [[nodiscard]] Expected<LlvmVersion> llvm_version() const;
  /// The second way alone. This is clang's version, whose patch number may differ from LLVM's.
  [[nodiscard]] Expected<LlvmVersion> preprocessor_version() const;
  /// What tells this build from any other of the same version: build ids of comgr and of its LLVM.
  [[nodiscard]] std::string build() const;
  [[nodiscard]] Expected<std::vector<std::string>> isa_names() const;

  [[nodiscard]] const comgr::Actions& actions() const { return *actions_; }
  /// Errors: invalid_request for a target that comgr does not have (field "target"), else compiler_failed
  /// with all that comgr logged.
  [[nodiscard]] Expected<Output> run(const Action& action) const;

 private:
  ComgrLibrary() = default;

  void* library_ = nullptr;  ///< never closed: its LLVM does not survive being unloaded
  comgr::Functions functions_{};
  const comgr::Actions* actions_ = nullptr;
};

}  // namespace wavesmith::runtime
