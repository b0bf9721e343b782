// The compiler of the contract's tests, and golden cases by name.
#pragma once

#include <stdexcept>
#include <string_view>

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

/// The two kernels that faults are planted into, compiled and run once.
[[nodiscard]] inline const std::vector<contract::Baseline>& baselines() {
  static const std::vector<contract::Baseline> all = [] {
    std::vector<contract::Baseline> made;
    for (const auto& kernel : required(contract::control_kernels({.processor = "gfx950"})))
      made.push_back(required(contract::baseline(kernel, compiler(), 2)));
    return made;
  }();
  return all;
}

}  // namespace wavesmith::test
