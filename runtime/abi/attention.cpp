// Launches of attention-dense: the C structures into Shapes and Buffers, plan_launch()'s values into the
// argument block that the code object's metadata describes.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "generator/attention_dense/launch.h"
#include "generator/attention_dense/sequences.h"
#include "runtime/abi/boundary.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/structs.h"

namespace wavesmith::abi {
namespace {

namespace dense = generator::attention_dense;

constexpr std::pair<std::int32_t, dense::Order> kOrders[]{
    {WAVESMITH_ORDER_AUTO, dense::Order::automatic},
    {WAVESMITH_ORDER_QB_MAJOR, dense::Order::qb_major},
    {WAVESMITH_ORDER_HKV_MAJOR, dense::Order::hkv_major},
    {WAVESMITH_ORDER_GQA_PAIR, dense::Order::gqa_pair},
    {WAVESMITH_ORDER_GQA_PAIR_2PHASE, dense::Order::gqa_pair_2phase},
    {WAVESMITH_ORDER_CHIPLET, dense::Order::chiplet}};

constexpr std::uint64_t kGiven = WAVESMITH_GIVEN_SOFTMAX_SCALE | WAVESMITH_GIVEN_LSE_STRIDES |
                                 WAVESMITH_GIVEN_WINDOW_LEFT | WAVESMITH_GIVEN_WINDOW_RIGHT |
                                 WAVESMITH_GIVEN_NUM_PERSISTENT;

dense::Strides strides(const wavesmith_strides& given) {
  return {.batch = given.batch, .token = given.token, .head = given.head};
}

/// Members that `given` decides about: a value whose bit was forgotten is refused, not ignored.
class Optional {
 public:
  Optional(std::uint64_t given, std::vector<Refusal>& refusals) : given_(given), refusals_(refusals) {}

  template <class T, class Own>
  void read(std::uint64_t bit, T value, std::string_view field, std::string_view name, Own& own) {
    if ((given_ & bit) != 0)
      own = value;
    else if (value != T(0))
      refusals_.push_back({std::string(field), std::to_string(value),
                           "0 where shapes.given does not have " + std::string(name)});
  }

