// A request that has been resolved: its identity, and how its text is made if nobody has its code object. The
// resolver makes recipes from requests (request_resolver.h), the store (kernel_store.h) serves them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/compiler_interface.h"

namespace wavesmith::runtime {

struct Recipe {
  std::string key;  ///< SHA-256 over everything below and the emitter, hexadecimal
  std::string symbol;
  std::string spec;      ///< family and canonical spec, "name=value" lines
  std::string target;    ///< LLVM's syntax
  std::string flavour;   ///< a name, never auto
  std::string options;   ///< every option of emission and compiler, as text
  std::string compiler;  ///< CompilerInfo::identity
  Backend backend = Backend::llvm;
  unsigned code_object_version = 5;
  std::function<Expected<std::string>()> emit;  ///< LLVM IR text
};

/// What a compiler made of a recipe's text.
struct Made {
  std::vector<std::byte> hsaco;
  std::string compiler;  ///< identity of what really compiled
};

}  // namespace wavesmith::runtime
