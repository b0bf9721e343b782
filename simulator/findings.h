// Remembers what executions did that breaks a rule without ending the dispatch: for each instruction and kind
// of finding the first occurrence and how many executions there were. Wave notes, report.cpp lists.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "wavesmith/simulator.h"

namespace wavesmith::simulator {

/// Adds what another thread found in the same place. Of the first occurrences that of the lowest workgroup
/// stays.
template <class Entry>
void merge_entry(Entry& ours, const Entry& theirs) {
  if (ours.count == 0 || theirs.workgroup < ours.workgroup) {
    ours.first = theirs.first;
    ours.workgroup = theirs.workgroup;
  }
  ours.count += theirs.count;
}

template <class Kind>
class FindingLog {
 public:
  using Key = std::pair<std::uint32_t, Kind>;  ///< index of the instruction, kind

  struct Entry {
    Fault first;                  ///< place and sentence
    std::uint64_t workgroup = 0;  ///< flat index of the first occurrence
    std::uint64_t count = 0;
  };

  /// Counts one more; true for the first, which describe() then has to tell.
  bool note(Key key) { return ++entries_[key].count == 1; }
  void describe(Key key, std::uint64_t workgroup, Fault place) {
    Entry& entry = entries_[key];
    entry.first = std::move(place);
    entry.workgroup = workgroup;
  }

  /// Adds what another thread noted.
  void merge(const FindingLog& other) {
    for (const auto& [key, theirs] : other.entries_) merge_entry(entries_[key], theirs);
  }

  /// By rising address of the instruction.
  const std::map<Key, Entry>& entries() const { return entries_; }
  std::vector<Warning> list() const {
    std::vector<Warning> all;
    for (const auto& [key, entry] : entries_) all.push_back({entry.first, entry.count});
    return all;
  }

 private:
  std::map<Key, Entry> entries_;
};

}  // namespace wavesmith::simulator
