// The compiler of the contract's tests, and golden cases by name.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "golden/emission.h"
#include "tools/contract/case.h"
#include "tools/contract/control.h"

namespace wavesmith::test {

/// The LLVM of the compiler worker, one worker.
[[nodiscard]] inline const contract::KernelCompiler& compiler() {
  static runtime::CompilerPool pool([] {
    runtime::CompilerPoolOptions options;
    options.workers = 1;
    return options;
  }());
  static const contract::KernelCompiler llvm(pool, runtime::Backend::llvm);
  return llvm;
}

/// The value; throws the error.
template <class T>
[[nodiscard]] T required(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message + "\n" + value.error().log);
  return *std::move(value);
}

/// The contract case of a golden case of gfx950, by the last part of its id.
[[nodiscard]] inline contract::ContractCase contract_case(std::string_view variant) {
  const golden::Case* one = golden::find_case("attention-dense/gfx950/" + std::string(variant));
  if (one == nullptr) throw std::runtime_error("no golden case " + std::string(variant));
  return contract::contract_cases({one, 1}).front();
}

/// The kernels that faults are planted into.
[[nodiscard]] inline const std::vector<contract::ControlKernel>& control_kernels() {
  static const std::vector<contract::ControlKernel> all =
      required(contract::control_kernels({.processor = "gfx950"}));
  return all;
}

/// One of them, compiled and run when it is first asked for.
[[nodiscard]] inline const contract::Baseline& baseline_of(const contract::ControlKernel& kernel) {
  static std::map<std::string, contract::Baseline> made;
  const auto known = made.find(kernel.name);
  if (known != made.end()) return known->second;
  return made.emplace(kernel.name, required(contract::baseline(kernel, compiler(), 2))).first->second;
}

}  // namespace wavesmith::test
