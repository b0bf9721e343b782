// Numbers of pages, and who has which.
#include "tools/verify/pages.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tools/verify/data.h"

namespace wavesmith::verify {
namespace {

/// Of which there are always some, at least enough for far_apart pages on both sides of every place.
constexpr std::int64_t unused_pages = 8;

std::int64_t pages_of(std::int64_t tokens, std::int64_t page_size) {
  return (tokens + page_size - 1) / page_size;
}

std::vector<std::int64_t> numbers_of(PageOrder order, std::int64_t kept, std::int64_t page_bytes) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(kept));
  std::iota(numbers.begin(), numbers.end(), 0);
  if (order != PageOrder::far_apart) return numbers;
  constexpr std::array<std::int64_t, 4> places{0, std::int64_t{1} << 31, std::int64_t{1} << 32,
                                               std::int64_t{1} << 33};
  std::int64_t before = -1;
  for (std::int64_t i = 0; i < kept; ++i) {
    const auto place = static_cast<std::size_t>(i * std::int64_t{places.size()} / kept);
    const std::int64_t first = (static_cast<std::int64_t>(place) * kept + 3) / std::int64_t{places.size()};
    const std::int64_t half = kept / std::int64_t{places.size()} / 2;
    // The middle of the run is the page in which the place lies.
    before = std::max(before + 1, places.at(place) / page_bytes + (i - first) - (place == 0 ? 0 : half));
    numbers[static_cast<std::size_t>(i)] = before;
  }
  return numbers;
}

}  // namespace

std::int64_t table_stride(std::int64_t longest, std::int64_t page_size, std::uint64_t seed) {
  return std::max<std::int64_t>(1, pages_of(longest, page_size) + static_cast<std::int64_t>(seed % 3));
}

std::int64_t kept_pages(std::span<const std::int64_t> lengths, std::int64_t page_size) {
  std::int64_t kept = unused_pages;
  for (const std::int64_t length : lengths) kept += pages_of(length, page_size);
  return kept;
}

Pages make_pages(std::span<const std::int64_t> lengths, std::int64_t page_size, PageOrder order,
                 std::uint64_t seed, std::int64_t page_bytes) {
  const std::int64_t longest = lengths.empty() ? 0 : *std::ranges::max_element(lengths);
  const std::int64_t kept = kept_pages(lengths, page_size);
  Pages pages{.size = page_size, .stride = table_stride(longest, page_size, seed)};
  pages.numbers = numbers_of(order, kept, page_bytes);
  std::vector<std::int64_t> free(static_cast<std::size_t>(kept));
  std::iota(free.begin(), free.end(), 0);
  if (order != PageOrder::rising) {
    // Far apart, the unused ones are the lowest, so that every place but the first is in use.
    Random random(seed);
    const std::size_t fixed = order == PageOrder::far_apart ? unused_pages : 0;
    for (std::size_t i = free.size(); i > fixed + 1; --i)
      std::swap(free[i - 1], free[fixed + random.next() % (i - fixed)]);
    std::ranges::reverse(free);
  }
  pages.slots.assign(lengths.size() * static_cast<std::size_t>(pages.stride), -1);
  std::size_t next = 0;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t i = 0; i < pages_of(lengths[b], page_size); ++i)
      pages.slots[b * static_cast<std::size_t>(pages.stride) + static_cast<std::size_t>(i)] = free[next++];
  return pages;
}

std::vector<std::int32_t> block_table(const Pages& pages, std::int64_t page_bytes) {
  constexpr std::int64_t far_away = std::int64_t{1} << 40, most = (std::int64_t{1} << 31) - 1;
  std::vector<std::int32_t> table;
  for (const std::int64_t slot : pages.slots)
    table.push_back(static_cast<std::int32_t>(slot < 0 ? std::min(far_away / page_bytes, most)
                                                       : pages.numbers[static_cast<std::size_t>(slot)]));
  return table;
}

}  // namespace wavesmith::verify