 private:
  std::uint64_t given_;
  std::vector<Refusal>& refusals_;
};

Outcome read_shapes(const wavesmith_attention_shapes* pointer, dense::Shapes& own) {
  wavesmith_attention_shapes given{};
  if (Outcome read = read_struct(pointer, given, "shapes"); !read) return read;
  if (Outcome reserved = check_reserved(given.reserved, "shapes.reserved"); !reserved) return reserved;
  if (Outcome flag = check_flag(given.interleave, "shapes.interleave"); !flag) return flag;
  if ((given.given & ~kGiven) != 0)
    return bad_argument("shapes.given", std::to_string(given.given), "a sum of WAVESMITH_GIVEN_…");
  const auto order =
      std::ranges::find(kOrders, given.persist_decode, [](const auto& row) { return row.first; });
  if (order == std::end(kOrders))
    return bad_argument("shapes.persist_decode", std::to_string(given.persist_decode), "WAVESMITH_ORDER_…");

  own = {.batch = given.batch,
         .seqlen_q = given.seqlen_q,
         .seqlen_kv = given.seqlen_kv,
         .q = strides(given.q),
         .k = strides(given.k),
         .v = strides(given.v),
         .o = strides(given.o),
         .block_table_stride = given.block_table_stride,
         .softmax_scale = std::nullopt,
         .persist_decode = order->second,
         .interleave = given.interleave == 1};
  std::vector<Refusal> refusals;
  Optional optional(given.given, refusals);
  optional.read(WAVESMITH_GIVEN_SOFTMAX_SCALE, given.softmax_scale, "softmax_scale",
                "WAVESMITH_GIVEN_SOFTMAX_SCALE", own.softmax_scale);
  optional.read(WAVESMITH_GIVEN_WINDOW_LEFT, given.window_left, "window_left", "WAVESMITH_GIVEN_WINDOW_LEFT",
                own.window_left);
  optional.read(WAVESMITH_GIVEN_WINDOW_RIGHT, given.window_right, "window_right",
                "WAVESMITH_GIVEN_WINDOW_RIGHT", own.window_right);
  optional.read(WAVESMITH_GIVEN_NUM_PERSISTENT, given.num_persistent, "num_persistent",
                "WAVESMITH_GIVEN_NUM_PERSISTENT", own.num_persistent);
  dense::LseStrides lse;
  optional.read(WAVESMITH_GIVEN_LSE_STRIDES, given.lse_stride_batch, "lse_stride_batch",
                "WAVESMITH_GIVEN_LSE_STRIDES", lse.batch);
  optional.read(WAVESMITH_GIVEN_LSE_STRIDES, given.lse_stride_head, "lse_stride_head",
                "WAVESMITH_GIVEN_LSE_STRIDES", lse.head);
  if ((given.given & WAVESMITH_GIVEN_LSE_STRIDES) != 0) own.lse = lse;
  if (!refusals.empty()) return std::unexpected(Problem(Error::refused(std::move(refusals))));
  return {};
}

Outcome read_buffers(const wavesmith_attention_buffers* pointer, dense::Buffers& own) {
  wavesmith_attention_buffers given{};
  if (Outcome read = read_struct(pointer, given, "buffers"); !read) return read;
  own = {.q = given.q,
         .k = given.k,
         .v = given.v,
         .o = given.o,
         .lse = given.lse,
         .sinks = given.sinks,
         .cu_seqlens_q = given.cu_seqlens_q,
         .cu_seqlens_kv = given.cu_seqlens_kv,
         .seqlens_q = given.seqlens_q,
         .seqlens_kv = given.seqlens_kv,
         .block_table = given.block_table};
  return {};
}

/// What the code object wants against what was planned. A difference is a fault of this library: both come
/// from one Plan.
Outcome pack(const std::vector<JitArgument>& wanted, const std::vector<dense::Launch::Value>& planned,
             wavesmith_launch& launch) {
  const auto differs = [](const std::string& what) {
    return std::unexpected(
        Problem(WAVESMITH_INTERNAL,
                Error{ErrorKind::environment, "the code object and the launch differ: " + what, {}, {}}));
  };
  if (wanted.size() != planned.size())
    return differs(std::to_string(wanted.size()) + " arguments, " + std::to_string(planned.size()) +
                   " values");
  auto* bytes = reinterpret_cast<unsigned char*>(launch.arguments);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const JitArgument& argument = wanted[i];
    const dense::Launch::Value& value = planned[i];
    const bool buffer = std::holds_alternative<std::uint64_t>(value.value);
    const auto [data, size] = std::visit(
        [](const auto& one) { return std::pair(static_cast<const void*>(&one), sizeof one); }, value.value);
    if (argument.name != value.name) return differs(argument.name + ", " + std::string(value.name));
    if (argument.kind != (buffer ? "global_buffer" : "by_value"))
      return differs(argument.name + " is a " + argument.kind);
    if (argument.bytes != size)
      return differs(argument.name + " has " + std::to_string(argument.bytes) + " bytes");
    if (argument.offset > sizeof launch.arguments - size)
      return differs(argument.name + " is beyond WAVESMITH_ARGUMENT_BYTES");
    std::memcpy(bytes + argument.offset, data, size);
    launch.arguments_bytes =
        std::max(launch.arguments_bytes, argument.offset + static_cast<std::uint32_t>(size));
  }
  return {};
}

Outcome read_table(const std::int32_t* table, std::size_t count, std::string_view field,
                   std::span<const std::int32_t>& own) {
  if (count == 0) return {};
  if (Outcome there = not_null(table, field); !there) return there;
  own = {table, count};
  return {};
}

/// The Plan of a kernel.
Outcome find_plan(const wavesmith_kernel* kernel, const dense::Plan*& plan) {
  if (Outcome there = not_null(kernel, "kernel"); !there) return there;
  const auto& made = kernel->plan();
  if (!made) return std::unexpected(Problem(made.error()));
  plan = &*made;
  return {};
}

}  // namespace
}  // namespace wavesmith::abi

using namespace wavesmith;
using namespace wavesmith::abi;

