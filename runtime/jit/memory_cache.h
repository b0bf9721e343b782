// Kernels in memory, at most so many bytes of them: the one used longest ago goes first. Not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "wavesmith/jit.h"

namespace wavesmith::runtime {

class MemoryCache {
 public:
  explicit MemoryCache(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// Null when it is not there; else it is now the one used last.
  [[nodiscard]] JitKernelPointer find(std::string_view key);
  [[nodiscard]] bool contains(std::string_view key) const { return entries_.contains(key); }

  /// A kernel that alone takes more than the limit is not kept.
  void insert(JitKernelPointer kernel);

  [[nodiscard]] std::uint64_t kernels() const { return entries_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

 private:
  using Order = std::list<JitKernelPointer>;

  std::uint64_t limit_bytes_;
  std::uint64_t bytes_ = 0;
  std::uint64_t evictions_ = 0;
  Order order_;                                                    ///< used last first
  std::unordered_map<std::string_view, Order::iterator> entries_;  ///< keys are the kernels' own
};

/// What a kernel counts for.
[[nodiscard]] std::uint64_t bytes_of(const JitKernel& kernel);

}  // namespace wavesmith::runtime
