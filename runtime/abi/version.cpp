// Versions.
#include <string>

#include "wavesmith/wavesmith.h"

#include "generator/identity.h"

extern "C" {

int32_t wavesmith_abi_version(void) noexcept {
  return WAVESMITH_ABI_VERSION;
}

const char* wavesmith_version(void) noexcept {
  return WAVESMITH_VERSION;
}

const char* wavesmith_emitter_identity(void) noexcept {
  // A view of a literal.
  return wavesmith::generator::emitter_identity().data();
}
}
