// Look-up and placement of blocks.
#include "simulator/hip_driver/address_book.h"

#include <algorithm>

namespace wavesmith::simulator::hip_driver {
namespace {

// The simulator places code and kernel arguments from 2^40 on; buffers are kept apart from them. Linux gives
// no process memory up to 2^46: programs and heaps are above it, or below 2^40 when linked to a fixed
// address.
constexpr Address kFirstAddress = Address{1} << 40;
constexpr Address kFirstBuffer = Address{1} << 42;
constexpr Address kLastBuffer = Address{1} << 46;
// Any 32-bit offset that leaves a buffer lands in the gap.
constexpr Address kGap = Address{4} << 30;
constexpr Address kAlignment = 4096;

}  // namespace

const Block* AddressBook::find(Address address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = std::prev(after)->second;
  return address - block.address < block.bytes ? &block : nullptr;
}

const Block* AddressBook::starting_at(Address address) const {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? nullptr : &found->second;
}

bool AddressBook::insert(const Block& block) {
  const auto after = blocks_.lower_bound(block.address);
  if (after != blocks_.end() && after->first - block.address < block.bytes) return false;
  if (after != blocks_.begin()) {
    const Block& before = std::prev(after)->second;
    if (block.address - before.address < before.bytes) return false;
  }
  return blocks_.emplace(block.address, block).second;
}

Address AddressBook::place(int gpu, std::size_t gpus, std::size_t bytes) const {
  const Address span = (kLastBuffer - kFirstBuffer) / gpus / kGap * kGap;
  const Address first = kFirstBuffer + static_cast<Address>(gpu) * span;
  Address address = first;
  for (auto at = blocks_.lower_bound(first); at != blocks_.end() && at->first < first + span; ++at) {
    if (address + bytes + kGap <= at->first) break;
    const Address end = at->first + at->second.bytes + kGap;
    address = (end + kAlignment - 1) / kAlignment * kAlignment;
  }
  const bool fits = bytes <= span && address - first <= span - bytes;
  return fits ? address : 0;
}

bool AddressBook::on_gpu(Address address) {
  return address >= kFirstAddress && address < kLastBuffer;
}

}  // namespace wavesmith::simulator::hip_driver
