// From a planned launch to JSON.
#include "tools/verify/attention_launch_file.h"

#include <algorithm>
#include <bit>
#include <numbers>
#include <span>

#include <fmt/format.h>

#include "generator/attention_dense/launch.h"
#include "tools/verify/attention_tensors.h"

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

/// Elements of a tensor's whole buffer. One without any still has an address.
std::int64_t elements_of(const TensorShape& shape) {
  return std::max<std::int64_t>(1,
                                shape.paged() ? shape.pages.count() * shape.strides.batch : shape.extent());
}

std::string bytes_of_table(std::span<const std::int32_t> table) {
  static_assert(std::endian::native == std::endian::little);
  const auto bytes = std::as_bytes(table);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The buffers of one launch.
class BufferWriter {
 public:
  BufferWriter(const dense::Plan& plan, const AttentionCase& c, const AttentionLayout& layout)
      : plan_(plan), case_(c), layout_(layout), seed_(c.seed) {}

  Json sinks() {
    return {{"dtype", "f32"},
            {"elements", plan_.spec.num_query_heads},
            {"init", "normal"},
            {"seed", seed_++},
            {"scale", 2 * case_.sigma}};
  }
  [[nodiscard]] Json lse() const {
    return {{"dtype", "f32"}, {"elements", std::max<std::int64_t>(1, layout_.lse.extent())}, {"init", "nan"}};
  }
  Json tensor(std::string_view name) {
    const bool output = name == "o", values = name == "v";
    Json buffer = {{"dtype", plan_.spec.dtype == dense::DType::bf16 ? "bf16" : "fp16"},
                   {"elements", elements_of(output || name == "q" ? layout_.query : layout_.key)},
                   {"init", output   ? "nan"
                            : values ? "uniform"
                                     : "normal"}};
    if (output) return buffer;
    buffer["seed"] = seed_++;
    buffer["scale"] = values ? std::numbers::sqrt3 : case_.sigma;
    return buffer;
  }

 private:
  const dense::Plan& plan_;
  const AttentionCase& case_;
  const AttentionLayout& layout_;
  std::uint64_t seed_;  ///< of the next buffer
};

}  // namespace

Expected<AttentionLaunchFile> attention_launch_file(const dense::Plan& plan, const AttentionCase& c,
                                                    std::string_view file_name) {
  if (const auto checked = check_case(plan, c); !checked) return std::unexpected(checked.error());
  const auto launch = dense::plan_launch(plan, launch_shapes(plan, c, no_gaps), {});
  if (!launch) return std::unexpected(launch.error());
  const AttentionLayout layout = layout_of(plan, c, no_gaps);

  AttentionLaunchFile file;
  file.json = {{"kernel", plan.symbol},
               {"grid", launch->grid},
               {"block", launch->block},
               {"dynamic_lds_bytes", 0},
               {"args", Json::array()}};
  BufferWriter buffers(plan, c, layout);
  for (const dense::Launch::Value& argument : launch->arguments) {
    Json one = {{"name", argument.name}};
    const auto table = std::ranges::find(sequence_tables, argument.name, &SequenceTable::name);
    if (table != sequence_tables.end()) {
      file.companions.push_back(
          {fmt::format("{}.{}.bin", file_name, argument.name), bytes_of_table(layout.tables.*table->table)});
      one["file"] = file.companions.back().name;
    } else if (!std::holds_alternative<std::uint64_t>(argument.value)) {
      one.update(number(argument.value));
    } else {
      one["buffer"] = argument.name == "sinks" ? buffers.sinks()
                      : argument.name == "lse" ? buffers.lse()
                                               : buffers.tensor(argument.name);
    }
    file.json["args"].push_back(std::move(one));
  }
  return file;
}

}  // namespace wavesmith::verify
