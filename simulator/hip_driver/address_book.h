// What every address that a HIP program may pass stands for: memory of a simulated GPU, or host memory that
// kernels see as well (pinned, registered, managed). Addresses of GPUs are in a range where no host memory
// lies, and differ between GPUs, so that an address says where it belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "runtime/launcher/hip_abi.h"

namespace wavesmith::simulator::hip_driver {

using Address = std::uintptr_t;

struct Block {
  Address address = 0;
  std::size_t bytes = 0;
  hip::MemoryType type = hip::MemoryType::device;
  int gpu = 0;
  unsigned flags = 0;
  std::byte* host = nullptr;     ///< null for memory of a GPU
  std::size_t mapped_bytes = 0;  ///< of host memory that the driver mapped; 0 for the program's own
  bool variable = false;         ///< of a module: not to be freed

  [[nodiscard]] bool holds(Address at, std::size_t count) const {
    return at - address <= bytes && bytes - (at - address) >= count;
  }
};

class AddressBook {
 public:
  /// The block that has this address, or null.
  [[nodiscard]] const Block* find(Address address) const;
  /// The block that starts there, or null.
  [[nodiscard]] const Block* starting_at(Address address) const;
  /// False when it would overlap another block.
  bool insert(const Block& block);
  void erase(Address address) { blocks_.erase(address); }

  /// A free place of a GPU, with room around it for stray accesses; 0 when there is none.
  [[nodiscard]] Address place(int gpu, std::size_t gpus, std::size_t bytes) const;

  /// Whether an address is in the range of GPU memory, allocated or not.
  [[nodiscard]] static bool on_gpu(Address address);

  [[nodiscard]] const std::map<Address, Block>& blocks() const { return blocks_; }

 private:
  std::map<Address, Block> blocks_;
};

}  // namespace wavesmith::simulator::hip_driver
