#include "tests/hip/counted_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};

}  // namespace

std::size_t wavesmith::test::allocations() {
  return count;
}

void* operator new(std::size_t bytes) {
  ++count;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
