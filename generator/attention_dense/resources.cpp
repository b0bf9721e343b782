// LDS and registers of a spec against those of the target.
#include "generator/attention_dense/resources.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wavesmith::generator::attention_dense {
namespace {

// gfx950 has 512 vector registers a lane and SIMD, accumulation registers included, for all of its waves.
constexpr unsigned registers_of_simd = 512;

struct Pad {
  std::string_view name;
  int value;
};

// The pads that are live at the spec's head size: K's and V's.
std::array<Pad, 2> live_pads(const Spec& spec) {
  if (spec.head_size == 64)
    return {{{"lds_k_group_pad", spec.lds_k_group_pad}, {"lds_v_group_pad", spec.lds_v_group_pad}}};
  return {{{"lds_k_row_pad", spec.lds_k_row_pad}, {"lds_v_row_pad", spec.lds_v_row_pad}}};
}

void check_lds(const Spec& spec, const TileLayouts& layouts, unsigned available,
               std::vector<Refusal>& refusals) {
  const unsigned needed = layouts.lds_bytes();
  if (needed <= available) return;
  const auto pads = live_pads(spec);
  // What both pads together may be, in elements.
  const int pad_elements = pads[0].value + pads[1].value;
  const unsigned pad_bytes = tile_buffers * layouts.k.groups() * element_bytes;
  const int excess = static_cast<int>((needed - available + pad_bytes - 1) / pad_bytes);
  for (std::size_t i = 0; i < pads.size(); ++i) {
    const Pad &pad = pads[i], &other = pads[1 - i];
    const int most = std::max(0, (pad_elements - excess - other.value) / 8 * 8);
    if (pad.value > most)
      refusals.push_back({std::string(pad.name), value_text(pad.value),
                          fmt::format("at most {} beside {} = {} and block_n = {}: K and V would need {} "
                                      "bytes of LDS, and there are {}",
                                      most, other.name, other.value, spec.block_n, needed, available)});
  }
}

void check_waves(const Spec& spec, const TileLayouts& layouts, const lowering::TargetFacts& target,
                 std::vector<Refusal>& refusals) {
  // LLVM would drop a wish that LDS does not permit without a word, and spill for one that registers do not.
  const unsigned waves = waves_of(spec);
  const unsigned workgroups = target.lds_bytes / layouts.lds_bytes();
  const unsigned by_lds = workgroups * waves / target.simds_per_cu;
  const unsigned registers = vector_registers(spec);
  const unsigned by_registers = registers_of_simd / registers;
  if (static_cast<unsigned>(spec.waves_per_eu) <= std::min(by_lds, by_registers)) return;
  const std::string reason =
      by_registers < by_lds
          ? fmt::format("at most {}: a wave needs {} of the {} vector registers of a SIMD", by_registers,
                        registers, registers_of_simd)
          : fmt::format("at most {}: of workgroups with {} waves and {} bytes of LDS, {} fit a compute unit",
                        by_lds, waves, layouts.lds_bytes(), workgroups);
  refusals.push_back({"waves_per_eu", value_text(spec.waves_per_eu), reason});
}

}  // namespace

unsigned waves_of(const Spec& spec) {
  return static_cast<unsigned>(spec.block_m) / 32;
}

Expected<TileLayouts> tile_layouts(const Spec& spec) {
  const auto pads = live_pads(spec);
  const auto layout = [&](const Pad& pad, std::string_view operand) {
    return Layout::make({.head_size = static_cast<unsigned>(spec.head_size),
                         .block_n = static_cast<unsigned>(spec.block_n),
                         .pad_elements = static_cast<unsigned>(pad.value),
                         .dma_width = static_cast<unsigned>(spec.dma_width),
                         .waves = waves_of(spec)},
                        operand);
  };
  const Expected<Layout> k = layout(pads[0], "k");
  if (!k) return std::unexpected(k.error());
  const Expected<Layout> v = layout(pads[1], "v");
  if (!v) return std::unexpected(v.error());
  return TileLayouts{*k, *v};
}

unsigned vector_registers(const Spec& spec) {
  const auto head_size = static_cast<unsigned>(spec.head_size);
  const auto block_n = static_cast<unsigned>(spec.block_n);
  // A 32 x 32 result has 16 registers a lane, an operand of 32 x 16 elements of two bytes has four.
  const unsigned o = head_size / 32 * 16, scores = block_n / 32 * 16;
  const unsigned q = head_size / 16 * 4, p = block_n / 16 * 4;
  constexpr unsigned work = 48;  // K fragments read ahead, offsets of copies, addresses, running values
  // The bounds of a window, and what a loop over work items holds.
  const unsigned more = spec.mask == Mask::window || spec.persistent ? 8 : 0;
  return o + scores + q + p + work + more;
}

void check_resources(const Spec& spec, const lowering::TargetFacts& target, std::vector<Refusal>& refusals) {
  const Expected<TileLayouts> layouts = tile_layouts(spec);
  if (!layouts) {
    refusals.insert(refusals.end(), layouts.error().refusals.begin(), layouts.error().refusals.end());
    return;
  }
  // The comparisons of 128 keys a tile take so many scalar registers that LLVM would spill some.
  if (spec.persistent && spec.block_n == 128) {
    constexpr std::string_view because =
        " with persistent and block_n = 128: there are not enough scalar registers";
    if (spec.sinks) refusals.push_back({"sinks", value_text(spec.sinks), fmt::format("false{}", because)});
    if (spec.kv == Kv::paged)
      refusals.push_back({"kv", value_text(spec.kv), fmt::format("contiguous{}", because)});
  }
  const std::size_t before = refusals.size();
  check_lds(spec, *layouts, target.lds_bytes, refusals);
  // Of a workgroup that does not fit there is no number of waves to speak of.
  const bool has_waves = std::ranges::find(refusals, "waves_per_eu", &Refusal::field) == refusals.end();
  if (refusals.size() == before && has_waves) check_waves(spec, *layouts, target, refusals);
}

}  // namespace wavesmith::generator::attention_dense
