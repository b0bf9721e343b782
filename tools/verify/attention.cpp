// Buffers, launch, comparison.
#include "tools/verify/attention.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "generator/attention_dense/launch.h"
#include "tools/verify/data.h"

namespace wavesmith::verify {
namespace {

namespace dense = generator::attention_dense;

constexpr std::int64_t spare_tokens = 3;  // poisoned rows after each sequence
constexpr double most_elements = 1 << 30;

oracle::ElementType element_type(const dense::Plan& plan) {
  return plan.spec.dtype == dense::DType::bf16 ? oracle::ElementType::bf16 : oracle::ElementType::fp16;
}

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

dense::Shapes launch_shapes(const AttentionCase& c, const TensorShapes& tensors) {
  return {.batch = c.batch,
          .seqlen_q = c.seqlen_q,
          .seqlen_kv = c.seqlen_kv,
          .q = tensors.query.strides,
          .k = tensors.key.strides,
          .v = tensors.key.strides,
          .o = tensors.query.strides,
          .softmax_scale = c.softmax_scale};
}

// Everything that can be refused, before memory is spent on tensors.
Expected<void> check(const dense::Plan& plan, const AttentionCase& c, const TensorShapes& tensors) {
  if (const auto launch = dense::plan_launch(plan, launch_shapes(c, tensors), {}); !launch)
    return std::unexpected(launch.error());
  std::vector<Refusal> refusals;
  for (const auto& [name, shape] : {std::pair{"q", &tensors.query}, std::pair{"k", &tensors.key}})
    if (const double elements = static_cast<double>(shape->batch) * static_cast<double>(shape->strides.batch);
        elements > most_elements)
      refusals.push_back(
          {name, fmt::format("{:.0f} elements", elements),
           fmt::format("at most {:.0f}: verification keeps tensors in memory", most_elements)});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return {};
}

struct Tensors {
  TensorData q, k, v, o;
};

Tensors make_tensors(const TensorShapes& shapes, oracle::ElementType type, const AttentionCase& c) {
  Random random(c.seed);
  Tensors tensors;
  tensors.q = normal(shapes.query, type, c.sigma, random);
  tensors.k = normal(shapes.key, type, c.sigma, random);
  tensors.v = normal(shapes.key, type, 1, random);
  tensors.o = poisoned(shapes.query);
  return tensors;
}

Expected<simulator::DeviceAddress> upload(simulator::Device& device, const TensorData& tensor,
                                          std::string name, bool writable) {
  // A tensor without elements still needs an address; the kernel must not touch it.
  constexpr std::size_t least_bytes = 16;
  const auto bytes = std::as_bytes(std::span(tensor.bits));
  const auto address =
      device.allocate(std::max(bytes.size(), least_bytes), {.name = std::move(name), .writable = writable});
  if (!address || bytes.empty()) return address;
  if (const auto written = device.write(*address, bytes); !written) return std::unexpected(written.error());
  return address;
}

simulator::Launch dispatch_of(const dense::Plan& plan, const dense::Launch& launch,
                              const simulator::Options& options) {
  simulator::Launch dispatch;
  dispatch.kernel = plan.symbol;
  std::ranges::copy(launch.grid, dispatch.grid.begin());
  std::ranges::copy(launch.block, dispatch.block.begin());
  for (const dense::Launch::Value& value : launch.arguments)
    std::visit([&](auto v) { dispatch.arguments.push_back(simulator::Argument::of(v)); }, value.value);
  dispatch.options = options;
  return dispatch;
}

// The scale that the kernel was given, rounded to f32 as it was.
float scale_of(const dense::Launch& launch) {
  const auto argument = std::ranges::find(launch.arguments, "softmax_scale", &dense::Launch::Value::name);
  return std::get<float>(argument->value);
}

oracle::Problem problem_of(const dense::Plan& plan, const AttentionCase& c, const Tensors& tensors,
                           float scale) {
  oracle::Problem problem;
  problem.query_heads = plan.spec.num_query_heads;
  problem.kv_heads = plan.spec.num_kv_heads;
  problem.head_size = plan.spec.head_size;
  problem.seqlen_q.assign(static_cast<std::size_t>(c.batch), c.seqlen_q);
  problem.seqlen_kv.assign(static_cast<std::size_t>(c.batch), c.seqlen_kv);
  problem.q = tensors.q.view();
  problem.k = tensors.k.view();
  problem.v = tensors.v.view();
  problem.softmax_scale = static_cast<double>(scale);
  if (plan.spec.mask != dense::Mask::full) problem.window_right = 0;
  problem.top_left = plan.spec.mask == dense::Mask::causal_top_left;
  return problem;
}

}  // namespace

Expected<AttentionRun> verify_attention(const dense::Plan& plan, std::span<const std::byte> code_object,
                                        const AttentionCase& c, const simulator::Options& options) {
  const TensorShapes shapes = tensor_shapes(plan, c);
  if (const auto checked = check(plan, c, shapes); !checked) return std::unexpected(checked.error());
  Expected<simulator::Device> device = simulator::Device::create(to_string(plan.target));
  if (!device) return std::unexpected(device.error());
  const auto module = device->load(code_object);
  if (!module) return std::unexpected(module.error());

  const oracle::ElementType type = element_type(plan);
  const Tensors tensors = make_tensors(shapes, type, c);
  dense::Buffers buffers;
  for (auto [tensor, name, address] :
       {std::tuple{&tensors.q, "q", &buffers.q}, std::tuple{&tensors.k, "k", &buffers.k},
        std::tuple{&tensors.v, "v", &buffers.v}, std::tuple{&tensors.o, "o", &buffers.o}}) {
    const auto uploaded = upload(*device, *tensor, name, tensor == &tensors.o);
    if (!uploaded) return std::unexpected(uploaded.error());
    *address = *uploaded;
  }
  const Expected<dense::Launch> launch = dense::plan_launch(plan, launch_shapes(c, shapes), buffers);
  if (!launch) return std::unexpected(launch.error());
  Expected<simulator::Report> report = device->launch(*module, dispatch_of(plan, *launch, options));
  if (!report) return std::unexpected(report.error());

  AttentionRun run;
  run.report = std::move(*report);
  run.output.resize(tensors.o.bits.size());
  if (const auto read = device->read(buffers.o, std::as_writable_bytes(std::span(run.output))); !read)
    return std::unexpected(read.error());
  const oracle::Problem problem = problem_of(plan, c, tensors, scale_of(*launch));
  run.accuracy = judge(tensors.o.shape, type, run.output, oracle::attention(problem, options.threads),
                       oracle::attention_rounded(problem, type, options.threads));
  return run;
}

}  // namespace wavesmith::verify
