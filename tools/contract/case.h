// The contract's cases: one for each golden case of a target that the simulator has, on small shapes that
// follow from its spec by rule. contract_cases() makes them, uncovered() says which golden cases have none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/cases.h"
#include "runtime/compiler.h"
#include "tools/contract/execution.h"

namespace wavesmith::contract {

struct ContractCase {
  std::string id;  ///< of the golden case
  dense::Plan plan;
  std::vector<Shape> shapes;  ///< the first one reaches all of the kernel's code
};

/// Small shapes for a kernel: several tiles of keys before, in and after the loop without mask, with another
/// batch element and, where there is one, another key/value head beside; and two blocks of rows, of which
/// under a causal mask most see no key, with a single tile that is not full. Where the kernel reads lengths
/// from memory, both with sequences of different lengths.
[[nodiscard]] std::vector<Shape> shapes_for(const dense::Spec& spec);

/// Cases that do not resolve, of other families and of targets without simulator get none.
[[nodiscard]] std::vector<ContractCase> contract_cases(std::span<const golden::Case> goldens);

/// Golden cases without a contract case, by id, each with the reason where it is known.
[[nodiscard]] std::vector<std::string> uncovered(std::span<const golden::Case> goldens,
                                                 std::span<const ContractCase> cases);

/// Asks a compiler pool for code objects of one backend.
class KernelCompiler {
 public:
  KernelCompiler(runtime::CompilerPool& pool, runtime::Backend wanted) : pool_(pool), wanted_(wanted) {}

  /// Of the Plan, or of text that a fault was planted into. The line table names the Plan's steps; the code
  /// is the same without. Errors: the compiler's.
  [[nodiscard]] Expected<std::vector<std::byte>> compile(const dense::Plan& plan) const;
  [[nodiscard]] Expected<std::vector<std::byte>> compile(const dense::Plan& plan,
                                                         std::unique_ptr<ir::Kernel> draft) const;

 private:
  runtime::CompilerPool& pool_;
  runtime::Backend wanted_;
};

}  // namespace wavesmith::contract
