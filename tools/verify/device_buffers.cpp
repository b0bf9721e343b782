// Addresses and copies.
#include "tools/verify/device_buffers.h"

#include <algorithm>
#include <utility>

namespace wavesmith::verify {
namespace {

using simulator::DeviceAddress;

/// The address of buffer `index` of a launch, if the case says where.
std::optional<DeviceAddress> address_of(Placement placement, std::uint64_t index, std::uint64_t bytes) {
  constexpr std::uint64_t four_gib = std::uint64_t{1} << 32, page = 4096;
  constexpr std::uint64_t apart = 16 * four_gib;  // more than the largest buffer and its guards
  switch (placement) {
    case Placement::anywhere:
      return std::nullopt;
    case Placement::across_4_gib:
      return 64 * four_gib + index * apart - bytes / 2 / page * page -
             (bytes < 2 * page ? bytes / 512 * 256 : 0);
    case Placement::at_the_top:
      return (std::uint64_t{1} << 47) - index * apart - (bytes + page - 1) / page * page;
  }
  return std::nullopt;
}

}  // namespace

Expected<DeviceAddress> DeviceBuffers::allocate(std::uint64_t bytes, std::string name, bool writable) {
  // A buffer without elements still needs an address; the kernel must not touch it.
  constexpr std::uint64_t least_bytes = 16;
  bytes = std::max(bytes, least_bytes);
  const auto address = device_.allocate(bytes, {.name = std::move(name),
                                                .address = address_of(placement_, allocated_.size(), bytes),
                                                .writable = writable});
  if (address) allocated_.push_back(*address);
  return address;
}

Expected<DeviceAddress> DeviceBuffers::upload(std::span<const std::byte> bytes, std::string name,
                                              bool writable) {
  const auto address = allocate(bytes.size(), std::move(name), writable);
  if (!address || bytes.empty()) return address;
  if (const auto written = device_.write(*address, bytes); !written) return std::unexpected(written.error());
  return address;
}

Expected<DeviceAddress> DeviceBuffers::upload(const TensorData& tensor, std::string name, bool writable) {
  const auto bytes = std::as_bytes(std::span(tensor.bits));
  const Pages& pages = tensor.shape.pages;
  if (pages.count() == static_cast<std::int64_t>(pages.numbers.size()))
    return upload(bytes, std::move(name), writable);
  const auto distance = 2 * static_cast<std::uint64_t>(tensor.shape.strides.batch);
  const std::uint64_t last_page = bytes.size() - (pages.numbers.size() - 1) * distance;
  const auto address = allocate(static_cast<std::uint64_t>(pages.numbers.back()) * distance + last_page,
                                std::move(name), writable);
  if (!address) return address;
  for (std::size_t slot = 0; slot < pages.numbers.size(); ++slot) {
    const auto page =
        bytes.subspan(slot * distance, std::min<std::size_t>(distance, bytes.size() - slot * distance));
    const auto written =
        device_.write(*address + static_cast<std::uint64_t>(pages.numbers[slot]) * distance, page);
    if (!written) return std::unexpected(written.error());
  }
  return address;
}

Expected<DeviceAddress> DeviceBuffers::upload_table(std::span<const std::int32_t> table, std::string name) {
  // What stands before the table is no length and no page.
  std::vector<std::int32_t> entries{-1};
  entries.insert(entries.end(), table.begin(), table.end());
  const auto address = upload(std::as_bytes(std::span(entries)), std::move(name), false);
  if (!address) return address;
  return *address + sizeof(std::int32_t);
}

Expected<void> DeviceBuffers::free_all() {
  for (const DeviceAddress address : allocated_)
    if (const auto freed = device_.free(address); !freed) return freed;
  allocated_.clear();
  return {};
}

}  // namespace wavesmith::verify