extern "C" {

wavesmith_status wavesmith_contiguous_strides(int32_t layout, int64_t seqlen, int64_t heads,
                                              int64_t head_size, wavesmith_strides* strides) noexcept {
  if (strides != nullptr) *strides = {};
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(strides, "strides"); !there) return there;
    // No product of them overflows.
    constexpr std::int64_t most = std::int64_t{1} << 31, most_head = std::int64_t{1} << 16;
    std::vector<Refusal> refusals;
    const auto range = [&](std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
      if (value < low || value > high)
        refusals.push_back(
            {std::string(field), std::to_string(value), std::to_string(low) + " to " + std::to_string(high)});
    };
    range("layout", layout, WAVESMITH_BSHD, WAVESMITH_THD);
    range("seqlen", seqlen, 0, most);
    range("heads", heads, 1, most_head / 4);
    range("head_size", head_size, 1, most_head / 4);
    if (!refusals.empty()) return std::unexpected(Problem(Error::refused(std::move(refusals))));
    const dense::Strides own = layout == WAVESMITH_BSHD   ? dense::bshd(seqlen, heads, head_size)
                               : layout == WAVESMITH_BHSD ? dense::bhsd(seqlen, heads, head_size)
                                                          : dense::thd(heads, head_size, seqlen);
    *strides = {.batch = own.batch, .token = own.token, .head = own.head};
    return {};
  });
}

wavesmith_status wavesmith_plan_attention(const wavesmith_kernel* kernel,
                                          const wavesmith_attention_shapes* shapes,
                                          const wavesmith_attention_buffers* buffers,
                                          wavesmith_launch* launch) noexcept {
  return guarded([&]() -> Outcome {
    const dense::Plan* plan = nullptr;
    dense::Shapes own_shapes;
    dense::Buffers own_buffers;
    if (Outcome checked = check_struct(launch, "launch"); !checked) return checked;
    write_struct(wavesmith_launch{}, launch);
    if (Outcome found = find_plan(kernel, plan); !found) return found;
    if (Outcome read = read_shapes(shapes, own_shapes); !read) return read;
    if (Outcome read = read_buffers(buffers, own_buffers); !read) return read;
    Expected<dense::Launch> planned = dense::plan_launch(*plan, own_shapes, own_buffers);
    if (!planned) return std::unexpected(Problem(std::move(planned).error()));
    wavesmith_launch own{};
    std::ranges::copy(planned->grid, own.grid);
    std::ranges::copy(planned->block, own.block);
    own.work_items = planned->work_items;
    if (Outcome packed = pack(kernel->kernel->arguments, planned->arguments, own); !packed) return packed;
    write_struct(own, launch);
    return {};
  });
}

wavesmith_status wavesmith_check_sequences(const wavesmith_kernel* kernel,
                                           const wavesmith_attention_shapes* shapes,
                                           const wavesmith_sequence_data* data) noexcept {
  return guarded([&]() -> Outcome {
    const dense::Plan* plan = nullptr;
    dense::Shapes own_shapes;
    wavesmith_sequence_data given{};
    dense::SequenceData own;
    if (Outcome found = find_plan(kernel, plan); !found) return found;
    if (Outcome read = read_shapes(shapes, own_shapes); !read) return read;
    if (Outcome read = read_struct(data, given, "data"); !read) return read;
    for (const auto& [table, count, field, span] :
         {std::tuple{given.cu_seqlens_q, given.cu_seqlens_q_count, "data.cu_seqlens_q", &own.cu_seqlens_q},
          {given.cu_seqlens_kv, given.cu_seqlens_kv_count, "data.cu_seqlens_kv", &own.cu_seqlens_kv},
          {given.seqlens_q, given.seqlens_q_count, "data.seqlens_q", &own.seqlens_q},
          {given.seqlens_kv, given.seqlens_kv_count, "data.seqlens_kv", &own.seqlens_kv},
          {given.block_table, given.block_table_count, "data.block_table", &own.block_table}})
      if (Outcome read = read_table(table, count, field, *span); !read) return read;
    own.num_pages = given.num_pages;
    if (auto checked = dense::check_sequences(*plan, own_shapes, own); !checked)
      return std::unexpected(Problem(std::move(checked).error()));
    return {};
  });
}
}
