// The pages of a cache of keys or values, for test data: which page holds which tokens, in an order that a
// table has to tell, with pages among them that no sequence uses. make_pages() makes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wavesmith::verify {

enum class PageOrder : std::uint8_t {
  shuffled,  ///< by a seed, unused pages between the used ones
  rising,    ///< the first sequence's first, the unused ones last
  /// Shuffled over pages around the places 0, 2^31, 2^32 and 2^33 bytes from the cache's beginning.
  far_apart,
};

struct Pages {
  std::int64_t size = 0;    ///< tokens of a page; 0: there are no pages
  std::int64_t stride = 0;  ///< entries of the table for each batch element
  /// [batch, stride]: where in `numbers` the page is; -1 past a sequence's end.
  std::vector<std::int64_t> slots = {};
  /// Of the kept pages, which are all that the data has; rising. The cache ends with the last of them.
  std::vector<std::int64_t> numbers = {};

  [[nodiscard]] std::int64_t slot(std::int64_t b, std::int64_t token) const {
    return slots[static_cast<std::size_t>(b * stride + token / size)];
  }
  [[nodiscard]] std::int64_t count() const { return numbers.empty() ? 0 : numbers.back() + 1; }
};

/// Entries of the table for each batch element: what the longest sequence needs, and none to two more, which
/// the seed decides.
[[nodiscard]] std::int64_t table_stride(std::int64_t longest, std::int64_t page_size, std::uint64_t seed);

/// Pages that are kept for sequences of these lengths.
[[nodiscard]] std::int64_t kept_pages(std::span<const std::int64_t> lengths, std::int64_t page_size);

/// `page_bytes`: the distance of pages.
[[nodiscard]] Pages make_pages(std::span<const std::int64_t> lengths, std::int64_t page_size, PageOrder order,
                               std::uint64_t seed, std::int64_t page_bytes);

/// The table as the kernel gets it. Entries past a sequence's end name a page 2^40 bytes away, where nothing
/// is allocated.
[[nodiscard]] std::vector<std::int32_t> block_table(const Pages& pages, std::int64_t page_bytes);

}  // namespace wavesmith::verify
