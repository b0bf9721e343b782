// Buffers, launch, comparison.
#include "tools/verify/attention.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "generator/attention_dense/launch.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/data.h"

namespace wavesmith::verify {
namespace {

namespace dense = generator::attention_dense;

constexpr std::int64_t spare_tokens = 3;  // poisoned rows after each sequence
constexpr double most_elements = 1 << 30;

/// How Q and O, and K and V, lie in memory.
struct TensorShapes {
  TensorShape query, key;
};

TensorShapes tensor_shapes(const dense::Plan& plan, const AttentionCase& c) {
  // Lengths that a launch refuses must not get strides that it would refuse as well.
  constexpr std::int64_t no_length = std::int64_t{1} << 31;
  const auto shape = [&](std::int64_t tokens, std::int64_t heads) {
    return shape_with_gaps(c.bhsd, c.batch, std::clamp<std::int64_t>(tokens, 0, no_length), heads,
                           plan.spec.head_size, spare_tokens);
  };
  return {shape(c.seqlen_q, plan.spec.num_query_heads), shape(c.seqlen_kv, plan.spec.num_kv_heads)};
}

LseShape lse_shape_of(const dense::Plan& plan, const AttentionCase& c) {
  return lse_shape_with_gaps(c.batch, plan.spec.num_query_heads, c.seqlen_q);
}

dense::Shapes launch_shapes(const dense::Plan& plan, const AttentionCase& c, const TensorShapes& tensors) {
  return {.batch = c.batch,
          .seqlen_q = c.seqlen_q,
          .seqlen_kv = c.seqlen_kv,
          .q = tensors.query.strides,
          .k = tensors.key.strides,
          .v = tensors.key.strides,
          .o = tensors.query.strides,
          .lse = plan.spec.lse ? std::optional(lse_shape_of(plan, c).strides) : std::nullopt,
          .softmax_scale = c.softmax_scale,
          .window_left = c.window_left,
          .window_right = c.window_right,
          .num_persistent = c.num_persistent,
          .persist_decode = c.persist_decode,
          .interleave = c.interleave};
}

struct Tensors {
  TensorData q, k, v, o;
  std::vector<float> sinks;  ///< of each query head, where the kernel takes them
};

std::int64_t rows_with_keys(const dense::Plan& plan, const AttentionCase& c) {
  std::int64_t rows = c.seqlen_q;
  if (plan.spec.mask == dense::Mask::causal) rows = std::min(c.seqlen_q, c.seqlen_kv);
  if (plan.spec.mask == dense::Mask::window && c.window_right.value_or(-1) != -1)
    rows = std::min(c.seqlen_q, c.seqlen_kv + std::min(*c.window_right, c.seqlen_q));
  return c.batch * plan.spec.num_query_heads * rows;
}

Tensors make_tensors(const dense::Plan& plan, const TensorShapes& shapes, std::uint64_t seed, double sigma) {
  const oracle::ElementType type = element_type(plan.spec);
  Random random(seed);
  Tensors tensors;
  tensors.q = normal(shapes.query, type, sigma, random);
  tensors.k = normal(shapes.key, type, sigma, random);
  tensors.v = uniform(shapes.key, type, std::numbers::sqrt3, random);
  tensors.o = poisoned(shapes.query);
  if (plan.spec.sinks)
    for (int head = 0; head < plan.spec.num_query_heads; ++head)
      tensors.sinks.push_back(static_cast<float>(2 * sigma * random.normal()));
  return tensors;
}

/// The address of tensor `index` of a launch, if the case says where.
std::optional<simulator::DeviceAddress> address_of(Placement placement, std::uint64_t index,
                                                   std::uint64_t bytes) {
  constexpr std::uint64_t four_gib = std::uint64_t{1} << 32, page = 4096;
  constexpr std::uint64_t apart = 16 * four_gib;  // more than the largest tensor and its guards
  switch (placement) {
    case Placement::anywhere:
      return std::nullopt;
    case Placement::across_4_gib:
      return 64 * four_gib + index * apart - bytes / 2 / page * page -
             (bytes < 2 * page ? bytes / 512 * 256 : 0);
    case Placement::at_the_top:
      return (std::uint64_t{1} << 47) - index * apart - (bytes + page - 1) / page * page;
  }
  return std::nullopt;
}

/// Puts tensors into a device's memory, one after another.
class Uploader {
 public:
  Uploader(simulator::Device& device, Placement placement) : device_(device), placement_(placement) {}

  Expected<simulator::DeviceAddress> upload(std::span<const std::byte> tensor, std::string name,
                                            bool writable) {
    // A tensor without elements still needs an address; the kernel must not touch it.
    constexpr std::size_t least_bytes = 16;
    const std::size_t bytes = std::max(tensor.size(), least_bytes);
    const auto address = device_.allocate(
        bytes,
        {.name = std::move(name), .address = address_of(placement_, index_++, bytes), .writable = writable});
    if (!address || tensor.empty()) return address;
    if (const auto written = device_.write(*address, tensor); !written)
      return std::unexpected(written.error());
    return address;
  }

