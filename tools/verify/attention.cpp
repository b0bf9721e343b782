// Buffers, launch, comparison.
#include "tools/verify/attention.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "generator/attention_dense/sequences.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/attention_tensors.h"
#include "tools/verify/device_buffers.h"

namespace wavesmith::verify {
namespace {

namespace dense = generator::attention_dense;

/// Hazards that a further run has found, at other instructions or of other kinds.
void add_hazards(simulator::Report& report, const simulator::Report& more) {
  if (!more.hazards) return;
  if (!report.hazards) report.hazards.emplace();
  for (const simulator::Hazard& hazard : *more.hazards) {
    const bool known = std::ranges::any_of(*report.hazards, [&](const simulator::Hazard& one) {
      return one.kind == hazard.kind && one.first.address == hazard.first.address;
    });
    if (!known) report.hazards->push_back(hazard);
  }
}

/// A code object on a device of its own, run as often as there are seeds.
class Runner {
 public:
  static Expected<Runner> create(const dense::Plan& plan, std::span<const std::byte> code_object,
                                 const AttentionCase& c, const simulator::Options& options) {
    AttentionLayout layout = layout_of(plan, c, poisoned_gaps);
    if (const auto checked =
            dense::check_sequences(plan, launch_shapes(plan, c, poisoned_gaps), layout.tables.data());
        !checked)
      return std::unexpected(checked.error());
    Expected<simulator::Device> device = simulator::Device::create(to_string(plan.target));
    if (!device) return std::unexpected(device.error());
    const auto module = device->load(code_object);
    if (!module) return std::unexpected(module.error());
    return Runner(plan, c, options, std::move(layout), std::move(*device), *module);
  }

  [[nodiscard]] const AttentionLayout& layout() const { return layout_; }

  /// What one launch left behind.
  struct Outcome {
    simulator::Report report;
    std::vector<std::uint16_t> output;  ///< the whole O buffer
    std::vector<std::uint32_t> lse;     ///< the same, where the kernel has it
    float scale = 0;                    ///< as the kernel got it
  };

  /// One launch in buffers of its own.
  Expected<Outcome> execute(const AttentionTensors& tensors, const simulator::Options& options) {
    dense::Buffers buffers;
    DeviceBuffers memory(device_, case_.placement);
    Expected<void> failed;
    const auto place = [&](std::uint64_t& address, const Expected<simulator::DeviceAddress>& uploaded) {
      if (uploaded)
        address = *uploaded;
      else if (failed)
        failed = std::unexpected(uploaded.error());
    };
    place(buffers.q, memory.upload(tensors.q, "q", false));
    place(buffers.k, memory.upload(tensors.k, "k", false));
    place(buffers.v, memory.upload(tensors.v, "v", false));
    place(buffers.o, memory.upload(tensors.o, "o", true));
    if (plan_.spec.sinks)
      place(buffers.sinks, memory.upload(std::as_bytes(std::span(tensors.sinks)), "sinks", false));
    Outcome outcome;
    if (plan_.spec.lse) {
      outcome.lse.assign(static_cast<std::size_t>(layout_.lse.extent()), lse_poison_bits);
      place(buffers.lse, memory.upload(std::as_bytes(std::span(outcome.lse)), "lse", true));
    }
    for (const SequenceTable& one : sequence_tables)
      if (const auto& table = tables_.*one.table; !table.empty())
        place(buffers.*one.address, memory.upload_table(table, std::string(one.name)));
    if (!failed) return std::unexpected(failed.error());
    const Expected<dense::Launch> launch =
        dense::plan_launch(plan_, launch_shapes(plan_, case_, poisoned_gaps), buffers);
    if (!launch) return std::unexpected(launch.error());
    simulator::Launch dispatch = dispatch_of(plan_, *launch);
    dispatch.options = options;
    Expected<simulator::Report> report = device_.launch(module_, dispatch);
    if (!report) return std::unexpected(report.error());
    outcome.report = std::move(*report);
    outcome.scale = scale_of(*launch);

    outcome.output.resize(tensors.o.bits.size());
    if (const auto read = device_.read(buffers.o, std::as_writable_bytes(std::span(outcome.output))); !read)
      return std::unexpected(read.error());
    if (plan_.spec.lse)
      if (const auto read = device_.read(buffers.lse, std::as_writable_bytes(std::span(outcome.lse))); !read)
        return std::unexpected(read.error());
    if (const auto freed = memory.free_all(); !freed) return std::unexpected(freed.error());
    return outcome;
  }

