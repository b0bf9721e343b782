// How fast the simulator executes, on one core: loops of one kind of vector instruction, and attention_dense
// kernels from S = 512 to 4096. Prints millions of wave64 instructions a second of processor time (medians)
// and, for the kernels, how the time for an instruction at each length compares with that at 512. Exit status
// 1 when v_add_f32 or v_fma_f32 is below 10 million, or a kernel below 5 million; 4 when something cannot be
// run.
//
//   wavesmith-benchmark-simulator [ROUNDS]     (5 rounds unless given)
#include "wavesmith/simulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benchmarks/measure.h"
#include "generator/attention_dense/emit.h"
#include "generator/attention_dense/launch.h"
#include "runtime/compiler.h"
#include "tools/verify/data.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::benchmarks;
namespace dense = generator::attention_dense;

constexpr double vector_target = 10, kernel_target = 5;  // million instructions a second
constexpr const char* target = "gfx950";

/// Speed of one dispatch.
struct Speed {
  std::uint64_t instructions = 0;  ///< executed by waves
  double milliseconds = 0;         ///< of processor time
  [[nodiscard]] double millions() const { return static_cast<double>(instructions) / milliseconds * 1e-3; }
};

std::optional<Speed> timed(simulator::Device& device, simulator::Module module, simulator::Launch launch) {
  launch.options.threads = 1;
  const double begin = processor_time();
  const Expected<simulator::Report> report = device.launch(module, launch);
  Speed speed{.milliseconds = processor_time() - begin};
  if (!report || report->fault) {
    fmt::print(stderr, "{}\n", report ? report->fault->message() : report.error().message);
    return std::nullopt;
  }
  for (const simulator::InstructionReport& instruction : report->instructions)
    speed.instructions += instruction.counters.executions;
  return speed;
}

std::optional<Speed> median_speed(simulator::Device& device, simulator::Module module,
                                  const simulator::Launch& launch, int rounds) {
  std::vector<double> times;
  Speed speed;
  for (int round = 0; round < rounds; ++round) {
    const std::optional<Speed> one = timed(device, module, launch);
    if (!one) return std::nullopt;
    speed = *one;
    times.push_back(one->milliseconds);
  }
  speed.milliseconds = median(times);
  return speed;
}

//! \name Loops of one instruction
/// `{d}` is a register pair or single register of its own for each instance, `{a}` and `{b}` are sources that
/// keep all values ordinary numbers.
struct Loop {
  const char* mnemonic;
  const char* operands;
  bool has_target;
};
constexpr Loop loops[] = {{"v_add_f32", "v{0}, v64, v{0}", true},
                          {"v_fma_f32", "v{0}, v{0}, v65, v64", true},
                          {"v_mul_f32", "v{0}, v65, v{0}", false},
                          {"v_max3_f32", "v{0}, v{0}, v64, v65", false},
                          {"v_exp_f32", "v{0}, v64", false},
                          {"v_pk_fma_f32", "v[{0}:{1}], v[{0}:{1}], v[66:67], v[66:67]", false},
                          {"v_fma_f16", "v{0}, v{0}, v65, v64", false},
                          {"v_pk_add_f16", "v{0}, v{0}, v64", false},
                          {"v_add_u32", "v{0}, v64, v{0}", false},
                          {"v_perm_b32", "v{0}, v{0}, v64, v65", false},
                          {"v_cndmask_b32", "v{0}, v64, v{0}, vcc", false},
                          {"v_cmp_lt_f32", "vcc, v64, v{0}", false},
                          {"v_cvt_pk_bf16_f32", "v{0}, v64, v{0}", false}};

std::string assembly(const Loop& loop) {
  constexpr int times = 4000, unrolled = 64;
  std::string text = ".text\n.globl loop\n.p2align 8\n.type loop,@function\nloop:\n";
  text += "v_cvt_f32_u32 v64, v0\nv_mul_f32 v64, 0x3a83126f, v64\nv_mov_b32 v65, 0x3f7fbe77\n";
  text += "v_mov_b32 v66, v65\nv_mov_b32 v67, v65\ns_mov_b64 vcc, 0x5555\n";
  for (int i = 0; i < unrolled; ++i) text += fmt::format("v_add_f32 v{}, {}, v64\n", i, i % 4 + 1);
  text += fmt::format("s_movk_i32 s8, {}\n1:\n", times);
  for (int i = 0; i < unrolled; i += 2)
    for (int half = 0; half < 2; ++half) {
      const int d = loop.operands[1] == '[' ? i : i + half;
      text += fmt::format("{} {}\n", loop.mnemonic, fmt::format(fmt::runtime(loop.operands), d, d + 1));
    }
  text += "s_sub_i32 s8, s8, 1\ns_cmp_lg_i32 s8, 0\ns_cbranch_scc1 1b\ns_endpgm\n";
  text += ".rodata\n.p2align 6\n.amdhsa_kernel loop\n.amdhsa_next_free_vgpr 72\n.amdhsa_next_free_sgpr 16\n";
  text += ".amdhsa_accum_offset 72\n.end_amdhsa_kernel\n";
  text +=
      ".amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--gfx950\namdhsa.kernels:\n "
      " - .name: loop\n    .symbol: loop.kd\n";
  text += "    .kernarg_segment_size: 0\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n";
  text += "    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 16\n";
  text += "    .vgpr_count: 72\n    .max_flat_workgroup_size: 64\n.end_amdgpu_metadata\n";
  return text;
}

