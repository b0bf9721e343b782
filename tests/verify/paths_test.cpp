// Fast paths of the executor and its plain path are one machine: the same bytes, counters, warnings, hazards,
// fidelity and trace, whatever looks on and on however many threads.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numbers>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/verify/kernels.h"
#include "tools/verify/data.h"

using namespace wavesmith::test;
namespace oracle = wavesmith::oracle;
namespace simulator = wavesmith::simulator;
namespace verify = wavesmith::verify;

namespace {

#ifdef WAVESMITH_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// What a run left behind.
struct Outcome {
  std::string output;  ///< bytes
  simulator::Report report;
  std::uint64_t trace = 0;  ///< a hash of what was traced
};

/// Runs one kernel with the given options, always on the same data.
using KernelRun = std::function<Outcome(const simulator::Options&)>;

template <class T>
T take(wavesmith::Expected<T> value) {
  INFO((value ? std::string() : value.error().message));
  REQUIRE(value);
  return std::move(*value);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// FNV-1a over an instruction's place and effect: EXEC, VCC, SCC, all SGPRs and one vector register after
/// the other.
void add_to_hash(std::uint64_t& hash, std::uint64_t& events, const simulator::TraceEvent& event) {
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  add(event.workgroup[0] + (std::uint64_t{event.workgroup[1]} << 32));
  add(event.wave);
  add(event.address);
  add(event.exec);
  add(event.vcc);
  add(event.scc ? 1 : 0);
  for (std::uint32_t s = 0; s < 100; ++s) add(event.sgpr(s));
  const auto row = static_cast<std::uint32_t>(events++ % (event.vgprs + event.agprs));
  for (std::uint32_t lane = 0; lane < 64; ++lane)
    add(row < event.vgprs ? event.vgpr(row, lane) : event.agpr(row - event.vgprs, lane));
}

Outcome traced(const KernelRun& run, simulator::Options options, bool trace) {
  std::uint64_t hash = 0xcbf29ce484222325, events = 0;
  if (trace) options.trace = [&](const simulator::TraceEvent& event) { add_to_hash(hash, events, event); };
  Outcome outcome = run(options);
  if (trace) {
    REQUIRE(events == outcome.report.fidelity.executed);
    outcome.trace = hash;
  }
  return outcome;
}

std::string text_of(const simulator::Hazard& hazard) {
  return fmt::format("{} {} {}", hazard.kind, hazard.count, hazard.first.message());
}
std::string text_of(const simulator::Warning& warning) {
  return fmt::format("{} {}", warning.count, warning.first.message());
}
std::string text_of(const simulator::InexactInstruction& one) {
  return fmt::format("{} {} {} {}", name(one.fidelity), one.mnemonic, one.executions, one.option);
}
std::string text_of(const simulator::InexactUse& use) {
  std::string text = fmt::format("{} {} {}", use.use, use.count, use.first.message());
  for (const auto& origin : use.from) text += " " + origin.mnemonic;
  return text;
}
template <class T>
std::string text_of(const std::vector<T>& all) {
  std::string text;
  for (const T& one : all) text += text_of(one) + "\n";
  return text;
}

/// Everything that both reports have.
void compare(const Outcome& a, const Outcome& b) {
  REQUIRE_FALSE(a.report.fault);
  REQUIRE_FALSE(b.report.fault);
  CHECK((a.output == b.output));  // not printed
  REQUIRE(a.report.instructions.size() == b.report.instructions.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.report.instructions.size(); ++i) {
    const simulator::InstructionReport &x = a.report.instructions[i], &y = b.report.instructions[i];
    if (x.counters == y.counters && x.busy_cycles == y.busy_cycles) continue;
    if (++wrong <= 4) FAIL_CHECK(fmt::format("counters of {:#x}: {}", x.address, x.text));
  }
  CHECK(wrong == 0);
  CHECK(a.report.counters == b.report.counters);
  CHECK(text_of(a.report.warnings) == text_of(b.report.warnings));
  CHECK(text_of(a.report.fidelity.instructions) == text_of(b.report.fidelity.instructions));
  CHECK(a.report.fidelity.exact == b.report.fidelity.exact);
  if (a.report.fidelity.uses && b.report.fidelity.uses)
    CHECK(text_of(*a.report.fidelity.uses) == text_of(*b.report.fidelity.uses));
  if (a.report.hazards && b.report.hazards) CHECK(text_of(*a.report.hazards) == text_of(*b.report.hazards));
  if (a.trace != 0 && b.trace != 0) CHECK(a.trace == b.trace);
}

void check_paths(const KernelRun& run) {
  struct Watch {
    const char* name;
    bool hazards, uninitialized, follow, trace;
    unsigned threads;
  };
  constexpr Watch watches[] = {
      {"nothing looks on", false, false, false, false, 1},
      {"threads", false, false, false, false, 3},
      {"hazards", true, false, false, false, 3},
      {"everything but a trace", true, true, true, false, 2},
      {"inexact values", false, false, true, false, 1},
      {"trace", false, false, false, true, 1},
      {"everything", true, false, true, true, 1},
  };
  const Outcome first = traced(run, {.threads = 1, .wide_vectors = false}, false);
  CHECK(first.report.counters.at("SQ_LDS_IDX_ACTIVE") > 0);
  CHECK(first.report.counters.at("SQ_INSTS_MFMA") > 0);
  for (const Watch& watch : watches) {
    simulator::Options options;
    options.threads = watch.threads;
    options.hazards = watch.hazards;
    options.uninitialized = watch.uninitialized;
    options.follow_inexact = watch.follow;
    Outcome of_path[2];
    for (const bool wide : {false, true}) {
      INFO(watch.name << (wide ? ", wide vectors" : ", plain"));
      options.wide_vectors = wide;
      of_path[wide] = traced(run, options, watch.trace);
      compare(of_path[wide], first);
    }
    INFO(watch.name << ", plain and wide");
    CHECK(of_path[0].report.hazards.has_value() == watch.hazards);
    CHECK(of_path[0].report.fidelity.uses.has_value() == watch.follow);
    compare(of_path[0], of_path[1]);
  }
}

/// Early memory operations and other orders of waves: what is counted and computed stays.
void check_orders(const KernelRun& run) {
  const Outcome first = run({.threads = 2});
  for (const bool wide : {false, true}) {
    INFO((wide ? "wide vectors" : "plain"));
    for (const bool hazards : {false, true}) {
      simulator::Options options;
      options.threads = 2;
      options.schedule = simulator::Schedule::random;
      options.arrival = simulator::Arrival::random;
      options.seed = 5;
      options.hazards = hazards;
      options.wide_vectors = wide;
      compare(run(options), first);
    }
  }
}

KernelRun attention(const Kernel& kernel) {
  return [&kernel](const simulator::Options& options) {
    // 258 rows: one run.
    const verify::AttentionCase shape{.batch = 1, .seqlen_q = 129, .seqlen_kv = 200, .softmax_scale = {}};
    verify::AttentionRun result = take(verify_attention(kernel.plan, kernel.code, shape, options));
    CHECK(result.accuracy.ok());
    CHECK(result.runs == 1);
    return Outcome{.output = bytes_of(result.output) + bytes_of(result.lse_output),
                   .report = std::move(result.report)};
  };
}

Kernel kernel_of(int head_size, bool causal) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = 2;
  spec.num_kv_heads = 1;
  spec.lse = true;
  if (causal) spec.mask = dense::Mask::causal;
  return compiled(spec);
}

/// Triton's causal kernel of head size 64 for 256 queries and keys of two heads; its README has the
/// interface.
Outcome run_peer(const std::vector<char>& code, const simulator::Options& options) {
  constexpr std::int64_t tokens = 256, heads = 2, head_size = 64;
  constexpr std::uint32_t block_m = 128, waves = 4;
  const verify::TensorShape shape{
      1, tokens, heads, head_size, {tokens * heads * head_size, heads * head_size, head_size}};
  verify::Random random(1);
  simulator::Device device = take(simulator::Device::create("gfx950"));
  const simulator::Module module = take(device.load(std::as_bytes(std::span(code)), "peer"));
  std::vector<simulator::DeviceAddress> addresses;
  for (int i = 0; i < 4; ++i) {
    const verify::TensorData data =
        i < 3 ? verify::normal(shape, oracle::ElementType::bf16, 1, random) : verify::poisoned(shape);
    addresses.push_back(take(device.allocate(2 * data.bits.size())));
    REQUIRE(device.write(addresses.back(), std::as_bytes(std::span(data.bits))));
  }
  using simulator::Argument;
  const auto i32 = [](std::int64_t value) { return Argument::of(static_cast<std::int32_t>(value)); };
  const float scale = std::numbers::log2e_v<float> / std::sqrt(static_cast<float>(head_size));
  const simulator::Launch launch{
      .kernel = "fa_fwd",
      .grid = {tokens / block_m, heads, 1},
      .block = {64 * waves, 1, 1},
      .dynamic_lds_bytes = 16384,
      .arguments = {Argument::of(addresses[0]), Argument::of(addresses[1]), Argument::of(addresses[2]),
                    Argument::of(addresses[3]), Argument::of(scale), i32(tokens), i32(tokens), i32(heads),
                    i32(heads), Argument::of(std::uint64_t{0}), Argument::of(std::uint64_t{0})},
      .options = options};
  Outcome outcome{.output = {}, .report = take(device.launch(module, launch))};
  std::vector<std::uint16_t> output(static_cast<std::size_t>(tokens * heads * head_size));
  REQUIRE(device.read(addresses[3], std::as_writable_bytes(std::span(output))));
  outcome.output = bytes_of(output);
  return outcome;
}

}  // namespace