  /// Appends to both; to `lse_samples` where the kernel has that output.
  Expected<simulator::Report> run(std::uint64_t seed, std::vector<Sample>& samples,
                                  std::vector<LseSample>& lse_samples) {
    const oracle::ElementType type = element_type(plan_.spec);
    const AttentionTensors tensors = make_tensors(plan_, layout_, seed, case_.sigma);
    simulator::Options options = options_;
    options.uninitialized =
        options_.uninitialized && samples.empty();  // once is enough for the time it takes
    Expected<Outcome> outcome = execute(tensors, options);
    if (!outcome) return std::unexpected(outcome.error());
    const oracle::Problem problem = problem_of(plan_.spec,
                                               {.q = tensors.q,
                                                .k = tensors.k,
                                                .v = tensors.v,
                                                .sinks = tensors.sinks,
                                                .window_left = case_.window_left,
                                                .window_right = case_.window_right},
                                               outcome->scale);
    Sample sample;
    sample.output = std::move(outcome->output);
    sample.exact = oracle::attention(problem, options_.threads);
    sample.rounded = oracle::attention_rounded(problem, type, options_.threads);
    if (plan_.spec.lse)
      lse_samples.push_back(
          {.output = std::move(outcome->lse), .exact = sample.exact.lse, .magnitude = score_bounds(problem)});
    samples.push_back(std::move(sample));
    return std::move(outcome->report);
  }

  /// Runs the first seed again under every other schedule. Notes a hazard in `report` where the result is not
  /// that of `samples`, and becomes the report of a run that was stopped.
  Expected<void> compare_schedules(const Sample& sample, std::span<const LseSample> lse,
                                   simulator::Report& report) {
    using simulator::Schedule;
    const AttentionTensors tensors = make_tensors(plan_, layout_, case_.seed, case_.sigma);
    constexpr std::array<std::pair<Schedule, std::string_view>, 5> schedules{
        {{Schedule::wave_by_wave, "wave_by_wave"},
         {Schedule::to_wait_rising, "to_wait_rising"},
         {Schedule::to_wait_falling, "to_wait_falling"},
         {Schedule::round_robin, "round_robin"},
         {Schedule::random, "random"}}};
    for (const auto& [schedule, name] : schedules) {
      if (schedule == options_.schedule) continue;
      simulator::Options options = options_;
      options.schedule = schedule;
      options.uninitialized = false;   // the first run has looked
      options.follow_inexact = false;  // and told
      // Early arrival hides hazards from those that look for missing waits, so only one run has it.
      if (schedule == Schedule::random) options.arrival = simulator::Arrival::random;
      Expected<Outcome> outcome = execute(tensors, options);
      if (!outcome) return std::unexpected(outcome.error());
      if (outcome->report.fault) {
        report = std::move(outcome->report);
        return {};
      }
      add_hazards(report, outcome->report);
      if (outcome->output == sample.output && (lse.empty() || outcome->lse == lse.front().output)) continue;
      simulator::Fault place;
      place.what = fmt::format("results under the schedule {} differ from those of the first run", name);
      place.text = "(the whole dispatch)";
      if (!report.hazards) report.hazards.emplace();
      report.hazards->push_back(
          {.kind = "schedule_dependent", .first = std::move(place), .step = {}, .count = 1});
    }
    return {};
  }

