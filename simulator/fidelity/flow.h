// Where values go in each instruction of a program, prepared once for a dispatch that follows inexact values:
// which results are inexact themselves, which operands are addresses, what becomes of SCC, VCC and EXEC
// beside the operands. tracker.h follows values with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/simulator.h"

#include "simulator/program.h"

namespace wavesmith::simulator {

/// Which inexact instructions a value depends on: a bit for each of FlowTable::origins, 0 for none.
using Origins = std::uint32_t;
inline constexpr unsigned kOrigins = 32;

/// What a branch looks at.
enum class Decides : std::uint8_t { nothing, scc, vcc, exec, operand };

struct Flow {
  Origins own = 0;              ///< of its results
  bool own_if_partial = false;  ///< only where lanes are inactive
  std::uint8_t addresses = 0;   ///< bit k: operand k is part of an address
  bool m0_is_address = false;
  bool needs_lanes = false;  ///< does nothing where no lane is active
  bool reads_scc = false, writes_scc = false;
  bool keeps_if_scc = false;    ///< s_cmov: the old value may stay
  bool reads_vcc = false;       ///< without naming it: v_div_fmas
  bool saves_exec = false;      ///< s_*_saveexec: the result is the old EXEC, EXEC becomes the function
  bool writes_exec = false;     ///< without naming it: these, s_*_wrexec, v_cmpx
  bool joins_exec = false;      ///< s_or_b64 with EXEC as operand and result: the end of a divergent region
  bool scratch = false;         ///< loads or stores in scratch, or may
  bool partial_result = false;  ///< part of the result's register stays
  Decides decides = Decides::nothing;
};

struct FlowTable {
  /// An inexact instruction by name. The last one stands for all that found no place.
  struct Origin {
    std::string mnemonic;
    Fidelity fidelity;
  };
  std::vector<Flow> flows;  ///< by instruction
  std::vector<Origin> origins;
};

[[nodiscard]] FlowTable make_flow_table(const Program& program, const Options& options);

/// Whether a scalar instruction sets SCC, and whether it reads it. CDNA4 guide, scalar instructions.
[[nodiscard]] bool sets_scc(const Row& row);
[[nodiscard]] bool reads_scc(const Row& row);

}  // namespace wavesmith::simulator
