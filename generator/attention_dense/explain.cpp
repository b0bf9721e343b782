// The Plan as text. Stable: tests and people compare it.
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/order.h"
#include "generator/attention_dense/plan.h"
#include "generator/attention_dense/resources.h"
#include "generator/lds_banks.h"

namespace wavesmith::generator::attention_dense {
namespace {

void bank_row(std::string& text, std::string_view access, const BankConflicts& banks) {
  fmt::format_to(std::back_inserter(text), "  {:<34} {:>5} {:>14} {:>7} {:>9}\n", access, banks.banks_used,
                 banks.lanes_per_bank, banks.cycles, banks.conflict_cycles);
}

void bank_tables(std::string& text, const Plan& plan) {
  auto out = std::back_inserter(text);
  const LdsPhases& k_phases = gfx950_read_b128();
  const LdsPhases& v_phases = gfx950_read_tr_b64();
  fmt::format_to(out,
                 "LDS banks, one read of a wave ({} banks; conflict cycles are those beyond one a phase)\n",
                 k_phases.banks);
  fmt::format_to(out, "  {:<34} {:>5} {:>14} {:>7} {:>9}\n", "access", "banks", "lanes per bank", "cycles",
                 "conflict");
  bank_row(text, fmt::format("K {}", k_phases.name),
           analyse(k_phases, k_read_addresses(plan.k_layout, 0, 0)));
  bank_row(text, fmt::format("V {}", v_phases.name),
           analyse(v_phases, v_read_addresses(plan.v_layout, 0, 0, 0)));
  const auto total = [&](auto&& each) {
    unsigned cycles = 0;
    each([&](const BankConflicts& banks) { cycles += banks.conflict_cycles; });
    return cycles;
  };
  const unsigned k_total = total([&](auto&& add) {
    for (unsigned n = 0; n < plan.sub_tiles; ++n)
      for (unsigned k = 0; k < plan.k_steps; ++k)
        add(analyse(k_phases, k_read_addresses(plan.k_layout, n, k)));
  });
  const unsigned v_total = total([&](auto&& add) {
    for (unsigned d = 0; d < plan.d_tiles; ++d)
      for (unsigned k = 0; k < plan.key_steps; ++k)
        for (unsigned half = 0; half < 2; ++half)
          add(analyse(v_phases, v_read_addresses(plan.v_layout, d, k, half)));
  });
  fmt::format_to(out, "  conflict cycles of a wave and tile: K {} in {} reads, V {} in {} reads\n", k_total,
                 plan.sub_tiles * plan.k_steps, v_total, 2 * plan.d_tiles * plan.key_steps);
  fmt::format_to(out, "  phases of {}: {}\n  phases of {}: {}\n", k_phases.name, k_phases.source,
                 v_phases.name, v_phases.source);
}

}  // namespace

std::string explain(const Plan& plan) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "kernel {}\ntarget {}\n\nspec (canonical)\n", plan.symbol, to_string(plan.target));
  for_each_field<Spec>([&](const auto& field) {
    fmt::format_to(out, "  {:<18} {}\n", field.name, value_text(plan.spec.*field.member));
  });
  fmt::format_to(out, "\ngeometry\n  workgroup          {} waves, {} work-items; a wave owns 32 query rows\n",
                 plan.waves, plan.attributes.workgroup_size);
  fmt::format_to(out, "  QK                 {} sub-tiles x {} MFMA 32x32x16 a tile\n", plan.sub_tiles,
                 plan.k_steps);
  fmt::format_to(out, "  PV                 {} column tiles x {} MFMA 32x32x16 a tile\n", plan.d_tiles,
                 plan.key_steps);
  fmt::format_to(out, "  query heads        {} to a key/value head\n", gqa_ratio(plan.spec));
  if (plan.spec.persistent)
    fmt::format_to(out,
                   "  grid               num_persistent workgroups; each takes every num_persistent-th work "
                   "item\n  order of items     the launch's persist_decode: {}\n",
                   fmt::join(order_names(), ", "));
  else
    fmt::format_to(out,
                   "  grid               blocks of rows x query heads x batch workgroups, a work item each\n"
                   "  order of items     {}: from one to the next batch, key/value head, query head of the "
                   "group; blocks falling\n",
                   name_of(Order::chiplet));
  fmt::format_to(out, "\nLDS, {} bytes of {}\n", plan.lds_bytes, plan.facts->lds_bytes);
  fmt::format_to(out, "  K at {:<6} {} buffers of: {}\n", plan.k_base, tile_buffers, plan.k_layout.text());
  fmt::format_to(out, "  V at {:<6} {} buffers of: {}\n\n", plan.v_base, tile_buffers, plan.v_layout.text());
  bank_tables(text, plan);
  fmt::format_to(out,
                 "\nDMA instructions of a wave and tile: K {}, V {}\nvmcnt waits: {} before the first QK, {} "
                 "in the loop, "
                 "{} before the last PV\n",
                 plan.k_dma, plan.v_dma, plan.wait_first_k, plan.wait_loop, plan.wait_last);
  fmt::format_to(out, "exponentials after each MFMA of PV: {}\n", plan.exps_per_mfma);
  if (plan.spec.lazy_rescale)
    fmt::format_to(out, "rescale when a row maximum grows by more than {} (log2)\n", plan.rescale_threshold);
  else
    text += "rescale with every tile\n";
  fmt::format_to(out, "f32 denormals: {}; IEEE mode: {}; waves per SIMD to allow: {}\n",
                 plan.attributes.f32_denormals == ir::DenormalMode::keep ? "kept" : "flushed",
                 plan.attributes.ieee_mode ? "on" : "off", plan.attributes.waves_per_eu);
  if (plan.spec.mask == Mask::causal)
    text += "mask: bottom-right, key j is visible to query i when j <= i + seqlen_kv - seqlen_q\n";
  if (plan.spec.mask == Mask::causal_top_left)
    text += "mask: top-left, key j is visible to query i when j <= i\n";
  if (plan.spec.mask == Mask::window)
    text +=
        "mask: bottom-right, key j is visible to query i when i - window_left <= j - (seqlen_kv - seqlen_q) "
        "<= i + window_right\n";
  if (plan.spec.sinks) text += "sinks: e^sink of the query head joins the denominator, LSE too\n";
  text += "\narguments\n";
  for (const Argument& argument : plan.arguments)
    fmt::format_to(out, "  {:<18} {:<12} {}\n", argument.name, to_string(argument.type), argument.meaning);
  text += "\nsteps\n";
  for (const Step& step : plan.steps) fmt::format_to(out, "  {:<13} {}\n", step.name, step.what);
  text += "\na launch must keep\n";
  for (const std::string& condition : plan.preconditions) fmt::format_to(out, "  {}\n", condition);
  return text;
}

}  // namespace wavesmith::generator::attention_dense