TEST_CASE(
    "paths: kernels of both head sizes are the same on the plain and the fast path, whatever looks on") {
  for (const int head_size : {64, 128}) {
    if (sanitized && head_size != 64) continue;
    INFO("head size " << head_size);
    const Kernel kernel = kernel_of(head_size, head_size == 64);
    check_paths(attention(kernel));
    check_orders(attention(kernel));
  }
}

TEST_CASE("paths: each order of additions in a matrix instruction is the same on both paths") {
  if (sanitized) SKIP("release builds do it");
  const Kernel kernel = kernel_of(64, false);
  using enum simulator::MfmaAccumulation;
  for (const simulator::MfmaAccumulation way : {groups_of_8, groups_of_16, sequential, exact}) {
    simulator::Options options;
    options.threads = 2;
    options.mfma_accumulation = way;
    const Outcome wide = attention(kernel)(options);
    options.wide_vectors = false;
    compare(attention(kernel)(options), wide);
  }
}

TEST_CASE("paths: a code object of another compiler is the same on both paths") {
  const std::filesystem::path folder = WAVESMITH_PEERS;
  if (folder.empty()) SKIP("WAVESMITH_PEER_CODE_OBJECTS is not set");
  std::ifstream file(folder / "triton_fa_gfx950_d64_bm128_bn64_bf16_causal_w4_s2_wpe2.hsaco",
                     std::ios::binary);
  const std::vector<char> code{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE_FALSE(code.empty());
  const KernelRun run = [&](const simulator::Options& options) { return run_peer(code, options); };
  check_paths(run);
  check_orders(run);
}
