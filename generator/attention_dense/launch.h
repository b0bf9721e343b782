// What the shapes of one call decide: grid, argument values, and whether the call keeps the Plan's
// preconditions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "generator/attention_dense/order.h"
#include "generator/attention_dense/plan.h"

namespace wavesmith::generator::attention_dense {

/// Distances in elements between neighbours along each axis; the head size is contiguous.
struct Strides {
  std::int64_t batch = 0;
  std::int64_t token = 0;
  std::int64_t head = 0;
};

/// bshd: [batch, token, head, head size]. Lengths in tokens.
[[nodiscard]] Strides bshd(std::int64_t seqlen, std::int64_t heads, std::int64_t head_size);
/// bhsd: [batch, head, token, head size].
[[nodiscard]] Strides bhsd(std::int64_t seqlen, std::int64_t heads, std::int64_t head_size);

/// thd: [token, head, head size], for packed sequences and for pages that hold [token, head, head size];
/// `batch` is the distance of pages, in tokens, and 0 for packed sequences.
[[nodiscard]] Strides thd(std::int64_t heads, std::int64_t head_size, std::int64_t page_size = 0);

/// Of the logarithms of the denominators, [batch, head, query], packed [head, query]: f32, queries
/// contiguous.
struct LseStrides {
  std::int64_t batch = 0;
  std::int64_t head = 0;
};

/// Sequences of different lengths have them in device memory (Buffers), so that one launch fits all; here are
/// bounds of them. sequences.h checks them where the host knows them.
struct Shapes {
  std::int64_t batch = 1;
  std::int64_t seqlen_q = 0;   ///< of each batch element; the longest one's where they are in memory
  std::int64_t seqlen_kv = 0;  ///< the same of keys
  /// `batch` is 0 for packed sequences, and the distance of pages for paged keys and values.
  Strides q, k, v, o;
  /// Only for a spec with lse; where absent, contiguous. Of packed sequences only the caller knows how many
  /// queries there are: there it must be given, with batch 0.
  std::optional<LseStrides> lse = std::nullopt;
  std::int64_t block_table_stride = 0;  ///< pages that the table has room for in each batch element
  std::optional<float> softmax_scale;   ///< 1 / sqrt(head size) where absent
  /// Keys that a query sees before and behind its own place, which is the bottom-right diagonal; inclusive,
  /// -1 for no bound. Only for mask window, and there no bound where absent.
  std::optional<std::int64_t> window_left = std::nullopt, window_right = std::nullopt;

  /// \name For a persistent kernel alone
  /// @{
  /// Workgroups; where absent, what the pair orders ask for, else as many as 256 compute units hold at once,
  /// and no more than there are work items.
  std::optional<std::int64_t> num_persistent = std::nullopt;
  Order persist_decode = Order::automatic;
  bool interleave = false;  ///< blocks of odd query heads in falling order; with qb_major
  /// @}
};

/// Device addresses of the tensors.
struct Buffers {
  std::uint64_t q = 0, k = 0, v = 0, o = 0;
  std::uint64_t lse = 0;    ///< only for a spec with lse
  std::uint64_t sinks = 0;  ///< only for a spec with sinks: f32, one for each query head
  /// Only for sequences varlen, and for keys of kv contiguous: i32, the first token of each sequence, and
  /// their total.
  std::uint64_t cu_seqlens_q = 0, cu_seqlens_kv = 0;
  /// For sequences ragged; for keys also with kv paged: i32, the length of each batch element.
  std::uint64_t seqlens_q = 0, seqlens_kv = 0;
  /// Only for kv paged: i32, [batch, block_table_stride], the pages of each batch element in order.
  std::uint64_t block_table = 0;
};

struct Launch {
  std::array<unsigned, 3> grid;   ///< workgroups
  std::array<unsigned, 3> block;  ///< work-items
  struct Value {
    std::string_view name;
    std::variant<std::uint64_t, std::int64_t, std::int32_t, float> value;  ///< pointer, i64, i32, f32
  };
  std::vector<Value> arguments;  ///< in the order of Plan::arguments

  std::int64_t work_items = 0;  ///< blocks of rows of all heads and batches
  OrderChoice order{};          ///< in which they follow one another; never automatic
  Decode decode{};              ///< the numbers of that order, as the arguments have them
};

/// Without buffers, addresses are 0 in the result: a plan for callers who allocate later, which must not run.
///
/// Errors: every precondition that the call breaks, with field and value; of buffers, one that is missing
/// (keys and values may be, where seqlen_kv is 0), misaligned, or not taken by the kernel.
[[nodiscard]] Expected<Launch> plan_launch(const Plan& plan, const Shapes& shapes,
                                           const std::optional<Buffers>& buffers);

/// The launch as stable text.
[[nodiscard]] std::string explain(const Launch& launch);

}  // namespace wavesmith::generator::attention_dense
