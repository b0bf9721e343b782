// Uses of inexact values that decide what a kernel does: as an address, a branch, the lanes that are active.
// tracker.h notes them, report.cpp lists them.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "wavesmith/simulator.h"

#include "simulator/fidelity/flow.h"

namespace wavesmith::simulator {

enum class InexactUseKind : std::uint8_t { address, branch, exec };

/// As in the enumeration; stable.
[[nodiscard]] std::string_view name(InexactUseKind kind);

/// By instruction and kind: the first place, how often, and on what all of them depended.
class InexactUseLog {
 public:
  using Key = std::pair<std::uint32_t, InexactUseKind>;  ///< index of the instruction
  struct Entry {
    Fault first;                  ///< without a sentence
    std::uint64_t workgroup = 0;  ///< flat index of the first one
    std::uint64_t count = 0;
    Origins origins = 0;
  };

  Entry& operator[](Key key) { return entries_[key]; }
  /// Adds what another thread noted. Of the first places that of the lowest workgroup stays.
  void merge(const InexactUseLog& other);
  [[nodiscard]] std::vector<InexactUse> list(const FlowTable& table, const Program& program) const;

 private:
  std::map<Key, Entry> entries_;
};

}  // namespace wavesmith::simulator
