// Placement, look-up and description of simulated allocations; memory.h has the interface.
#include "simulator/memory.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <sys/mman.h>

namespace wavesmith::simulator {
namespace {

// Any 32-bit offset that leaves a buffer lands in the gap.
constexpr std::uint64_t kGuardBytes = std::uint64_t{4} << 30;
// Device addresses have 47 bits for user space on the systems these GPUs run in.
constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 40;
constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 47;
constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace

void Memory::unmap(const Allocation& allocation) {
  if (allocation.mapped_bytes != 0) munmap(allocation.window.host, allocation.mapped_bytes);
}

Memory::~Memory() {
  for (const Allocation& allocation : allocations_) unmap(allocation);
}

Expected<DeviceAddress> Memory::place(std::uint64_t bytes, const AllocationOptions& options) const {
  std::vector<Refusal> refusals;
  if (bytes == 0 || bytes > kAddressLimit - kFirstAddress) {
    refusals.push_back(
        {"bytes", fmt::format("{}", bytes), fmt::format("1 to {}", kAddressLimit - kFirstAddress)});
  }
  if (!std::has_single_bit(options.alignment) || options.alignment > kGuardBytes) {
    refusals.push_back({"alignment", fmt::format("{}", options.alignment), "a power of two up to 4 GiB"});
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));

  if (options.address) {
    const std::uint64_t address = *options.address;
    const auto refuse = [&](const char* allowed) -> Expected<DeviceAddress> {
      return std::unexpected(Error::refused({{"address", fmt::format("{:#x}", address), allowed}}));
    };
    if (address % options.alignment != 0) return refuse("a multiple of the alignment");
    if (address < kPage || address >= kAddressLimit || bytes > kAddressLimit - address) {
      return refuse("a range from 4096 up to 2^47");
    }
    for (const MemoryWindow& window : windows_) {
      if (address < window.address + window.size && window.address < address + bytes) {
        return refuse("a range that overlaps no allocation");
      }
    }
    return address;
  }
  std::uint64_t address = align_up(kFirstAddress, options.alignment);
  for (const MemoryWindow& window : windows_) {
    if (address + bytes + kGuardBytes <= window.address) break;
    const std::uint64_t after = align_up(window.address + window.size, kPage) + kGuardBytes;
    address = std::max(address, align_up(after, options.alignment));
  }
  if (address >= kAddressLimit || bytes > kAddressLimit - address) {
    return fail(ErrorKind::environment,
                fmt::format("no room for {} bytes in the simulated address space", bytes));
  }
  return address;
}

Expected<DeviceAddress> Memory::allocate(std::uint64_t bytes, const AllocationOptions& options) {
  const Expected<DeviceAddress> address = place(bytes, options);
  if (!address) return address;
  const std::uint64_t mapped = options.backing != nullptr ? 0 : align_up(bytes, kPage);
  void* host = options.backing;
  if (host == nullptr) {
    host = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (host == MAP_FAILED) {
    return fail(ErrorKind::environment,
                fmt::format("the host cannot map {} bytes for '{}'", bytes, options.name));
  }
  const MemoryWindow window{*address, bytes, static_cast<std::byte*>(host), options.writable};
  const auto at = std::ranges::upper_bound(windows_, *address, {}, &MemoryWindow::address) - windows_.begin();
  windows_.insert(windows_.begin() + at, window);
  allocations_.insert(allocations_.begin() + at, Allocation{window, options.name, mapped});
  return address;
}

Expected<void> Memory::free(DeviceAddress address) {
  const auto at = std::ranges::lower_bound(windows_, address, {}, &MemoryWindow::address) - windows_.begin();
  if (at == static_cast<std::ptrdiff_t>(windows_.size()) ||
      windows_[static_cast<std::size_t>(at)].address != address) {
    return std::unexpected(
        Error::refused({{"address", fmt::format("{:#x}", address), "the start of an allocation"}}));
  }
  const Allocation& allocation = allocations_[static_cast<std::size_t>(at)];
  unmap(allocation);
  windows_.erase(windows_.begin() + at);
  allocations_.erase(allocations_.begin() + at);
  return {};
}

const MemoryWindow* Memory::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(windows_, address, {}, &MemoryWindow::address);
  if (after == windows_.begin()) return nullptr;
  const MemoryWindow& window = *(after - 1);
  return address - window.address < window.size ? &window : nullptr;
}

std::string Memory::describe(std::uint64_t address, std::uint64_t bytes) const {
  if (const MemoryWindow* window = find(address)) {
    const Allocation& allocation = allocations_[static_cast<std::size_t>(window - windows_.data())];
    const std::uint64_t offset = address - window->address;
    if (window->size - offset >= bytes) {
      return fmt::format("inside '{}' at byte {} of {}", allocation.name, offset, window->size);
    }
    return fmt::format("it begins in '{}' at byte {} and passes its end at {}", allocation.name, offset,
                       window->size);
  }
  const Allocation* nearest = nullptr;
  std::uint64_t distance = 0;
  bool after = false;
  for (const Allocation& allocation : allocations_) {
    const MemoryWindow& window = allocation.window;
    const bool past_end = address >= window.address;
    const std::uint64_t gap = past_end ? address - (window.address + window.size) : window.address - address;
    if (nearest == nullptr || gap < distance) {
      nearest = &allocation;
      distance = gap;
      after = past_end;
    }
  }
  if (nearest == nullptr) return "nothing is allocated";
  return fmt::format("{} bytes {} '{}' ({} bytes at {:#x})", distance, after ? "after the end of" : "before",
                     nearest->name, nearest->window.size, nearest->window.address);
}

}  // namespace wavesmith::simulator
