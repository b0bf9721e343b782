// The order of use and the bound.
#include "runtime/jit/memory_cache.h"

#include <utility>

namespace wavesmith::runtime {

std::uint64_t bytes_of(const JitKernel& kernel) {
  std::uint64_t bytes = sizeof kernel + kernel.hsaco.size() + kernel.symbol.size() + kernel.compiler.size();
  for (const JitArgument& argument : kernel.arguments)
    bytes += sizeof argument + argument.name.size() + argument.kind.size();
  return bytes;
}

JitKernelPointer MemoryCache::find(std::string_view key) {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return nullptr;
  order_.splice(order_.begin(), order_, entry->second);
  return order_.front();
}

void MemoryCache::insert(JitKernelPointer kernel) {
  const std::uint64_t bytes = bytes_of(*kernel);
  if (bytes > limit_bytes_ || entries_.contains(kernel->key)) return;
  while (bytes_ + bytes > limit_bytes_) {
    const JitKernel& oldest = *order_.back();
    bytes_ -= bytes_of(oldest);
    entries_.erase(oldest.key);
    order_.pop_back();
    ++evictions_;
  }
  bytes_ += bytes;
  order_.push_front(std::move(kernel));
  entries_.emplace(order_.front()->key, order_.begin());
}

}  // namespace wavesmith::runtime
