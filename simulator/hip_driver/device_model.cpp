// The table of products and the parser of the variables.
#include "simulator/hip_driver/device_model.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace wavesmith::simulator::hip_driver {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint32_t kMiB = 1 << 20;

// Columns as in DeviceModel. Source: AMD's product pages.
constexpr std::array kModels = {
    DeviceModel{"gfx942", "MI300X", 304, 2'100'000, 192 * kGiB, 1'300'000, 8192, 4 * kMiB, 64, false},
    DeviceModel{"gfx950", "MI355X", 256, 2'400'000, 288 * kGiB, 2'000'000, 8192, 4 * kMiB, 64, false},
    DeviceModel{"gfx1030", "RX 6900 XT", 80, 2'250'000, 16 * kGiB, 1'000'000, 256, 4 * kMiB, 32, false},
    DeviceModel{"gfx1100", "RX 7900 XTX", 96, 2'500'000, 24 * kGiB, 1'250'000, 384, 6 * kMiB, 32, false},
    DeviceModel{"gfx1151", "Radeon 8060S", 40, 2'900'000, 64 * kGiB, 1'000'000, 256, 2 * kMiB, 32, true},
    DeviceModel{"gfx1201", "RX 9070 XT", 64, 2'970'000, 16 * kGiB, 1'258'000, 256, 8 * kMiB, 32, false},
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, comma - at);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.push_back(part);
    at = comma + 1;
  }
  return parts;
}

std::string model_names() {
  std::string names;
  for (const DeviceModel& model : kModels)
    names += (names.empty() ? "" : ", ") + std::string(model.processor);
  return names;
}

}  // namespace

const DeviceModel* find_device_model(std::string_view processor) {
  const auto* const model = std::ranges::find(kModels, processor, &DeviceModel::processor);
  return model == kModels.end() ? nullptr : model;
}

Expected<std::vector<runtime::TargetId>> simulated_targets(const char* value, const char* visible) {
  using enum runtime::FeatureSetting;
  const std::string_view text = value == nullptr || *value == '\0' ? "gfx950" : value;
  std::vector<Refusal> refusals;
  std::vector<runtime::TargetId> targets;
  for (const std::string_view name : split(text)) {
    Expected<runtime::TargetId> target = runtime::parse_target_id(name);
    if (!target || find_device_model(target->processor->name) == nullptr) {
      refusals.push_back({architecture_variable, std::string(name),
                          fmt::format("target ids with commas between them, of {}", model_names())});
      continue;
    }
    if (target->sramecc == any) target->sramecc = on;
    if (target->xnack == any) target->xnack = off;
    targets.push_back(*target);
  }
  if (targets.size() > most_devices) {
    refusals.push_back({architecture_variable, fmt::format("{} devices", targets.size()),
                        fmt::format("at most {}", most_devices)});
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  if (visible == nullptr) return targets;

  std::vector<runtime::TargetId> chosen;
  for (const std::string_view number : split(visible)) {
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (failed != std::errc{} || end != number.data() + number.size() || index >= targets.size()) break;
    chosen.push_back(targets[index]);
  }
  return chosen;
}

}  // namespace wavesmith::simulator::hip_driver
