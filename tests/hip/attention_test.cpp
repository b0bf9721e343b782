// An attention kernel through HIP's functions alone, on the simulated driver: compiled, loaded, launched,
// captured and replayed, judged by the oracle.
#include <numbers>
#include <variant>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/launch.h"
#include "tests/hip/hip_library.h"
#include "tests/verify/kernels.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/data.h"

using namespace wavesmith;
using namespace wavesmith::test;
using hip::CopyKind;

namespace {

constexpr std::int64_t batch = 2, seqlen_q = 130, seqlen_kv = 200;

struct Inputs {
  verify::TensorData q, k, v;
};

Inputs inputs(const dense::Spec& spec, std::uint64_t seed) {
  verify::Random random(seed);
  const auto shape = [&](std::int64_t tokens, std::int64_t heads) {
    return verify::shape_with_gaps(false, batch, tokens, heads, spec.head_size, 3);
  };
  const oracle::ElementType type = verify::element_type(spec);
  Inputs made;
  made.q = verify::normal(shape(seqlen_q, spec.num_query_heads), type, 2, random);
  made.k = verify::normal(shape(seqlen_kv, spec.num_kv_heads), type, 2, random);
  made.v = verify::uniform(shape(seqlen_kv, spec.num_kv_heads), type, std::numbers::sqrt3, random);
  return made;
}

}  // namespace

TEST_CASE("attention through HIP gives the oracle's numbers, launched and replayed with new data") {
  const HipLibrary& hip = simulated_driver();
  const dense::Spec spec{.head_size = 64, .num_query_heads = 2, .num_kv_heads = 1, .block_m = 128};
  const Kernel compiled_kernel = compiled(spec);
  const dense::Plan& plan = compiled_kernel.plan;
  const hip::FunctionHandle kernel = hip.kernel(compiled_kernel.code, plan.symbol.c_str());

  Inputs at = inputs(plan.spec, 1);
  const std::size_t q_bytes = at.q.bits.size() * 2, kv_bytes = at.k.bits.size() * 2;
  std::vector<std::uint16_t> output(at.q.bits.size());
  const std::vector<std::uint16_t> poison(at.q.bits.size(), verify::poison_bits);
  void* const q = hip.buffer(q_bytes);
  void* const k = hip.buffer(kv_bytes);
  void* const v = hip.buffer(kv_bytes);
  void* const o = hip.buffer(q_bytes);
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); };
  const Expected<dense::Launch> launch =
      dense::plan_launch(plan,
                         {.batch = batch,
                          .seqlen_q = seqlen_q,
                          .seqlen_kv = seqlen_kv,
                          .q = at.q.shape.strides,
                          .k = at.k.shape.strides,
                          .v = at.v.shape.strides,
                          .o = at.q.shape.strides,
                          .softmax_scale = std::nullopt},
                         dense::Buffers{.q = address(q), .k = address(k), .v = address(v), .o = address(o)});
  REQUIRE(launch);
  std::vector<void*> parameters;
  for (const dense::Launch::Value& value : launch->arguments)
    parameters.push_back(std::visit(
        [](const auto& one) { return const_cast<void*>(static_cast<const void*>(&one)); }, value.value));

  hip::StreamHandle stream = nullptr;
  hip.ok(hip.hipStreamCreateWithFlags(&stream, hip::stream_non_blocking));
  const auto enqueue = [&] {
    for (const auto& [to, from, bytes] : {std::tuple{q, at.q.bits.data(), q_bytes},
                                          {k, at.k.bits.data(), kv_bytes},
                                          {v, at.v.bits.data(), kv_bytes}})
      hip.ok(hip.hipMemcpyAsync(to, from, bytes, CopyKind::host_to_device, stream));
    hip.ok(hip.hipMemcpyAsync(o, poison.data(), q_bytes, CopyKind::host_to_device, stream));
    hip.ok(hip.hipModuleLaunchKernel(kernel, launch->grid[0], launch->grid[1], launch->grid[2],
                                     launch->block[0], launch->block[1], launch->block[2], 0, stream,
                                     parameters.data(), nullptr));
    hip.ok(hip.hipMemcpyAsync(output.data(), o, q_bytes, CopyKind::device_to_host, stream));
  };
  const auto judged = [&] {
    const oracle::Problem problem =
        verify::problem_of(plan.spec, {.q = at.q, .k = at.k, .v = at.v}, verify::scale_of(*launch));
    const std::vector<verify::Sample> samples{
        {.output = output,
         .exact = oracle::attention(problem, 2),
         .rounded = oracle::attention_rounded(problem, verify::element_type(plan.spec), 2)}};
    return verify::judge(at.q.shape, verify::element_type(plan.spec), samples);
  };

  enqueue();
  CHECK_FALSE(judged().ok());  // nothing has waited for it
  hip.ok(hip.hipStreamSynchronize(stream));
  const verify::Accuracy launched = judged();
  INFO(launched.max_abs_error << " of " << launched.tolerance() << ", " << launched.mismatched
                              << " mismatched");
  CHECK(launched.ok());

  hip.ok(hip.hipStreamBeginCapture(stream, hip::CaptureMode::global));
  enqueue();
  hip::GraphHandle captured = nullptr;
  hip::GraphExecHandle graph = nullptr;
  hip.ok(hip.hipStreamEndCapture(stream, &captured));
  hip.ok(hip.hipGraphInstantiate(&graph, captured, nullptr, nullptr, 0));
  const Inputs next = inputs(plan.spec, 2);
  std::ranges::copy(next.q.bits, at.q.bits.begin());  // in place: the graph reads these addresses
  std::ranges::copy(next.k.bits, at.k.bits.begin());
  std::ranges::copy(next.v.bits, at.v.bits.begin());
  at.q.values = next.q.values;
  at.k.values = next.k.values;
  at.v.values = next.v.values;
  CHECK_FALSE(judged().ok());
  hip.ok(hip.hipGraphLaunch(graph, stream));
  hip.ok(hip.hipStreamSynchronize(stream));
  CHECK(judged().ok());
}