 private:
  Runner(const dense::Plan& plan, const AttentionCase& c, const simulator::Options& options,
         AttentionLayout layout, simulator::Device device, simulator::Module module)
      : plan_(plan),
        case_(c),
        options_(options),
        layout_(std::move(layout)),
        tables_(layout_.tables),
        device_(std::move(device)),
        module_(module) {
    if (c.plant) c.plant(tables_);
  }

  const dense::Plan& plan_;
  AttentionCase case_;
  const simulator::Options& options_;
  AttentionLayout layout_;
  SequenceTables tables_;  ///< as the kernel gets them
  simulator::Device device_;
  simulator::Module module_;
};

}  // namespace

TileReads tile_reads(const simulator::Report& report) {
  TileReads reads{.k = {.label = "K"}, .v = {.label = "V"}};
  for (const LdsAccesses& access : lds_accesses(report)) {
    if (!access.read) continue;
    LdsAccesses* operand = access.label == "qk"                                    ? &reads.k
                           : access.label == "pv_exp" || access.label == "last_pv" ? &reads.v
                                                                                   : nullptr;
    if (operand != nullptr) *operand += access;
  }
  return reads;
}

Expected<dense::Launch> planned_launch(const dense::Plan& plan, const AttentionCase& c) {
  return dense::plan_launch(plan, launch_shapes(plan, c, poisoned_gaps), {});
}

Expected<void> check_case(const dense::Plan& plan, const AttentionCase& c) {
  // Beyond, softmax picks one key and an error of one unit in the last place of score times scale decides.
  constexpr double most_sigma = 100;
  std::vector<Refusal> refusals = refused_lengths(plan, c);
  if (const auto launch = planned_launch(plan, c); !launch) {
    if (launch.error().refusals.empty()) return std::unexpected(launch.error());
    refusals.insert(refusals.end(), launch.error().refusals.begin(), launch.error().refusals.end());
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  refusals = refused_sizes(plan, c);
  if (!(c.sigma > 0 && c.sigma <= most_sigma))
    refusals.push_back({"sigma", fmt::format("{}", c.sigma), fmt::format("above 0, at most {}", most_sigma)});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return {};
}

Expected<AttentionRun> verify_attention(const dense::Plan& plan, std::span<const std::byte> code_object,
                                        const AttentionCase& c, const simulator::Options& options) {
  if (const auto checked = check_case(plan, c); !checked) return std::unexpected(checked.error());
  auto runner = Runner::create(plan, code_object, c, options);
  if (!runner) return std::unexpected(runner.error());
  AttentionRun result;
  // Where no row sees a key there are no errors to judge the size of.
  const std::int64_t rows = rows_with_keys(plan, c);
  result.runs = rows == 0 ? 1 : static_cast<std::size_t>((least_rows + rows - 1) / rows);
  std::vector<Sample> samples;
  std::vector<LseSample> lse_samples;
  for (std::size_t i = 0; i < result.runs; ++i) {
    Expected<simulator::Report> report = runner->run(c.seed + i, samples, lse_samples);
    if (!report) return std::unexpected(report.error());
    if (i == 0 || report->fault)
      result.report = std::move(*report);
    else
      add_hazards(result.report, *report);
    if (result.report.fault) break;
  }
  if (c.every_schedule && !result.report.fault)
    if (const auto compared = runner->compare_schedules(samples.front(), lse_samples, result.report);
        !compared)
      return std::unexpected(compared.error());
  const AttentionLayout& layout = runner->layout();
  result.accuracy = judge(layout.query, element_type(plan.spec), samples);
  result.output = std::move(samples.front().output);
  result.named_output = named_elements(layout.query, result.output);
  if (plan.spec.lse) {
    result.lse = judge_lse(layout.lse, lse_samples);
    result.lse_output = std::move(lse_samples.front().output);
    result.named_lse = named_elements(layout.lse, result.lse_output);
  }
  return result;
}

}  // namespace wavesmith::verify
