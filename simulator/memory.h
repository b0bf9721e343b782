// The simulated 64-bit address space: allocations with exact bounds and guard gaps of 4 GiB between them,
// backed by host memory that is only committed when touched. Memory is the entry; every access of a kernel
// goes through find().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

namespace wavesmith::simulator {

/// A range of simulated memory and its host bytes. Remembering the last hit makes most look-ups one
/// comparison.
struct MemoryWindow {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::byte* host = nullptr;
  bool writable = false;

  /// The host address of [at, at + bytes), or null when that is not inside.
  std::byte* translate(std::uint64_t at, std::uint64_t bytes) const {
    const std::uint64_t offset = at - address;
    return offset < size && size - offset >= bytes ? host + offset : nullptr;
  }
};

class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Expected<DeviceAddress> allocate(std::uint64_t bytes, const AllocationOptions& options);
  Expected<void> free(DeviceAddress address);

  /// The allocation that holds `address`, or null. Safe from several threads while nothing is allocated or
  /// freed.
  const MemoryWindow* find(std::uint64_t address) const;

  /// Host bytes of [address, address + bytes) in one allocation, or null. `hint` is tried first and updated.
  std::byte* translate(std::uint64_t address, std::uint64_t bytes, MemoryWindow& hint) const {
    if (std::byte* host = hint.translate(address, bytes)) return host;
    const MemoryWindow* window = find(address);
    if (window == nullptr) return nullptr;
    hint = *window;
    return hint.translate(address, bytes);
  }

  /// Where an address lies with respect to the nearest allocation, for messages.
  std::string describe(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Allocation {
    MemoryWindow window;
    std::string name;
    std::uint64_t mapped_bytes = 0;  ///< 0 for memory of the caller's
  };
  static void unmap(const Allocation& allocation);

  // Two arrays with the same order (rising addresses): windows_ keeps the look-up compact.
  std::vector<MemoryWindow> windows_;
  std::vector<Allocation> allocations_;

  Expected<DeviceAddress> place(std::uint64_t bytes, const AllocationOptions& options) const;
};

}  // namespace wavesmith::simulator
