// What a host that has the lengths and tables of a launch at hand can check before it: the kernel reads them
// from device memory, where plan_launch() cannot see them.
#pragma once

#include <cstdint>
#include <span>

#include "wavesmith/error.h"

#include "generator/attention_dense/launch.h"

namespace wavesmith::generator::attention_dense {

/// What the buffers of the same names hold; empty where the spec takes none.
struct SequenceData {
  std::span<const std::int32_t> cu_seqlens_q = {}, cu_seqlens_kv = {};  ///< batch + 1 of each
  std::span<const std::int32_t> seqlens_q = {}, seqlens_kv = {};        ///< batch of each
  std::span<const std::int32_t> block_table = {};  ///< batch * Shapes::block_table_stride
  std::int64_t num_pages = 0;                      ///< of the cache
};

/// Errors: a table of the wrong size, cumulative lengths that do not begin at 0 or fall, a length that is
/// negative or above Shapes::seqlen_q or seqlen_kv, more pages than the block table has room for, a page of a
/// key that is not in the cache; of each table the first eight. The entries of the block table past a
/// sequence's end are not looked at.
[[nodiscard]] Expected<void> check_sequences(const Plan& plan, const Shapes& shapes,
                                             const SequenceData& data);

}  // namespace wavesmith::generator::attention_dense
