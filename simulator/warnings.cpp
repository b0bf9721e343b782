// The log of broken rules; warnings.h has the interface.
#include "simulator/warnings.h"

namespace wavesmith::simulator {

std::string_view sentence(WarningKind kind) {
  switch (kind) {
    case WarningKind::misaligned_lds:
      return "LDS address that the size of the access does not divide (16 for 96 bits, 4 for a load to LDS): "
             "slower, and an error where unaligned access is off";
    case WarningKind::misaligned_buffer:
      return "buffer access of dwords at an address that is not a multiple of 4: rounded down where "
             "unaligned "
             "access is off";
  }
  return "";
}

void WarningLog::describe(Key key, std::uint64_t workgroup, Fault place) {
  Entry& entry = entries_[key];
  entry.warning.first = std::move(place);
  entry.workgroup = workgroup;
}

void WarningLog::merge(const WarningLog& other) {
  for (const auto& [key, theirs] : other.entries_) {
    Entry& ours = entries_[key];
    if (ours.warning.count == 0 || theirs.workgroup < ours.workgroup) {
      ours.warning.first = theirs.warning.first;
      ours.workgroup = theirs.workgroup;
    }
    ours.warning.count += theirs.warning.count;
  }
}

std::vector<Warning> WarningLog::list() const {
  std::vector<Warning> warnings;
  for (const auto& [key, entry] : entries_) warnings.push_back(entry.warning);
  return warnings;
}

}  // namespace wavesmith::simulator
