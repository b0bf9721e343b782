// What an attention_dense kernel is verified on: the shapes of one launch, the layout and the size of its
// data. attention.h runs it; attention_tensors.h makes its tensors.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/attention_dense/launch.h"
#include "generator/attention_dense/sequences.h"
#include "tools/verify/device_buffers.h"
#include "tools/verify/pages.h"

namespace wavesmith::verify {

/// What a kernel reads from memory to find its sequences; empty where it takes none (launch.h, Buffers).
struct SequenceTables {
  std::vector<std::int32_t> cu_seqlens_q, cu_seqlens_kv, seqlens_q, seqlens_kv, block_table;
  std::int64_t num_pages = 0;  ///< of the cache

  [[nodiscard]] generator::attention_dense::SequenceData data() const {
    return {cu_seqlens_q, cu_seqlens_kv, seqlens_q, seqlens_kv, block_table, num_pages};
  }
};

/// A table by the name of its argument.
struct SequenceTable {
  std::string_view name;
  std::vector<std::int32_t> SequenceTables::* table;
  std::uint64_t generator::attention_dense::Buffers::* address;
};
inline constexpr std::array<SequenceTable, 5> sequence_tables{
    {{"cu_seqlens_q", &SequenceTables::cu_seqlens_q, &generator::attention_dense::Buffers::cu_seqlens_q},
     {"cu_seqlens_kv", &SequenceTables::cu_seqlens_kv, &generator::attention_dense::Buffers::cu_seqlens_kv},
     {"seqlens_q", &SequenceTables::seqlens_q, &generator::attention_dense::Buffers::seqlens_q},
     {"seqlens_kv", &SequenceTables::seqlens_kv, &generator::attention_dense::Buffers::seqlens_kv},
     {"block_table", &SequenceTables::block_table, &generator::attention_dense::Buffers::block_table}}};

struct AttentionCase {
  std::int64_t batch = 1;
  std::int64_t seqlen_q = 0, seqlen_kv = 0;  ///< of each batch element
  /// Of each batch element apart, `batch` of them; where given, the one length above is not looked at. Only
  /// for kernels that read lengths from memory.
  std::vector<std::int64_t> seqlens_q = {}, seqlens_kv = {};
  bool bhsd = false;                   ///< heads outside tokens, in packed sequences and pages too
  std::optional<float> softmax_scale;  ///< 1 / sqrt(head size) where absent
  /// Of a kernel with mask window: keys before and behind a query's own place, -1 for no bound (launch.h).
  std::optional<std::int64_t> window_left = std::nullopt, window_right = std::nullopt;
  std::uint64_t seed = 1;  ///< of the data, and of the order of pages
  /// Standard deviation of Q and K. 1 never makes the lazy rescale act; 2 does in a quarter of the tiles.
  double sigma = 2;
  Placement placement = Placement::anywhere;
  PageOrder page_order = PageOrder::shuffled;  ///< of paged keys and values
  /// Of a persistent kernel: workgroups, the order of work items (launch.h).
  std::optional<std::int64_t> num_persistent = std::nullopt;
  generator::attention_dense::Order persist_decode = generator::attention_dense::Order::automatic;
  bool interleave = false;
  /// Also run the first seed under every other schedule, the random one with memory operations that take
  /// effect at random moments; a difference of results is a hazard.
  bool every_schedule = false;
  /// Plants a fault: changes the tables that the kernel gets after they were checked. The judge keeps the
  /// right ones.
  std::function<void(SequenceTables&)> plant = {};
};

}  // namespace wavesmith::verify