std::optional<std::vector<char>> assembled(const Loop& loop) {
  const Folder folder;
  std::ofstream(folder.file("loop.s")) << assembly(loop);
  if (!run_time({WAVESMITH_CLANG, "-x", "assembler", "-target", "amdgcn-amd-amdhsa",
                 fmt::format("-mcpu={}", target), folder.file("loop.s"), "-o", folder.file("loop.hsaco")}))
    return std::nullopt;
  std::ifstream file(folder.file("loop.hsaco"), std::ios::binary);
  return std::vector<char>{std::istreambuf_iterator<char>(file), {}};
}

int time_loops(int rounds, bool& within) {
  fmt::print("\n{:<20} {:>12}\n", "vector instruction", "million / s");
  for (const Loop& loop : loops) {
    const auto code = assembled(loop);
    Expected<simulator::Device> device = simulator::Device::create(target);
    if (!code || !device) return 4;
    const auto module = device->load(std::as_bytes(std::span(*code)));
    if (!module) {
      fmt::print(stderr, "{}: {}\n", loop.mnemonic, module.error().message);
      return 4;
    }
    const auto speed =
        median_speed(*device, *module, {.kernel = "loop", .grid = {1, 1, 1}, .block = {64, 1, 1}}, rounds);
    if (!speed) return 4;
    fmt::print("{:<20} {:>12.1f}\n", loop.mnemonic, speed->millions());
    within = within && (!loop.has_target || speed->millions() >= vector_target);
  }
  return 0;
}

//! \name Kernels
struct Compiled {
  dense::Plan plan;
  std::vector<std::byte> code;
};

std::optional<Compiled> compile(int head_size, runtime::CompilerPool& pool) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = spec.num_kv_heads = 1;
  spec.mask = dense::Mask::full;
  const Expected<dense::Plan> plan = dense::resolve(spec, {.processor = target});
  if (!plan) return std::nullopt;
  const Expected<std::string> text = dense::emit(*plan, *lowering::find_flavour("llvm22"));
  if (!text) return std::nullopt;
  runtime::CompileRequest request;
  request.ir = *text;
  request.target = target;
  request.backend = runtime::Backend::llvm;
  Expected<runtime::CompileResult> result = pool.compile(request);
  if (!result) return std::nullopt;
  return Compiled{*plan, std::move(result->hsaco)};
}

std::optional<Speed> kernel_speed(const Compiled& kernel, std::int64_t length, int rounds) {
  Expected<simulator::Device> device = simulator::Device::create(target);
  if (!device) return std::nullopt;
  const auto module = device->load(kernel.code);
  if (!module) return std::nullopt;
  const std::int64_t head_size = kernel.plan.spec.head_size;
  const dense::Strides strides = dense::bshd(length, 1, head_size);
  verify::Random random(1);
  dense::Buffers buffers;
  for (std::uint64_t* address : {&buffers.q, &buffers.k, &buffers.v, &buffers.o}) {
    const verify::TensorData data =
        verify::normal({1, length, 1, head_size, strides}, oracle::ElementType::bf16, 2, random);
    const auto allocated = device->allocate(2 * data.bits.size());
    if (!allocated || !device->write(*allocated, std::as_bytes(std::span(data.bits)))) return std::nullopt;
    *address = *allocated;
  }
  dense::Shapes shapes;
  shapes.seqlen_q = shapes.seqlen_kv = length;
  shapes.q = shapes.k = shapes.v = shapes.o = strides;
  const Expected<dense::Launch> launch = dense::plan_launch(kernel.plan, shapes, buffers);
  if (!launch) return std::nullopt;
  simulator::Launch dispatch{.kernel = kernel.plan.symbol, .grid = launch->grid, .block = launch->block};
  for (const dense::Launch::Value& value : launch->arguments)
    std::visit([&](auto v) { dispatch.arguments.push_back(simulator::Argument::of(v)); }, value.value);
  return median_speed(*device, *module, dispatch, rounds);
}

int time_kernels(int rounds, bool& within) {
  runtime::CompilerPool pool;
  fmt::print("\n{:<20} {:>6} {:>14} {:>12} {:>22}\n", "attention_dense", "S", "instructions", "million / s",
             "time / instr. to 512");
  for (const int head_size : {64, 128}) {
    const std::optional<Compiled> kernel = compile(head_size, pool);
    if (!kernel) return 4;
    double first = 0;
    for (const std::int64_t length : {512, 1024, 2048, 4096}) {
      const std::optional<Speed> speed = kernel_speed(*kernel, length, rounds);
      if (!speed) return 4;
      if (first == 0) first = speed->millions();
      fmt::print("head size {:<10} {:>6} {:>14} {:>12.1f} {:>22.2f}\n", head_size, length,
                 speed->instructions, speed->millions(), first / speed->millions());
      std::fflush(stdout);
      within = within && speed->millions() >= kernel_target;
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count > 1 ? std::max(1, std::atoi(words[1])) : 5;
  bool within = true;
  fmt::print("medians of {} rounds, one core, wave64; targets: {} vector, {} in a kernel\n", rounds,
             vector_target, kernel_target);
  for (const auto part : {time_loops, time_kernels})
    if (const int status = part(rounds, within); status != 0) return status;
  return within ? 0 : 1;
}
