// The four gates of the contract: check() runs one kernel on its shapes and says everything that is not as
// promised.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wavesmith/error.h"

#include "tools/contract/execution.h"
#include "tools/contract/problem.h"

namespace wavesmith::contract {

/// A set of gates.
struct Gates {
  std::array<bool, gate_names.size()> chosen{true, true, true, true};

  [[nodiscard]] bool has(Gate gate) const { return chosen[static_cast<std::size_t>(gate)]; }
  [[nodiscard]] static Gates none() { return {{false, false, false, false}}; }
};

/// Something that works and that nobody promised: neither pass nor fail, to be reviewed.
struct Remark {
  std::string kind;  ///< one of finding_kinds
  std::string what;  ///< one sentence

  friend bool operator==(const Remark&, const Remark&) = default;
};

struct Verdict {
  std::vector<Problem> problems;
  std::vector<Remark> remarks;

  [[nodiscard]] bool passes(Gate gate) const;
  void add(Verdict more);
};

/// What check() is to do beside its default.
struct CheckOptions {
  Gates gates = {};
  bool thorough = true;  ///< look for uses of what was never written too; takes twice the time
  unsigned threads = 1;  ///< of the simulator and the oracle
  Edit edit = {};        ///< of every launch: a planted fault
};

/// The kernel on each of the shapes; the stability gate takes the first of them alone. Errors: what says
/// nothing about the kernel (a shape that is refused).
[[nodiscard]] Expected<Verdict> check(const Subject& subject, std::span<const Shape> shapes,
                                      const CheckOptions& options = {});

/// The gate that needs no execution: the code object against Plan and launch. `launch`: as it will be packed.
[[nodiscard]] Verdict check_resolves(const Subject& subject, const dense::Launch& launch);

}  // namespace wavesmith::contract
