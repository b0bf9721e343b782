// From a planned launch to JSON.
#include "tools/verify/attention_launch_file.h"

#include <algorithm>
#include <numbers>

#include "generator/attention_dense/launch.h"

namespace wavesmith::verify {
namespace {

namespace dense = generator::attention_dense;
using Json = nlohmann::ordered_json;

Json number(const std::variant<std::uint64_t, std::int64_t, std::int32_t, float>& value) {
  static constexpr std::array<const char*, 4> types{"u64", "i64", "i32", "f32"};
  Json json;
  std::visit([&](auto v) { json[types[value.index()]] = v; }, value);
  return json;
}

}  // namespace

Expected<Json> attention_launch_file(const dense::Plan& plan, const AttentionCase& c) {
  if (const auto checked = check_case(plan, c); !checked) return std::unexpected(checked.error());
  const auto strides = [&](std::int64_t tokens, std::int64_t heads) {
    return (c.bhsd ? dense::bhsd : dense::bshd)(tokens, heads, plan.spec.head_size);
  };
  const dense::Strides query = strides(c.seqlen_q, plan.spec.num_query_heads);
  const dense::Strides key = strides(c.seqlen_kv, plan.spec.num_kv_heads);
  const auto launch = dense::plan_launch(plan,
                                         {.batch = c.batch,
                                          .seqlen_q = c.seqlen_q,
                                          .seqlen_kv = c.seqlen_kv,
                                          .q = query,
                                          .k = key,
                                          .v = key,
                                          .o = query,
                                          .softmax_scale = c.softmax_scale,
                                          .window_left = c.window_left,
                                          .window_right = c.window_right,
                                          .num_persistent = c.num_persistent,
                                          .persist_decode = c.persist_decode,
                                          .interleave = c.interleave},
                                         {});
  if (!launch) return std::unexpected(launch.error());

  Json json = {{"kernel", plan.symbol},
               {"grid", launch->grid},
               {"block", launch->block},
               {"dynamic_lds_bytes", 0},
               {"args", Json::array()}};
  std::uint64_t seed = c.seed;
  for (const dense::Launch::Value& argument : launch->arguments) {
    Json one = {{"name", argument.name}};
    if (std::holds_alternative<std::uint64_t>(argument.value)) {
      if (argument.name == "sinks") {
        one["buffer"] = {{"dtype", "f32"},
                         {"elements", plan.spec.num_query_heads},
                         {"init", "normal"},
                         {"seed", seed++},
                         {"scale", 2 * c.sigma}};
        json["args"].push_back(std::move(one));
        continue;
      }
      if (argument.name == "lse") {
        const std::int64_t elements = c.batch * plan.spec.num_query_heads * c.seqlen_q;
        one["buffer"] = {{"dtype", "f32"}, {"elements", elements}, {"init", "nan"}};
        json["args"].push_back(std::move(one));
        continue;
      }
      const bool of_query = argument.name == "q" || argument.name == "o";
      // A tensor without elements still has an address.
      const std::int64_t elements = std::max<std::int64_t>(1, c.batch * (of_query ? query : key).batch);
      one["buffer"] = {{"dtype", plan.spec.dtype == dense::DType::bf16 ? "bf16" : "fp16"},
                       {"elements", elements},
                       {"init", argument.name == "o"   ? "nan"
                                : argument.name == "v" ? "uniform"
                                                       : "normal"}};
      if (argument.name != "o") {
        one["buffer"]["seed"] = seed++;
        one["buffer"]["scale"] = argument.name == "v" ? std::numbers::sqrt3 : c.sigma;
      }
    } else {
      one.update(number(argument.value));
    }
    json["args"].push_back(std::move(one));
  }
  return json;
}

}  // namespace wavesmith::verify
