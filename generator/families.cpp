// attention_dense as a Family.
#include "generator/families.h"

#include <algorithm>
#include <array>

#include "generator/attention_dense/emit.h"
#include "generator/attention_dense/plan.h"
#include "generator/attention_dense/presets.h"

namespace wavesmith::generator {
namespace {

class AttentionDenseKernel final : public ResolvedKernel {
 public:
  explicit AttentionDenseKernel(attention_dense::Plan plan) : plan_(std::move(plan)) {}

  [[nodiscard]] const std::string& symbol() const override { return plan_.symbol; }
  [[nodiscard]] const lowering::TargetId& target() const override { return plan_.target; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> spec() const override {
    std::vector<std::pair<std::string, std::string>> fields;
    for_each_field<attention_dense::Spec>(
        [&](const auto& field) { fields.emplace_back(field.name, value_text(plan_.spec.*field.member)); });
    return fields;
  }
  [[nodiscard]] std::string explain() const override { return attention_dense::explain(plan_); }
  [[nodiscard]] Expected<std::unique_ptr<ResolvedKernel>> with_symbol(
      std::string_view symbol) const override {
    if (const Expected<void> checked = check_symbol(symbol); !checked)
      return std::unexpected(checked.error());
    attention_dense::Plan plan = plan_;
    plan.symbol = symbol;
    return std::make_unique<AttentionDenseKernel>(std::move(plan));
  }
  [[nodiscard]] Expected<std::string> emit(const lowering::Flavour& flavour,
                                           const lowering::LowerOptions& options) const override {
    return attention_dense::emit(plan_, flavour, options);
  }
  [[nodiscard]] std::string key(std::string_view flavour, std::string_view options,
                                std::string_view compiler) const override {
    return request_key(plan_, flavour, options, compiler);
  }
  [[nodiscard]] const attention_dense::Plan& plan() const { return plan_; }

 private:
  attention_dense::Plan plan_;
};

class AttentionDenseFamily final : public Family {
 public:
  [[nodiscard]] std::string_view name() const override { return "attention-dense"; }
  [[nodiscard]] std::string_view meaning() const override {
    return "flash-attention prefill, one kernel a call";
  }
  [[nodiscard]] std::vector<FieldInfo> fields() const override {
    using attention_dense::Spec;
    Spec valid;
    valid.head_size = 64;
    valid.num_query_heads = valid.num_kv_heads = 1;
    return describe_fields(valid, [](const Spec& spec, std::string_view name) {
      const std::vector<Refusal> refusals = attention_dense::check(spec);
      return std::ranges::any_of(refusals, [&](const Refusal& refusal) { return refusal.field == name; });
    });
  }
  [[nodiscard]] std::vector<std::string> targets() const override { return {"gfx950"}; }
  [[nodiscard]] std::vector<std::string> presets() const override {
    const auto& names = attention_dense::preset_names();
    return {names.begin(), names.end()};
  }

  [[nodiscard]] Expected<std::unique_ptr<ResolvedKernel>> resolve(
      const FieldTexts& fields, std::string_view preset, const lowering::TargetId& target) const override {
    std::vector<Refusal> refusals;
    FieldTexts texts = fields;
    if (const FieldTexts* expansion = attention_dense::find_preset(preset))
      texts.insert(expansion->begin(), expansion->end());  // explicit fields stay
    else
      refusals.push_back({"preset", std::string(preset),
                          fmt::format("{}", fmt::join(attention_dense::preset_names(), ", "))});
    attention_dense::Spec spec;
    read_fields(texts, spec, refusals);
    refusals = attention_dense::refusals_of(spec, target, std::move(refusals));
    if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
    Expected<attention_dense::Plan> plan = attention_dense::resolve(spec, target);
    if (!plan) return std::unexpected(plan.error());
    return std::make_unique<AttentionDenseKernel>(std::move(*plan));
  }
};

}  // namespace

Expected<void> Family::supports(const FieldTexts& fields, std::string_view preset,
                                const lowering::TargetId& target) const {
  const auto kernel = resolve(fields, preset, target);
  if (!kernel) return std::unexpected(kernel.error());
  return {};
}

// Plain C identifiers need no quoting in IR text, assembly or a launcher's source, and none of them can be
// taken for an intrinsic ("llvm.…") or for a descriptor (NAME.kd).
Expected<void> check_symbol(std::string_view symbol) {
  constexpr std::size_t longest = 255;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!symbol.empty() && symbol.size() <= longest && letter(symbol.front()) &&
      std::ranges::all_of(symbol, [&](char c) { return letter(c) || digit(c); }))
    return {};
  return std::unexpected(
      Error::refused({{"symbol", std::string(symbol),
                       "a letter or _, then letters, digits and _; at most 255 characters"}}));
}

Expected<attention_dense::Plan> plan_of(const ResolvedKernel& kernel) {
  if (const auto* attention = dynamic_cast<const AttentionDenseKernel*>(&kernel)) return attention->plan();
  return std::unexpected(
      Error::refused({{"kernel", kernel.symbol(), "a kernel of the family attention-dense"}}));
}

std::span<const Family* const> families() {
  static const AttentionDenseFamily attention_dense;
  static const std::array<const Family*, 1> all{&attention_dense};
  return all;
}

const Family* find_family(std::string_view name) {
  for (const Family* family : families())
    if (family->name() == name) return family;
  return nullptr;
}

}  // namespace wavesmith::generator
