// Reads a case, and lists its options.
#include "tools/cli/verify_case.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/model_shapes.h"
#include "tools/cli/numbers.h"

namespace wavesmith::cli {
namespace {

namespace dense = generator::attention_dense;

/// Reads one option; what it does not accept becomes a refusal.
class LaunchReader {
 public:
  LaunchReader(const Arguments& arguments, std::vector<Refusal>& refusals)
      : arguments_(arguments), refusals_(refusals) {}

  template <class T>
  void read(std::string_view name, T& value, std::string_view allowed) {
    const auto text = arguments_.value(name);
    if (!text) return;
    if (const auto number = parse_number<T>(*text))
      value = *number;
    else
      refuse(name, *text, allowed);
  }

  // One number, or a list with one for each batch element. Refused already where the parser did not like the
  // value.
  void lengths(std::string_view name, std::int64_t& one, std::vector<std::int64_t>& each) {
    constexpr std::string_view allowed = "a number of tokens, or a list of such: 64,300,0";
    const auto text = arguments_.value(name);
    if (!text) {
      if (!refused(name)) refuse(name, "(missing)", allowed);
      return;
    }
    std::vector<std::int64_t> numbers;
    for (const auto part : std::views::split(*text, ',')) {
      const auto number = parse_number<std::int64_t>({part.begin(), part.end()});
      if (!number) return refuse(name, *text, allowed);
      numbers.push_back(*number);
    }
    if (numbers.size() == 1)
      one = numbers.front();
    else if (may_take_lists())
      each = std::move(numbers);
    else
      refuse(
          name, *text,
          "one number of tokens: lists are for sequences varlen and ragged, those of keys also for kv paged");
  }

  [[nodiscard]] bool refused(std::string_view name) const {
    return std::ranges::find(refusals_, field_name(name), &Refusal::field) != refusals_.end();
  }
  void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
    refusals_.push_back({field_name(name), std::string(value), std::string(allowed)});
  }

 private:
  // Nothing else says how sequences lie.
  bool may_take_lists() const {
    return std::ranges::any_of(std::array{"sequences", "kv", "spec", "preset"},
                               [&](const char* name) { return arguments_.value(name).has_value(); });
  }

  const Arguments& arguments_;
  std::vector<Refusal>& refusals_;
};

void read_window(const Arguments& arguments, LaunchReader& reader, verify::AttentionCase& shape) {
  for (const auto& [name, width] :
       {std::pair{"window-left", &shape.window_left}, {"window-right", &shape.window_right}}) {
    if (!arguments.value(name)) continue;
    std::int64_t keys = 0;
    reader.read(name, keys, "a number of keys, or -1 for no bound");
    *width = keys;
  }
}

/// Lists agree with one another and with --batch.
void read_lengths(const Arguments& arguments, LaunchReader& reader, verify::AttentionCase& shape) {
  reader.read("batch", shape.batch, "a number of batch elements");
  reader.lengths("seqlen-q", shape.seqlen_q, shape.seqlens_q);
  reader.lengths("seqlen-kv", shape.seqlen_kv, shape.seqlens_kv);
  const std::size_t in_q = shape.seqlens_q.size(), in_kv = shape.seqlens_kv.size();
  if (in_q != 0 && in_kv != 0 && in_q != in_kv)
    reader.refuse("seqlen-kv", arguments.value_or("seqlen-kv", ""),
                  fmt::format("one number, or {} as in seqlen_q", in_q));
  else if (const auto lengths = static_cast<std::int64_t>(std::max(in_q, in_kv)); lengths != 0) {
    if (arguments.value("batch") && !reader.refused("batch") && shape.batch != lengths)
      reader.refuse("batch", arguments.value_or("batch", ""),
                    fmt::format("{}, as many as there are lengths, or nothing", lengths));
    shape.batch = lengths;
  }
}

}  // namespace

OptionGroup verify_case_options() {
  return {
      .title = "Launch",
      .options = {
          {.name = "batch",
           .placeholder = "N",
           .meaning = "batch elements (default 1, or as many as a list has lengths)"},
          {.name = "seqlen-q",
           .placeholder = "N[,N]",
           .meaning = "queries of each batch element; with sequences varlen and ragged also a list with "
                      "those of each (required)"},
          {.name = "seqlen-kv",
           .placeholder = "N[,N]",
           .meaning = "keys of each batch element; a list also with kv paged (required)"},
          {.name = "softmax-scale",
           .placeholder = "X",
           .meaning = "factor of the scores (default 1 / sqrt(head size))"},
          {.name = "window-left",
           .placeholder = "N",
           .meaning =
               "with mask window: keys before a query's own place that it sees; -1: all (default: what a "
               "--model-shape with a window has, else -1)"},
          {.name = "window-right",
           .placeholder = "N",
           .meaning = "the same behind it (default: 0 with such a --model-shape, else -1)"},
          {.name = "layout",
           .placeholder = "NAME",
           .meaning = "order of the axes in memory: bshd, bhsd (default bshd)"},
          {.name = "seed", .placeholder = "N", .meaning = "of the random inputs (default 1)"},
          {.name = "sigma",
           .placeholder = "X",
           .meaning = "standard deviation of Q and K, at most 100; at 1 no accumulator is ever rescaled "
                      "(default 2)"},
          {.name = "num-persistent",
           .placeholder = "N",
           .meaning = "workgroups of a persistent kernel (default: as many as a GPU holds at once, or what "
                      "the order asks for)"},
          {.name = "persist-decode",
           .placeholder = "NAME",
           .meaning = fmt::format("order of a persistent kernel's work items: {} (default auto)",
                                  fmt::join(dense::order_names(), ", "))},
          {.name = "interleave",
           .placeholder = "",
           .meaning = "blocks of odd query heads in falling order; with persist-decode qb_major"}}};
}

verify::AttentionCase read_verify_case(const Arguments& arguments, std::vector<Refusal>& refusals) {
  verify::AttentionCase shape;
  LaunchReader reader(arguments, refusals);
  read_lengths(arguments, reader, shape);
  reader.read("seed", shape.seed, "0 to 2^64 - 1");
  if (arguments.value("softmax-scale")) {
    float scale = 1;
    reader.read("softmax-scale", scale, "a number");
    shape.softmax_scale = scale;
  }
  reader.read("sigma", shape.sigma, "a number");
  if (arguments.value("num-persistent")) {
    std::int64_t workgroups = 0;
    reader.read("num-persistent", workgroups, "a number of workgroups");
    shape.num_persistent = workgroups;
  }
  const std::string decode = arguments.value_or("persist-decode", "auto");
  if (const auto order = dense::find_order(decode))
    shape.persist_decode = *order;
  else
    reader.refuse("persist-decode", decode, fmt::format("{}", fmt::join(dense::order_names(), ", ")));
  shape.interleave = arguments.flag("interleave");
  const std::string layout = arguments.value_or("layout", "bshd");
  shape.bhsd = layout == "bhsd";
  if (layout != "bshd" && layout != "bhsd") reader.refuse("layout", layout, "bshd, bhsd");
  read_window(arguments, reader, shape);
  return shape;
}

void add_model_window(const Arguments& arguments, const dense::Spec& spec, verify::AttentionCase& shape) {
  const generator::ModelShape* model = generator::find_model_shape(arguments.value_or("model-shape", ""));
  if (model == nullptr || model->window == 0 || spec.mask != dense::Mask::window) return;
  shape.window_left = shape.window_left.value_or(model->window - 1);
  shape.window_right = shape.window_right.value_or(0);
}

}  // namespace wavesmith::cli
