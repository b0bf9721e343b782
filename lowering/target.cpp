// The table of targets, and target ids.
#include "lowering/target.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wavesmith::lowering {
namespace {

constexpr std::array<unsigned, 3> dma_1_2_4{1, 2, 4};
constexpr std::array<unsigned, 5> dma_up_to_16{1, 2, 4, 12, 16};

// s_waitcnt of gfx9 (CDNA4 ISA §4.4): vmcnt in [3:0] and [15:14], expcnt [6:4], lgkmcnt [11:8].
constexpr WaitField gfx9_vmcnt{0, 4, 14, 2}, gfx9_expcnt{4, 3}, gfx9_lgkmcnt{8, 4};

// Last dword of a raw buffer descriptor: num_format and data_format for gfx9 (CDNA4 ISA, buffer resource
// descriptor).
constexpr std::uint32_t gfx9_word3 = 0x00027000;

constexpr std::array targets{
    TargetFacts{.processor = "gfx942",
                .wave_size = 64,
                .lds_bytes = 64 * 1024,  // CDNA3 ISA: 64 KiB a CU
                .simds_per_cu = 4,
                .vmcnt = gfx9_vmcnt,
                .expcnt = gfx9_expcnt,
                .lgkmcnt = gfx9_lgkmcnt,
                .buffer_word3 = gfx9_word3,
                .mfma_32x32x16 = false,
                .lds_transpose_read = false,
                .permlane32_swap = false,
                .lds_dma_bytes = dma_1_2_4},
    TargetFacts{.processor = "gfx950",
                .wave_size = 64,
                .lds_bytes = 160 * 1024,  // CDNA4 ISA §2.2: 160 KiB a CU
                .simds_per_cu = 4,
                .vmcnt = gfx9_vmcnt,
                .expcnt = gfx9_expcnt,
                .lgkmcnt = gfx9_lgkmcnt,
                .buffer_word3 = gfx9_word3,
                .mfma_32x32x16 = true,
                .lds_transpose_read = true,
                .permlane32_swap = true,
                .lds_dma_bytes = dma_up_to_16},
};

std::string_view spelling(Feature feature) {
  switch (feature) {
    case Feature::any:
      return "";
    case Feature::off:
      return "-";
    case Feature::on:
      return "+";
  }
  return "";
}

}  // namespace

const TargetFacts* find_target(std::string_view processor) {
  const auto row = std::ranges::find(targets, processor, &TargetFacts::processor);
  return row == targets.end() ? nullptr : &*row;
}

std::span<const TargetFacts> all_targets() {
  return targets;
}

std::uint32_t encode_waitcnt(const TargetFacts& target, std::optional<unsigned> vmcnt,
                             std::optional<unsigned> lgkmcnt) {
  return target.vmcnt.encode(vmcnt.value_or(target.vmcnt.max())) | target.expcnt.encode(target.expcnt.max()) |
         target.lgkmcnt.encode(lgkmcnt.value_or(target.lgkmcnt.max()));
}

Expected<TargetId> parse_target_id(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(Error::refused({{"target", std::string(text), std::string(why)}}));
  };
  constexpr std::string_view form = "a processor and features in LLVM's syntax, e.g. gfx950:sramecc+:xnack-";
  TargetId id;
  std::size_t begin = text.find(':');
  id.processor = text.substr(0, begin);
  if (id.processor.empty()) return refuse(form);
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find(':', begin + 1);
    std::string_view feature = text.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1);
    begin = end;
    if (feature.empty() || (feature.back() != '+' && feature.back() != '-')) return refuse(form);
    const Feature state = feature.back() == '+' ? Feature::on : Feature::off;
    feature.remove_suffix(1);
    if (feature != "sramecc" && feature != "xnack")
      return refuse("features are sramecc and xnack, each + or -");
    Feature& slot = feature == "sramecc" ? id.sramecc : id.xnack;
    if (slot != Feature::any) return refuse("each feature at most once");
    slot = state;
  }
  return id;
}

std::string to_string(const TargetId& id) {
  std::string text = id.processor;
  if (id.sramecc != Feature::any) text += fmt::format(":sramecc{}", spelling(id.sramecc));
  if (id.xnack != Feature::any) text += fmt::format(":xnack{}", spelling(id.xnack));
  return text;
}

}  // namespace wavesmith::lowering
