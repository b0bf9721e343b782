// plan_launch(): from shapes to a grid and argument values.
#include "generator/attention_dense/launch.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace wavesmith::generator::attention_dense {
namespace {

class ShapeCheck {
 public:
  explicit ShapeCheck(const Plan& plan) : plan_(plan) {}

  std::vector<Refusal> refusals;
  bool has_buffers = false;  ///< addresses of 0 are missing buffers

  void range(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high)
      refusals.push_back({std::string(field), fmt::format("{}", value), fmt::format("{} to {}", low, high)});
  }

  void strides(std::string_view tensor, const Strides& strides, std::int64_t rows) {
    constexpr std::int64_t two_31 = std::int64_t{1} << 31;
    const bool keys = tensor == "k" || tensor == "v";
    const bool packed = keys ? packed_kv(plan_.spec) : packed_q(plan_.spec);
    const bool paged = keys && plan_.spec.kv == Kv::paged;
    const auto field = [&](std::string_view axis) { return fmt::format("{}_stride_{}", tensor, axis); };
    for (const auto& [axis, value] : {std::pair{paged ? "page" : "batch", strides.batch},
                                      {"token", strides.token},
                                      {"head", strides.head}})
      if (value % 8 != 0)
        refusals.push_back({field(axis), fmt::format("{}", value), "a multiple of 8 elements (16 bytes)"});
    // `rows` rows, before or after a tile's first, are addressed with 32-bit byte offsets.
    range(field("token"), strides.token, plan_.spec.head_size, (two_31 - 1) / (element_bytes * rows));
    range(field("head"), strides.head, 0, two_31 - 1);
    if (packed && strides.batch != 0)
      refuse(field("batch"), fmt::format("{}", strides.batch),
             "0: sequences are packed one after another, and cu_seqlens say where each begins");
    else
      range(field(paged ? "page" : "batch"), strides.batch, 0, std::int64_t{1} << 56);
  }

  void address(std::string_view tensor, std::uint64_t address, bool may_be_missing = false) {
    const unsigned align = std::ranges::find(plan_.arguments, tensor, &Argument::name)->align;
    if (address % align != 0 || (address == 0 && !may_be_missing && has_buffers))
      refusals.push_back({std::string(tensor), fmt::format("{:#x}", address),
                          fmt::format("an address aligned to {} bytes", align)});
  }

  [[nodiscard]] bool has_refused(std::string_view field) const {
    return std::ranges::find(refusals, field, &Refusal::field) != refusals.end();
  }

  void refuse(std::string_view field, std::string value, std::string allowed) {
    refusals.push_back({std::string(field), std::move(value), std::move(allowed)});
  }

  void lse(const std::optional<LseStrides>& strides, std::uint64_t address) {
    if (strides) {
      if (packed_q(plan_.spec) && strides->batch != 0)
        refuse("lse_stride_batch", fmt::format("{}", strides->batch), "0: sequences are packed");
      else
        range("lse_stride_batch", strides->batch, 0, std::int64_t{1} << 56);
      range("lse_stride_head", strides->head, 0, (std::int64_t{1} << 31) - 1);
    } else if (packed_q(plan_.spec)) {
      refuse("lse_stride_head", "(missing)",
             "a number of elements: of packed sequences only the caller knows how many queries there are");
    }
    this->address("lse", address);
  }

  /// A buffer of lengths or pages, and whether the kernel takes it.
  void table(std::string_view name, std::uint64_t address, bool taken, std::string_view without) {
    if (taken)
      this->address(name, address);
    else if (address != 0)
      refuse(name, fmt::format("{:#x}", address), fmt::format("nothing: the kernel was built {}", without));
  }

