// Remembers what an execution did that works but breaks a rule: for each instruction and rule the first
// occurrence and how many executions there were. Wave::warn writes, report.cpp reads.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "wavesmith/simulator.h"

namespace wavesmith::simulator {

enum class WarningKind : std::uint8_t {
  misaligned_lds,     ///< DS access at an address that its size does not divide (16 for 96 bits)
  misaligned_buffer,  ///< MUBUF access of dwords at an address that is no multiple of 4
};

/// What a reader of the report is told.
std::string_view sentence(WarningKind kind);

class WarningLog {
 public:
  using Key = std::pair<std::uint32_t, WarningKind>;  ///< index of the instruction, rule

  /// Counts one more; true for the first, which describe() then has to tell.
  bool note(Key key) { return ++entries_[key].warning.count == 1; }
  void describe(Key key, std::uint64_t workgroup, Fault place);

  /// Adds what another thread noted. Of the first occurrences that of the lowest workgroup stays.
  void merge(const WarningLog& other);

  /// By rising address of the instruction.
  std::vector<Warning> list() const;

 private:
  struct Entry {
    Warning warning;
    std::uint64_t workgroup = 0;  ///< flat index of the first occurrence
  };
  std::map<Key, Entry> entries_;
};

}  // namespace wavesmith::simulator
