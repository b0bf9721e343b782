// Parsing and printing of target ids. Entry points: parse_target_id, TargetId::text, TargetId::llvm_features.
#include "runtime/target_id.h"

#include <array>

#include <fmt/format.h>

namespace wavesmith::runtime {
namespace {

struct NamedFeature {
  std::string_view name;
  FeatureSetting TargetId::* setting;
  bool Processor::* exists;
};

/// In the order in which LLVM prints them.
constexpr std::array kFeatures = {
    NamedFeature{"sramecc", &TargetId::sramecc, &Processor::has_sramecc},
    NamedFeature{"xnack", &TargetId::xnack, &Processor::has_xnack},
};

std::unexpected<Error> refuse(std::string_view text, std::string allowed) {
  return std::unexpected(Error::refused({{"target", std::string(text), std::move(allowed)}}));
}

}  // namespace

std::string TargetId::text() const {
  std::string result(processor->name);
  for (const NamedFeature& feature : kFeatures) {
    if (this->*feature.setting == FeatureSetting::on) result += fmt::format(":{}+", feature.name);
    if (this->*feature.setting == FeatureSetting::off) result += fmt::format(":{}-", feature.name);
  }
  return result;
}

std::string TargetId::llvm_features() const {
  std::string result;
  for (const NamedFeature& feature : kFeatures) {
    const FeatureSetting setting = this->*feature.setting;
    if (setting != FeatureSetting::on && setting != FeatureSetting::off) continue;
    if (!result.empty()) result += ',';
    result += setting == FeatureSetting::on ? '+' : '-';
    result += feature.name;
  }
  return result;
}

Expected<TargetId> parse_target_id(std::string_view text) {
  const std::size_t name_end = text.find(':');
  const Processor* processor = find_processor(text.substr(0, name_end));
  if (processor == nullptr) {
    std::string names;
    for (const Processor& known : processors())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    return refuse(text,
                  "a processor, then :feature+ or :feature- in alphabetical order; processors: " + names);
  }

  TargetId id{.processor = processor};
  for (const NamedFeature& feature : kFeatures) {
    if (processor->*feature.exists) id.*feature.setting = FeatureSetting::any;
  }

  std::size_t next_allowed = 0;  // features come in the table's order, each at most once
  std::string_view rest = name_end == std::string_view::npos ? "" : text.substr(name_end);
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the colon
    const std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(part.size());
    const char sign = part.empty() ? '\0' : part.back();
    const std::string_view name = part.substr(0, part.empty() ? 0 : part.size() - 1);

    std::size_t index = next_allowed;
    while (index < kFeatures.size() && kFeatures[index].name != name) ++index;
    if (index == kFeatures.size() || (sign != '+' && sign != '-')) {
      return refuse(text, "features are sramecc+ or sramecc-, then xnack+ or xnack-, each at most once");
    }
    if (!(processor->*kFeatures[index].exists)) {
      return refuse(text, fmt::format("{} has no {} setting", processor->name, name));
    }
    id.*kFeatures[index].setting = sign == '+' ? FeatureSetting::on : FeatureSetting::off;
    next_allowed = index + 1;
  }
  return id;
}

bool runs_on(const TargetId& code, const TargetId& device) {
  using enum FeatureSetting;
  const auto conflict = [](FeatureSetting a, FeatureSetting b) {
    return (a == on && b == off) || (a == off && b == on);
  };
  return code.processor == device.processor && !conflict(code.xnack, device.xnack) &&
         !conflict(code.sramecc, device.sramecc);
}

}  // namespace wavesmith::runtime
