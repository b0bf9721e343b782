// Buffers of simulated GPUs, host memory that kernels see, and what an address stands for.
#include <fmt/format.h>
#include <sys/mman.h>

#include "simulator/hip_driver/driver.h"

namespace wavesmith::simulator::hip_driver {

Status Driver::allocate(int index, std::size_t bytes, Address& address) {
  Gpu& gpu = gpus[static_cast<std::size_t>(index)];
  if (gpu.fault != Status::success) return gpu.fault;
  if (bytes > gpu.model->memory_bytes - gpu.allocated) return Status::out_of_memory;
  address = book.place(index, gpus.size(), bytes);
  if (address == 0) return Status::out_of_memory;
  AllocationOptions options;
  options.name = fmt::format("hipMalloc({})", bytes);
  options.address = address;
  if (!gpu.device.allocate(bytes, std::move(options))) return Status::out_of_memory;
  gpu.allocated += bytes;
  book.insert({.address = address, .bytes = bytes, .type = hip::MemoryType::device, .gpu = index});
  return Status::success;
}

Status Driver::allocate_host(int index, std::size_t bytes, unsigned flags, hip::MemoryType type,
                             std::byte* own, Address& address) {
  if (const Status fault = gpus[static_cast<std::size_t>(index)].fault; fault != Status::success)
    return fault;
  Block block{.bytes = bytes, .type = type, .gpu = index, .flags = flags, .host = own};
  if (own == nullptr) {
    void* const fresh =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) return Status::out_of_memory;
    block.host = static_cast<std::byte*>(fresh);
    block.mapped_bytes = bytes;
  }
  block.address = reinterpret_cast<Address>(block.host);
  const auto undo = [&](std::size_t mapped_on) {
    for (std::size_t i = 0; i < mapped_on; ++i) (void)gpus[i].device.free(block.address);
    if (block.mapped_bytes != 0) munmap(block.host, block.mapped_bytes);
  };
  // Kernels see it at the host's own address, on every GPU.
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    AllocationOptions options;
    options.name = fmt::format("host memory ({} bytes)", bytes);
    options.alignment = 1;
    options.address = block.address;
    options.backing = block.host;
    if (!gpus[i].device.allocate(bytes, std::move(options))) {
      undo(i);
      return own != nullptr ? Status::host_memory_already_registered : Status::out_of_memory;
    }
  }
  if (!book.insert(block)) {
    undo(gpus.size());
    return Status::host_memory_already_registered;
  }
  address = block.address;
  return Status::success;
}

Status Driver::free(Address address) {
  const Block* const found = book.starting_at(address);
  if (found == nullptr || found->variable) return Status::invalid_value;
  const Block block = *found;
  book.erase(address);
  if (block.host == nullptr) {
    Gpu& gpu = gpus[static_cast<std::size_t>(block.gpu)];
    (void)gpu.device.free(address);
    gpu.allocated -= block.bytes;
    return Status::success;
  }
  for (Gpu& gpu : gpus) (void)gpu.device.free(address);
  if (block.mapped_bytes != 0) munmap(block.host, block.mapped_bytes);
  return Status::success;
}

Status Driver::check_range(Address address, std::size_t pitch, std::size_t width, std::size_t height) const {
  if (address == 0) return Status::invalid_value;
  const Block* const block = book.find(address);
  if (block == nullptr) return AddressBook::on_gpu(address) ? Status::invalid_value : Status::success;
  const std::size_t room = block->bytes - (address - block->address);
  if (width > room) return Status::invalid_value;
  return height <= 1 || (height - 1) <= (room - width) / pitch ? Status::success : Status::invalid_value;
}

std::byte* Driver::host_bytes(Address address, std::size_t bytes) {
  const Block* const block = book.find(address);
  if (block == nullptr) {
    return AddressBook::on_gpu(address) ? nullptr : reinterpret_cast<std::byte*>(address);
  }
  if (!block->holds(address, bytes)) return nullptr;
  if (block->host != nullptr) return block->host + (address - block->address);
  const auto view = gpus[static_cast<std::size_t>(block->gpu)].device.view(address, bytes);
  return view ? view->data() : nullptr;
}

}  // namespace wavesmith::simulator::hip_driver