  void tables(const Shapes& shapes, const Buffers& buffers) {
    const Spec& spec = plan_.spec;
    const bool paged = spec.kv == Kv::paged;
    table("cu_seqlens_q", buffers.cu_seqlens_q, packed_q(spec), "without sequences varlen");
    table("cu_seqlens_kv", buffers.cu_seqlens_kv, packed_kv(spec),
          paged ? "with kv paged, whose lengths are in seqlens_kv" : "without sequences varlen");
    table("seqlens_q", buffers.seqlens_q, spec.sequences == Sequences::ragged, "without sequences ragged");
    table("seqlens_kv", buffers.seqlens_kv, reads_seqlen_kv(spec) && !packed_kv(spec),
          "without sequences ragged and without kv paged");
    table("block_table", buffers.block_table, paged, "without kv paged");
    if (!paged) {
      if (shapes.block_table_stride != 0)
        refuse("block_table_stride", fmt::format("{}", shapes.block_table_stride),
               "nothing: the kernel was built without kv paged");
      return;
    }
    const std::int64_t pages = (std::max<std::int64_t>(shapes.seqlen_kv, 1) - 1) / spec.page_size + 1;
    if (shapes.block_table_stride < pages || shapes.block_table_stride >= std::int64_t{1} << 31)
      refuse("block_table_stride", fmt::format("{}", shapes.block_table_stride),
             fmt::format("{} to {}: as many pages of {} tokens as seqlen_kv = {} needs, at least one", pages,
                         (std::int64_t{1} << 31) - 1, spec.page_size, shapes.seqlen_kv));
  }

  void window(const Shapes& shapes, std::int64_t max_seqlen) {
    for (const auto& [field, width] :
         {std::pair{"window_left", shapes.window_left}, {"window_right", shapes.window_right}}) {
      if (!width) continue;
      if (plan_.spec.mask != Mask::window)
        refuse(field, fmt::format("{}", *width), "nothing: the kernel was built without mask window");
      else if (*width < -1)
        refuse(field, fmt::format("{}", *width), "a number of keys, or -1 for no bound");
    }
    // The kernel adds a window to a row's place in 32 bits.
    if (plan_.spec.mask == Mask::window && shapes.seqlen_q >= 1 && shapes.seqlen_q <= max_seqlen &&
        shapes.seqlen_kv <= max_seqlen && shapes.seqlen_q + shapes.seqlen_kv > max_seqlen)
      refuse("seqlen_kv", fmt::format("{}", shapes.seqlen_kv),
             fmt::format("at most {} with mask window and seqlen_q = {}", max_seqlen - shapes.seqlen_q,
                         shapes.seqlen_q));
  }

  void no_lse(bool strides, std::uint64_t address) {
    if (strides || address != 0)
      refusals.push_back({"lse", address != 0 ? fmt::format("{:#x}", address) : "strides",
                          "nothing: the kernel was built without lse"});
  }

 private:
  const Plan& plan_;
};

// MI350X and MI355X have 256 compute units (CDNA 4 white paper).
constexpr std::int64_t compute_units = 256;

/// How work items are shared out.
struct Sharing {
  ItemCounts counts;
  OrderChoice order{Order::chiplet, false};
  std::int64_t workgroups = 0;  ///< persistent kernels alone
};

bool is_causal(const Spec& spec) {
  return spec.mask == Mask::causal || spec.mask == Mask::causal_top_left;
}

void check_pairs(ShapeCheck& check, const Sharing& sharing) {
  const ItemCounts& n = sharing.counts;
  const std::string name(name_of(sharing.order.order));
  if (n.blocks % 2 != 0)
    check.refuse("persist_decode", name,
                 fmt::format("for an even number of blocks of rows; seqlen_q makes {}", n.blocks));
  else if (sharing.order.order == Order::gqa_pair && n.group % 2 != 0)
    check.refuse("persist_decode", name,
                 fmt::format("for an even number of query heads to a key/value head; there are {}", n.group));
  else if (const auto wanted = workgroups_of(sharing.order.order, n);
           wanted != sharing.workgroups && !check.has_refused("num_persistent"))
    check.refuse("num_persistent", fmt::format("{}", sharing.workgroups),
                 fmt::format("{} with persist_decode {}", *wanted, name));
}