 private:
  simulator::Device& device_;
  Placement placement_;
  std::uint64_t index_ = 0;
};

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
    Expected<simulator::Device> device = simulator::Device::create(to_string(plan.target));
    if (!device) return std::unexpected(device.error());
    const auto module = device->load(code_object);
    if (!module) return std::unexpected(module.error());
    return Runner(plan, c, options, std::move(*device), *module);
  }

  [[nodiscard]] const TensorShape& output_shape() const { return shapes_.query; }
  [[nodiscard]] const LseShape& lse_shape() const { return lse_shape_; }

  /// What one launch left behind.
  struct Outcome {
    simulator::Report report;
    std::vector<std::uint16_t> output;  ///< the whole O buffer
    std::vector<std::uint32_t> lse;     ///< the same, where the kernel has it
    float scale = 0;                    ///< as the kernel got it
  };

  /// One launch in buffers of its own.
  Expected<Outcome> execute(const Tensors& tensors, const simulator::Options& options) {
    dense::Buffers buffers;
    Uploader uploader(device_, case_.placement);
    for (auto [tensor, name, address] :
         {std::tuple{&tensors.q, "q", &buffers.q}, std::tuple{&tensors.k, "k", &buffers.k},
          std::tuple{&tensors.v, "v", &buffers.v}, std::tuple{&tensors.o, "o", &buffers.o}}) {
      const auto uploaded =
          uploader.upload(std::as_bytes(std::span(tensor->bits)), name, tensor == &tensors.o);
      if (!uploaded) return std::unexpected(uploaded.error());
      *address = *uploaded;
    }
    if (plan_.spec.sinks) {
      const auto uploaded = uploader.upload(std::as_bytes(std::span(tensors.sinks)), "sinks", false);
      if (!uploaded) return std::unexpected(uploaded.error());
      buffers.sinks = *uploaded;
    }
    Outcome outcome;
    if (plan_.spec.lse) {
      outcome.lse.assign(static_cast<std::size_t>(lse_shape_.extent()), lse_poison_bits);
      const auto uploaded = uploader.upload(std::as_bytes(std::span(outcome.lse)), "lse", true);
      if (!uploaded) return std::unexpected(uploaded.error());
      buffers.lse = *uploaded;
    }
    const Expected<dense::Launch> launch =
        dense::plan_launch(plan_, launch_shapes(plan_, case_, shapes_), buffers);
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
    std::vector<std::uint64_t> allocated{buffers.q, buffers.k, buffers.v, buffers.o};
    if (plan_.spec.lse) allocated.push_back(buffers.lse);
    if (plan_.spec.sinks) allocated.push_back(buffers.sinks);
    for (const std::uint64_t address : allocated)
      if (const auto freed = device_.free(address); !freed) return std::unexpected(freed.error());
    return outcome;
  }

  /// Appends to both; to `lse_samples` where the kernel has that output.
  Expected<simulator::Report> run(std::uint64_t seed, std::vector<Sample>& samples,
                                  std::vector<LseSample>& lse_samples) {
    const oracle::ElementType type = element_type(plan_.spec);
    const Tensors tensors = make_tensors(plan_, shapes_, seed, case_.sigma);
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
    const Tensors tensors = make_tensors(plan_, shapes_, case_.seed, case_.sigma);
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
         simulator::Device device, simulator::Module module)
      : plan_(plan),
        case_(c),
        options_(options),
        shapes_(tensor_shapes(plan, c)),
        lse_shape_(lse_shape_of(plan, c)),
        device_(std::move(device)),
        module_(module) {}

  const dense::Plan& plan_;
  AttentionCase case_;
  const simulator::Options& options_;
  TensorShapes shapes_;
  LseShape lse_shape_;
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
  return dense::plan_launch(plan, launch_shapes(plan, c, tensor_shapes(plan, c)), {});
}

Expected<void> check_case(const dense::Plan& plan, const AttentionCase& c) {
  // Beyond, softmax picks one key and an error of one unit in the last place of score times scale decides.
  constexpr double most_sigma = 100;
  const TensorShapes tensors = tensor_shapes(plan, c);
  if (const auto launch = planned_launch(plan, c); !launch) return std::unexpected(launch.error());
  std::vector<Refusal> refusals;
  for (const auto& [name, shape] : {std::pair{"q", &tensors.query}, std::pair{"k", &tensors.key}})
    if (const double elements = static_cast<double>(shape->batch) * static_cast<double>(shape->strides.batch);
        elements > most_elements)
      refusals.push_back(
          {name, fmt::format("{:.0f} elements", elements),
           fmt::format("at most {:.0f}: verification keeps tensors in memory", most_elements)});
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
  const std::int64_t rows = std::max<std::int64_t>(1, rows_with_keys(plan, c));
  result.runs = static_cast<std::size_t>((least_rows + rows - 1) / rows);
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
  result.accuracy = judge(runner->output_shape(), element_type(plan.spec), samples);
  result.output = std::move(samples.front().output);
  if (plan.spec.lse) {
    result.lse = judge_lse(runner->lse_shape(), lse_samples);
    result.lse_output = std::move(lse_samples.front().output);
  }
  return result;
}

}  // namespace wavesmith::verify
