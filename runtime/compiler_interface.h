// What a compiler of LLVM IR text is asked and what it answers. This is the one statement of that interface:
// callers of CompilerPool (compiler.h), the wire format between pool and worker (compiler_protocol.h) and
// every compile backend inside the worker (compiler/backend.h) use these types. check_request() is the one
// place that refuses requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/target_id.h"

namespace wavesmith::runtime {

/// Who compiles.
enum class Backend : std::uint8_t {
  automatic,  ///< choose_compiler() (compiler_choice.h) decides; a request that still says this gets llvm
  comgr,      ///< ROCm's code object manager
  llvm,       ///< the LLVM and LLD that the worker is linked to
};

/// "auto", "comgr", "llvm".
[[nodiscard]] std::string_view name_of(Backend backend);

/// A compiler that was found.
struct CompilerInfo {
  std::string version;  ///< for people: "LLVM 22.1.8 (llvm), LLD 22.1.8", "comgr 3.0 on LLVM 21.1.8"
  /// `version` and what tells this build from every other of that version: the build ids of its libraries.
  std::string identity;
  std::uint32_t llvm_major = 0;
  std::vector<std::string> processors;  ///< those that it compiles for

  [[nodiscard]] bool supports(const TargetId& target) const;
};

struct CompileRequest {
  /// LLVM IR text for triple amdgcn-amd-amdhsa. Triple, data layout and code object version may be left out;
  /// what the text does say has to agree with the request and the compiler. Debug information is kept: line
  /// tables in the text become .debug_line in the code object.
  std::string ir;
  std::string target;                     ///< LLVM's syntax: "gfx950", "gfx942:sramecc+:xnack-"
  std::uint32_t code_object_version = 5;  ///< 5 or 6; generic targets need 6
  std::uint32_t optimization_level = 3;   ///< 0 to 3, as -O0 to -O3
  Backend backend = Backend::automatic;
  bool want_assembly = false;  ///< also return the compiler's assembly text, with its comments on resources
  bool want_disassembly = false;  ///< also return what the kernels' bytes disassemble to
};

/// Time spent in the worker on the way to the code object. comgr does the first four steps in one, which is
/// counted as code generation. Assembly and disassembly on request are not
/// counted.
struct CompileMilliseconds {
  double parse = 0;     ///< text to module
  double verify = 0;    ///< LLVM's verifier and wavesmith's own checks
  double optimize = 0;  ///< the IR pipeline
  double codegen = 0;   ///< module to relocatable object
  double link = 0;      ///< object to code object
  [[nodiscard]] double total() const { return parse + verify + optimize + codegen + link; }
};

struct CompileResult {
  std::vector<std::byte> hsaco;  ///< the linked code object
  std::string assembly;          ///< empty unless asked for
  std::string disassembly;       ///< empty unless asked for
  std::string log;               ///< warnings and remarks, one a line; what the text had rewritten or ignored
  std::string compiler;          ///< CompilerInfo::identity of what compiled
  CompileMilliseconds milliseconds;
};

/// The target of a request that a worker can try, or every field that is refused.
[[nodiscard]] Expected<TargetId> check_request(const CompileRequest& request);

}  // namespace wavesmith::runtime
