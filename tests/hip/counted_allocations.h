// Counts the allocations by operator new of a program that this is linked into.
#pragma once

#include <cstddef>

namespace wavesmith::test {

/// So far, of all threads.
[[nodiscard]] std::size_t allocations();

}  // namespace wavesmith::test