void check_interleave(ShapeCheck& check, const Spec& spec, const Shapes& shapes, const ItemCounts& counts) {
  if (!shapes.interleave) return;
  if (shapes.persist_decode != Order::qb_major)
    check.refuse("interleave", "true", "with persist_decode qb_major; auto chooses for itself");
  else if (!is_causal(spec))
    check.refuse("interleave", "true", "with mask causal or causal_top_left");
  else if (counts.blocks == 1)
    check.refuse("interleave", "true", "with more than one block of rows");
}

/// Lengths and batch are in their ranges.
Sharing share(ShapeCheck& check, const Plan& plan, const Shapes& shapes) {
  const Spec& spec = plan.spec;
  Sharing sharing;
  sharing.counts = {.batch = shapes.batch,
                    .kv_heads = spec.num_kv_heads,
                    .group = gqa_ratio(spec),
                    .blocks = (shapes.seqlen_q + spec.block_m - 1) / spec.block_m};
  const ItemCounts& counts = sharing.counts;
  // A persistent kernel counts one stride past the last item, in 31 bits.
  const std::int64_t most = most_workgroups(plan.attributes.workgroup_size);
  const std::int64_t most_items = (std::int64_t{1} << 31) - 1 - (spec.persistent ? most : std::int64_t{0});
  if (counts.items() > most_items) {
    check.refuse("seqlen_q", fmt::format("{}", shapes.seqlen_q),
                 fmt::format("so few rows that batch * num_query_heads * blocks of {} rows are at most {}",
                             spec.block_m, most_items));
    return sharing;
  }
  if (!spec.persistent) {
    constexpr std::string_view only = "nothing: the kernel was built without persistent";
    if (shapes.num_persistent)
      check.refuse("num_persistent", fmt::format("{}", *shapes.num_persistent), std::string(only));
    if (shapes.persist_decode != Order::automatic)
      check.refuse("persist_decode", std::string(name_of(shapes.persist_decode)), std::string(only));
    if (shapes.interleave) check.refuse("interleave", "true", std::string(only));
    return sharing;
  }
  sharing.order = shapes.persist_decode == Order::automatic
                      ? choose_order(counts, is_causal(spec))
                      : OrderChoice{shapes.persist_decode, shapes.interleave};
  const std::int64_t resident =
      std::max<std::int64_t>(1, plan.attributes.waves_per_eu * plan.facts->simds_per_cu / plan.waves);
  const std::int64_t usual = std::min(counts.items(), compute_units * resident);
  sharing.workgroups =
      shapes.num_persistent.value_or(workgroups_of(sharing.order.order, counts).value_or(usual));
  check.range("num_persistent", sharing.workgroups, 1, most);
  check_interleave(check, spec, shapes, counts);
  if (workgroups_of(sharing.order.order, counts)) check_pairs(check, sharing);
  return sharing;
}

