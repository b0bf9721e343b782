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

  void range(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high)
      refusals.push_back({std::string(field), fmt::format("{}", value), fmt::format("{} to {}", low, high)});
  }

  void strides(std::string_view tensor, const Strides& strides, std::int64_t rows) {
    constexpr std::int64_t two_31 = std::int64_t{1} << 31;
    const auto field = [&](std::string_view axis) { return fmt::format("{}_stride_{}", tensor, axis); };
    for (const auto& [axis, value] :
         {std::pair{"batch", strides.batch}, {"token", strides.token}, {"head", strides.head}})
      if (value % 8 != 0)
        refusals.push_back({field(axis), fmt::format("{}", value), "a multiple of 8 elements (16 bytes)"});
    // `rows` rows, before or after a tile's first, are addressed with 32-bit byte offsets.
    range(field("token"), strides.token, plan_.spec.head_size, (two_31 - 1) / (element_bytes * rows));
    range(field("head"), strides.head, 0, two_31 - 1);
    range(field("batch"), strides.batch, 0, std::int64_t{1} << 56);
  }

  void address(std::string_view tensor, std::uint64_t address) {
    const unsigned align = std::ranges::find(plan_.arguments, tensor, &Argument::name)->align;
    if (address % align != 0)
      refusals.push_back({std::string(tensor), fmt::format("{:#x}", address),
                          fmt::format("an address aligned to {} bytes", align)});
  }

  void lse(const LseStrides& strides, std::uint64_t address) {
    range("lse_stride_batch", strides.batch, 0, std::int64_t{1} << 56);
    range("lse_stride_head", strides.head, 0, (std::int64_t{1} << 31) - 1);
    this->address("lse", address);
  }

  void no_lse(bool strides, std::uint64_t address) {
    if (strides || address != 0)
      refusals.push_back({"lse", address != 0 ? fmt::format("{:#x}", address) : "strides",
                          "nothing: the kernel was built without lse"});
  }

 private:
  const Plan& plan_;
};

}  // namespace

Strides bshd(std::int64_t seqlen, std::int64_t heads, std::int64_t head_size) {
  return {seqlen * heads * head_size, heads * head_size, head_size};
}

Strides bhsd(std::int64_t seqlen, std::int64_t heads, std::int64_t head_size) {
  return {seqlen * heads * head_size, head_size, seqlen * head_size};
}

Expected<Launch> plan_launch(const Plan& plan, const Shapes& shapes, const Buffers& buffers) {
  // The HIP runtime takes at most 65535 workgroups in y and z.
  constexpr std::int64_t max_grid_yz = 65535;
  constexpr std::int64_t max_seqlen =
      (std::int64_t{1} << 31) - 1 - 4096;  // room for rounding up to whole blocks
  ShapeCheck check(plan);
  check.range("batch", shapes.batch, 1, max_grid_yz);
  check.range("seqlen_q", shapes.seqlen_q, 1, max_seqlen);
  check.range("seqlen_kv", shapes.seqlen_kv, 0, max_seqlen);
  check.strides("q", shapes.q, plan.spec.block_m);
  check.strides("k", shapes.k, 2 * plan.spec.block_n);
  check.strides("v", shapes.v, 2 * plan.spec.block_n);
  check.strides("o", shapes.o, plan.spec.block_m);
  check.address("q", buffers.q);
  check.address("k", buffers.k);
  check.address("v", buffers.v);
  check.address("o", buffers.o);
  const LseStrides lse =
      shapes.lse.value_or(LseStrides{plan.spec.num_query_heads * shapes.seqlen_q, shapes.seqlen_q});
  if (plan.spec.lse)
    check.lse(lse, buffers.lse);
  else
    check.no_lse(shapes.lse.has_value(), buffers.lse);
  const float scale = shapes.softmax_scale.value_or(static_cast<float>(1 / std::sqrt(plan.spec.head_size)));
  if (!std::isfinite(scale) || scale <= 0)
    check.refusals.push_back({"softmax_scale", fmt::format("{}", scale), "finite and positive"});
  if (!check.refusals.empty()) return std::unexpected(Error::refused(std::move(check.refusals)));

  Launch launch;
  const auto block_m = static_cast<std::int64_t>(plan.spec.block_m);
  launch.grid = {static_cast<unsigned>((shapes.seqlen_q + block_m - 1) / block_m),
                 static_cast<unsigned>(plan.spec.num_query_heads), static_cast<unsigned>(shapes.batch)};
  launch.block = {plan.attributes.workgroup_size, 1, 1};
  const auto i32 = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  launch.arguments = {
      {"q", buffers.q},
      {"k", buffers.k},
      {"v", buffers.v},
      {"o", buffers.o},
      {"q_stride_batch", shapes.q.batch},
      {"k_stride_batch", shapes.k.batch},
      {"v_stride_batch", shapes.v.batch},
      {"o_stride_batch", shapes.o.batch},
      {"q_stride_token", i32(shapes.q.token)},
      {"k_stride_token", i32(shapes.k.token)},
      {"v_stride_token", i32(shapes.v.token)},
      {"o_stride_token", i32(shapes.o.token)},
      {"q_stride_head", i32(shapes.q.head)},
      {"k_stride_head", i32(shapes.k.head)},
      {"v_stride_head", i32(shapes.v.head)},
      {"o_stride_head", i32(shapes.o.head)},
      {"seqlen_q", i32(shapes.seqlen_q)},
      {"seqlen_kv", i32(shapes.seqlen_kv)},
      {"softmax_scale", scale},
  };
  const auto insert_after = [&](std::string_view name, const Launch::Value& value) {
    launch.arguments.insert(std::ranges::find(launch.arguments, name, &Launch::Value::name) + 1, value);
  };
  if (plan.spec.lse) {
    insert_after("o", {"lse", buffers.lse});
    insert_after("o_stride_batch", {"lse_stride_batch", lse.batch});
    insert_after("o_stride_head", {"lse_stride_head", i32(lse.head)});
  }
  return launch;
}

std::string explain(const Launch& launch) {
  std::string text = fmt::format("grid {} x {} x {} workgroups of {} work-items\n", launch.grid[0],
                                 launch.grid[1], launch.grid[2], launch.block[0]);
  for (const Launch::Value& argument : launch.arguments)
    std::visit(
        [&](auto value) { fmt::format_to(std::back_inserter(text), "  {:<16} {}\n", argument.name, value); },
        argument.value);
  return text;
}

}  // namespace wavesmith::generator::attention_dense
