// wavesmith.h as C++17, where no function may throw.
#include "wavesmith/wavesmith.h"

static_assert(__cplusplus == 201703L);
static_assert(noexcept(wavesmith_jit_get(nullptr, nullptr, nullptr)));
static_assert(noexcept(wavesmith_last_error()));

extern "C" int wavesmith_test_versions_cpp(void) {
  return wavesmith_abi_version();
}