/// The arguments before those of order_arguments(), as many as the Plan has, in its order.
std::vector<Launch::Value> argument_values(const Plan& plan, const Shapes& shapes, const Buffers& buffers,
                                           float scale) {
  const auto i32 = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  const LseStrides lse =
      shapes.lse.value_or(LseStrides{plan.spec.num_query_heads * shapes.seqlen_q, shapes.seqlen_q});
  // A width that reaches past every key is as good as any wider one, and no sum of it overflows.
  const auto bounded = [&](const std::optional<std::int64_t>& width, std::int64_t most) {
    return i32(width.value_or(-1) == -1 ? most : std::min(*width, most));
  };
  const std::vector<Launch::Value> all{
      {"q", buffers.q},
      {"k", buffers.k},
      {"v", buffers.v},
      {"sinks", buffers.sinks},
      {"o", buffers.o},
      {"lse", buffers.lse},
      {"cu_seqlens_q", buffers.cu_seqlens_q},
      {"cu_seqlens_kv", buffers.cu_seqlens_kv},
      {"seqlens_q", buffers.seqlens_q},
      {"seqlens_kv", buffers.seqlens_kv},
      {"block_table", buffers.block_table},
      {"q_stride_batch", shapes.q.batch},
      {"k_stride_batch", shapes.k.batch},
      {"v_stride_batch", shapes.v.batch},
      {"k_stride_page", shapes.k.batch},
      {"v_stride_page", shapes.v.batch},
      {"o_stride_batch", shapes.o.batch},
      {"lse_stride_batch", lse.batch},
      {"q_stride_token", i32(shapes.q.token)},
      {"k_stride_token", i32(shapes.k.token)},
      {"v_stride_token", i32(shapes.v.token)},
      {"o_stride_token", i32(shapes.o.token)},
      {"q_stride_head", i32(shapes.q.head)},
      {"k_stride_head", i32(shapes.k.head)},
      {"v_stride_head", i32(shapes.v.head)},
      {"o_stride_head", i32(shapes.o.head)},
      {"lse_stride_head", i32(lse.head)},
      {"block_table_stride", i32(shapes.block_table_stride)},
      {"seqlen_q", i32(shapes.seqlen_q)},
      {"seqlen_kv", i32(shapes.seqlen_kv)},
      {"window_left", bounded(shapes.window_left, shapes.seqlen_kv)},
      {"window_right", bounded(shapes.window_right, shapes.seqlen_q)},
      {"softmax_scale", scale},
  };
  std::vector<Launch::Value> wanted;
  for (const Argument& argument : plan.arguments)
    if (const auto value = std::ranges::find(all, argument.name, &Launch::Value::name); value != all.end())
      wanted.push_back(*value);
  return wanted;
}

/// The arguments that decode an item, in the order of order_arguments().
std::vector<Launch::Value> order_values(const Plan& plan, const Sharing& sharing, const Decode& decode) {
  const ItemCounts& counts = sharing.counts;
  std::vector<std::int64_t> values;
  if (plan.spec.persistent)
    values = {counts.items(), sharing.workgroups};
  else
    values = {counts.blocks, counts.blocks * counts.kv_heads * counts.group};
  const unsigned digits = digits_of(plan.spec);
  values.insert(values.end(), decode.magic.begin(), decode.magic.begin() + digits - 1);
  values.push_back(decode.shifts & ((1U << (shift_bits * (digits - 1))) - 1));
  values.insert(values.end(), decode.place.begin(), decode.place.begin() + digits);
  values.insert(values.end(), decode.block.begin(), decode.block.begin() + digits);
  values.push_back(decode.first_block);
  if (plan.spec.persistent)
    values.insert(values.end(), {decode.fold_from, decode.fold_sum, decode.interleave});
  const std::vector<Argument> arguments = order_arguments(plan.spec);
  std::vector<Launch::Value> result;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    result.push_back({arguments[i].name, static_cast<std::int32_t>(static_cast<std::uint32_t>(
                                             static_cast<std::uint64_t>(values.at(i))))});
  return result;
}

}  // namespace

Strides bshd(std::int64_t seqlen, std::int64_t heads, std::int64_t head_size) {
  return {seqlen * heads * head_size, heads * head_size, head_size};
}

Strides bhsd(std::int64_t seqlen, std::int64_t heads, std::int64_t head_size) {
  return {seqlen * heads * head_size, head_size, seqlen * head_size};
}

Strides thd(std::int64_t heads, std::int64_t head_size, std::int64_t page_size) {
  return {page_size * heads * head_size, heads * head_size, head_size};
}

