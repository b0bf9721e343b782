// The sentences of warnings; warnings.h has the rules.
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

}  // namespace wavesmith::simulator
