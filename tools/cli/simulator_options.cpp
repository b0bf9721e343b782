// From option values to simulator::Options. The names of the choices are those of the enumerations.
#include "tools/cli/simulator_options.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/numbers.h"

namespace wavesmith::cli {
namespace {

constexpr std::array<std::string_view, 5> schedules{"wave_by_wave", "to_wait_rising", "to_wait_falling",
                                                    "round_robin", "random"};
constexpr std::array<std::string_view, 2> arrivals{"latest", "random"};
constexpr std::array<std::string_view, 4> accumulations{"groups_of_8", "groups_of_16", "sequential", "exact"};
constexpr std::array<std::string_view, 2> reads_b32{"two_phases_of_32_banks", "one_phase_of_64_banks"};
constexpr std::array<std::string_view, 2> reads_transpose{"two_phases_of_32_lanes",
                                                          "four_phases_of_16_lanes"};
constexpr std::array<std::string_view, 2> d16_loads{"zeroes_other_half", "keeps_other_half"};
constexpr std::array<std::string_view, 2> narrow_dma{"extended_dword", "element"};

constexpr unsigned most_threads = 1024;

template <class Enum, std::size_t N>
Option choice_option(std::string name, std::string_view meaning, const std::array<std::string_view, N>& names,
                     Enum unless_given) {
  return {.name = std::move(name),
          .placeholder = "NAME",
          .meaning = fmt::format("{}: {} (default {})", meaning, fmt::join(names, ", "),
                                 names.at(static_cast<std::size_t>(unless_given)))};
}

template <class Enum, std::size_t N>
void read_choice(const Arguments& arguments, std::string_view name,
                 const std::array<std::string_view, N>& names, Enum& value, std::vector<Refusal>& refusals) {
  const auto given = arguments.value(name);
  if (!given) return;
  if (const auto found = std::ranges::find(names, *given); found != names.end())
    value = static_cast<Enum>(found - names.begin());
  else
    refusals.push_back({field_name(name), *given, fmt::format("{}", fmt::join(names, ", "))});
}

}  // namespace

OptionGroup simulator_options() {
  const simulator::Options usual;
  return {
      .title = "Simulator",
      .options = {
          {.name = "threads",
           .placeholder = "N",
           .meaning = "CPU threads; results do not depend on it (0 to 1024; default 0, one for each CPU)"},
          {.name = "hazards",
           .placeholder = "",
           .meaning = "look for hazards; more than doubles the time (default on)",
           .negatable = true},
          {.name = "uninitialized",
           .placeholder = "",
           .meaning = "among hazards, look for uses of what was never written; takes a third more time "
                      "(default on)",
           .negatable = true},
          choice_option("schedule", "order in which the waves of a workgroup run", schedules, usual.schedule),
          choice_option("arrival", "when memory operations take effect, at the latest with their wait",
                        arrivals, usual.arrival),
          {.name = "schedule-seed",
           .placeholder = "N",
           .meaning = "of the random schedule and arrival (0 to 2^64 - 1; default 1)"},
          {.name = "follow-inexact",
           .placeholder = "",
           .meaning = "tell where approximate or uncertain values reach addresses and branches (default on)",
           .negatable = true},
          choice_option("mfma-accumulation", "additions inside a matrix instruction", accumulations,
                        usual.mfma_accumulation),
          choice_option("lds-read-b32", "LDS banks of ds_read_b32 on gfx950", reads_b32, usual.lds_read_b32),
          choice_option("lds-read-transpose", "LDS phases of transposing reads on gfx950", reads_transpose,
                        usual.lds_read_transpose),
          choice_option("d16-load", "other half of the register after a 16-bit load", d16_loads,
                        usual.d16_load),
          choice_option("lds-dma-narrow", "what LDS DMA of less than a dword writes", narrow_dma,
                        usual.lds_dma_narrow)}};
}

simulator::Options read_simulator_options(const Arguments& arguments, std::vector<Refusal>& refusals) {
  simulator::Options options;
  if (const auto text = arguments.value("threads")) {
    const auto threads = parse_number<unsigned>(*text);
    if (threads && *threads <= most_threads)
      options.threads = *threads;
    else
      refusals.push_back({"threads", *text, fmt::format("0 to {}", most_threads)});
  }
  if (const auto text = arguments.value("schedule-seed")) {
    if (const auto seed = parse_number<std::uint64_t>(*text))
      options.seed = *seed;
    else
      refusals.push_back({"schedule_seed", *text, "0 to 2^64 - 1"});
  }
  options.hazards = arguments.value_or("hazards", "true") == "true";
  options.uninitialized = arguments.value_or("uninitialized", "true") == "true";
  read_choice(arguments, "schedule", schedules, options.schedule, refusals);
  read_choice(arguments, "arrival", arrivals, options.arrival, refusals);
  options.follow_inexact = arguments.value_or("follow-inexact", "true") == "true";
  read_choice(arguments, "mfma-accumulation", accumulations, options.mfma_accumulation, refusals);
  read_choice(arguments, "lds-read-b32", reads_b32, options.lds_read_b32, refusals);
  read_choice(arguments, "lds-read-transpose", reads_transpose, options.lds_read_transpose, refusals);
  read_choice(arguments, "d16-load", d16_loads, options.d16_load, refusals);
  read_choice(arguments, "lds-dma-narrow", narrow_dma, options.lds_dma_narrow, refusals);
  return options;
}

}  // namespace wavesmith::cli