Expected<Launch> plan_launch(const Plan& plan, const Shapes& shapes, const std::optional<Buffers>& given) {
  const Buffers buffers = given.value_or(Buffers{});
  // The HIP runtime takes at most 65535 workgroups in y and z.
  constexpr std::int64_t max_grid_yz = 65535;
  constexpr std::int64_t max_seqlen =
      (std::int64_t{1} << 31) - 1 - 4096;  // room for rounding up to whole blocks
  ShapeCheck check(plan);
  check.has_buffers = given.has_value();
  check.range("batch", shapes.batch, 1, max_grid_yz);
  if (reads_seqlen_q(plan.spec) && shapes.seqlen_q == 0)
    check.refuse("seqlen_q", "0", fmt::format("1 to {}: of the longest sequence", max_seqlen));
  else
    check.range("seqlen_q", shapes.seqlen_q, 1, max_seqlen);
  check.range("seqlen_kv", shapes.seqlen_kv, 0, max_seqlen);
  check.strides("q", shapes.q, plan.spec.block_m);
  check.strides("k", shapes.k, most_key_rows(plan.spec));
  check.strides("v", shapes.v, most_key_rows(plan.spec));
  check.strides("o", shapes.o, plan.spec.block_m);
  check.address("q", buffers.q);
  check.address("k", buffers.k, shapes.seqlen_kv == 0);
  check.address("v", buffers.v, shapes.seqlen_kv == 0);
  check.address("o", buffers.o);
  if (plan.spec.lse)
    check.lse(shapes.lse, buffers.lse);
  else
    check.no_lse(shapes.lse.has_value(), buffers.lse);
  check.tables(shapes, buffers);
  check.window(shapes, max_seqlen);
  if (plan.spec.sinks)
    check.address("sinks", buffers.sinks);
  else if (buffers.sinks != 0)
    check.refuse("sinks", fmt::format("{:#x}", buffers.sinks), "nothing: the kernel was built without sinks");
  const float scale = shapes.softmax_scale.value_or(static_cast<float>(1 / std::sqrt(plan.spec.head_size)));
  if (!std::isfinite(scale) || scale <= 0)
    check.refusals.push_back({"softmax_scale", fmt::format("{}", scale), "finite and positive"});
  // Of lengths that are refused there are no work items to speak of.
  const bool countable = shapes.batch >= 1 && shapes.batch <= max_grid_yz && shapes.seqlen_q >= 1 &&
                         shapes.seqlen_q <= max_seqlen;
  const Sharing sharing = countable ? share(check, plan, shapes) : Sharing{};
  if (!check.refusals.empty()) return std::unexpected(Error::refused(std::move(check.refusals)));

  Launch launch;
  launch.work_items = sharing.counts.items();
  launch.order = sharing.order;
  launch.decode = decode_of(sharing.order.order, sharing.counts, sharing.order.interleave);
  if (plan.spec.persistent)
    launch.grid = {static_cast<unsigned>(sharing.workgroups), 1, 1};
  else
    launch.grid = {static_cast<unsigned>(sharing.counts.blocks),
                   static_cast<unsigned>(plan.spec.num_query_heads), static_cast<unsigned>(shapes.batch)};
  launch.block = {plan.attributes.workgroup_size, 1, 1};
  launch.arguments = argument_values(plan, shapes, buffers, scale);
  const std::vector<Launch::Value> order = order_values(plan, sharing, launch.decode);
  launch.arguments.insert(launch.arguments.end(), order.begin(), order.end());
  return launch;
}

std::string explain(const Launch& launch) {
  std::string text = fmt::format("grid {} x {} x {} workgroups of {} work-items\n", launch.grid[0],
                                 launch.grid[1], launch.grid[2], launch.block[0]);
  fmt::format_to(std::back_inserter(text), "{} work items in the order {}{}\n", launch.work_items,
                 name_of(launch.order.order), launch.order.interleave ? ", interleaved" : "");
  for (const Launch::Value& argument : launch.arguments)
    std::visit(
        [&](auto value) { fmt::format_to(std::back_inserter(text), "  {:<18} {}\n", argument.name, value); },
        argument.value);
  return text;
}

}  // namespace wavesmith::generator::attention_dense
