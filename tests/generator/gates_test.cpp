// Every kernel passes every gate of isa_gates.h, and every gate turns red on a defect that is planted in the
// IR text: the gates see what they are there for.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/emit.h"
#include "tests/generator/isa_gates.h"
#include "tests/generator/mutation.h"
#include "tests/generator/specs.h"

namespace wavesmith::test {
namespace {

#define CHECK_CONTAINS(text, part) CHECK_THAT(text, Catch::Matchers::ContainsSubstring(part))

using dense::DType;
using dense::Mask;
using dense::Spec;

std::string joined(const Findings& findings) {
  return fmt::format("{}", fmt::join(findings, "; "));
}

void check_all_gates(const Spec& spec) {
  INFO(name_of(spec));
  const Compiled compiled = compile(emitted(spec));
  const Plan plan = resolved(spec);
  for (const Gate& gate : all_gates()) {
    CAPTURE(gate.name);
    CHECK(joined(gate.run(plan, compiled)) == "");
  }
}

// What one gate says of a mutated kernel. The kernel as it is must pass, and so must the mutation on all
// other gates where it breaks nothing else.
std::string verdict(Findings (*gate)(const Plan&, const Compiled&), const Spec& spec, const std::string& ir) {
  return joined(gate(resolved(spec), compile(ir)));
}

TEST_CASE("gates: every variant passes all of them") {
  for (int head_size : {64, 128})
    for (DType dtype : {DType::bf16, DType::fp16})
      for (Mask mask : {Mask::full, Mask::causal}) check_all_gates(spec(head_size, 32, 8, dtype, mask));
}

TEST_CASE("gates: so does every geometry, with and without the other outputs and masks") {
  for (const Spec& geometry : all_geometries()) {
    check_all_gates(geometry);
    Spec other = geometry;
    other.mask = Mask::causal_top_left;
    other.dtype = DType::fp16;
    other.lse = true;
    check_all_gates(other);
    other.mask = Mask::full;
    other.dtype = DType::bf16;
    other.lazy_rescale = false;
    check_all_gates(other);
  }
}

TEST_CASE("gates: so does every persistent kernel") {
  for (Spec geometry : all_geometries()) {
    geometry.persistent = true;
    check_all_gates(geometry);
    geometry.mask = Mask::full;
    geometry.dtype = DType::fp16;
    geometry.lse = true;
    check_all_gates(geometry);
  }
}

TEST_CASE("gates: so do kernels for sequences of different lengths and for pages") {
  using dense::Kv;
  using dense::Sequences;
  for (const Spec& geometry : all_geometries())
    for (const auto& [sequences, kv, page_size, persistent] :
         {std::tuple{Sequences::varlen, Kv::contiguous, 64, false},
          {Sequences::ragged, Kv::contiguous, 64, true},
          {Sequences::varlen, Kv::paged, 16, false},
          {Sequences::batch, Kv::paged, 128, true}}) {
      Spec s = geometry;
      s.sequences = sequences;
      s.kv = kv;
      s.page_size = page_size;
      s.persistent = persistent && !(kv == Kv::paged && s.block_n == 128);  // refused
      check_all_gates(s);
    }
}

TEST_CASE("gates: so does every pad") {
  for (int head_size : {64, 128})
    for (int pad : {0, 16, 24, 32, 64}) {
      Spec padded = spec(head_size, 8, 1);
      padded.lds_k_group_pad = padded.lds_v_group_pad = padded.lds_k_row_pad = padded.lds_v_row_pad = pad;
      check_all_gates(padded);
    }
}

TEST_CASE("gates: the line table leaves the code as it is") {
  for (int head_size : {64, 128}) {
    const auto with_lines = dense::emit(resolved(spec(head_size, 32, 8)), *lowering::find_flavour("llvm22"),
                                        {.code_object_version = 5, .line_table = true});
    REQUIRE(with_lines);
    const auto code = [](const Compiled& compiled) {
      const auto bytes = compiled.object.code(compiled.kernel());
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    CHECK(code(compile(*with_lines)) == code(compile(emitted(spec(head_size, 32, 8)))));
  }
}

TEST_CASE("gates: LDS accesses without alias scopes drain all copies") {
  for (int head_size : {64, 128}) {
    const Spec s = spec(head_size, 32, 8);
    const std::string bare = without_metadata(without_metadata(emitted(s), "alias.scope"), "noalias");
    CHECK_CONTAINS(verdict(partial_waits, s, bare), "loop 0: 0 copies left in flight by a wait, not");
  }
}

TEST_CASE("gates: a wait for another count, or a missing one, is seen") {
  const Spec s = spec(64, 32, 8);
  // s_waitcnt of gfx9: vmcnt in [3:0] and [15:14], all other counters at their maximum.
  const std::string wait = "call void @llvm.amdgcn.s.waitcnt(i32 3956)";
  CHECK_CONTAINS(
      verdict(partial_waits, s, replaced(emitted(s), wait, "call void @llvm.amdgcn.s.waitcnt(i32 3957)")),
      "5 copies left in flight by a wait, not 4");
  CHECK_CONTAINS(verdict(partial_waits, s, without_lines(emitted(s), wait)), "0 waits for copies, not 1");
}

TEST_CASE("gates: a V buffer that is freed before it is read is seen") {
  const Spec s = spec(64, 32, 8);
  // The barrier behind PV moves before it, to where the schedule of PV begins.
  const std::string release =
      "  call void @llvm.amdgcn.s.waitcnt(i32 49279)\n  call void @llvm.amdgcn.s.barrier()\n";
  std::string ir = replaced(emitted(s), release, "");
  const std::string begin = "  call void @llvm.amdgcn.sched.barrier(i32 0)\n";
  ir = replaced(ir, begin, release + begin);
  CHECK_CONTAINS(verdict(barriers_hold, s, ir), "LDS reads outside the barriers, not 0");
}

TEST_CASE("gates: a missing barrier is seen") {
  const Spec s = spec(64, 32, 8);
  CHECK_CONTAINS(
      verdict(barriers_hold, s,
              replaced(emitted(s), "(i32 49279)\n  call void @llvm.amdgcn.s.barrier()\n", "(i32 49279)\n")),
      "1 barriers, not 2");
}

TEST_CASE("gates: a barrier with reads in flight, or before the wait for copies, is seen") {
  // LLVM waits for the last reads because their values are used, whatever the kernel says: planted in the
  // code.
  const Spec s = spec(64, 32, 8);
  Compiled compiled = compile(emitted(s));
  const std::vector<Instruction> good = compiled.listing.loops[0];
  auto& loop = compiled.listing.loops[0];
  std::erase_if(loop, [](const Instruction& i) { return wait_of(i, "lgkmcnt") == 0; });
  CHECK(joined(barriers_hold(resolved(s), compiled)) == "loop 0: a barrier with LDS reads in flight");
  loop = good;
  std::erase_if(loop, [](const Instruction& i) { return wait_of(i, "vmcnt") >= 0; });
  CHECK(joined(barriers_hold(resolved(s), compiled)) ==
        "loop 0: the first barrier does not follow the wait for copies");
}

TEST_CASE("gates: a copy or a matrix instruction too few is seen") {
  const Spec s = spec(64, 32, 8);
  const std::string ir = emitted(s);
  const std::size_t loop = ir.find("bb0.body:");
  REQUIRE(loop != std::string::npos);
  const std::string one_copy_less =
      ir.substr(0, loop) + without_first_line(ir.substr(loop), "raw.ptr.buffer.load.lds");
  CHECK_CONTAINS(verdict(loop_contents, s, one_copy_less), "7 copies, not 8");
}

TEST_CASE("gates: a base of copies that is not uniform is seen") {
  const Spec s = spec(64, 32, 8);
  const std::string ir = replaced(emitted(s), "%wave = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %lshr)",
                                  "%wave = add i32 %lshr, 0");
  CHECK_CONTAINS(verdict(no_lane_loops, s, ir), "v_readfirstlane, not 1");
}

TEST_CASE("gates: a clamp that becomes v_med3 costs a loop around each access of its descriptor") {
  const Spec s = spec(64, 32, 8);
  const std::string ir =
      replaced_pattern(emitted(s), R"((%smin[.0-9]*) = call i32 @llvm.smin.i32\(i32 (%sub[.0-9]*), i32 64\))",
                       "$1.upper = call i32 @llvm.smin.i32(i32 $2, i32 64)\n"
                       "  $1 = call i32 @llvm.smax.i32(i32 $1.upper, i32 0)");
  CHECK_CONTAINS(verdict(no_lane_loops, s, ir), "v_med3, not 0");
  CHECK_CONTAINS(verdict(no_lane_loops, s, ir), "instructions that save EXEC, not 0");
}

TEST_CASE("gates: IEEE mode quiets the operands of maxima") {
  const Spec s = spec(64, 32, 8);
  const std::string ir = replaced(emitted(s), " \"amdgpu-ieee\"=\"false\"", "");
  CHECK_CONTAINS(verdict(packed_softmax, s, ir), "v_max_f32, more than 3");
  CHECK(verdict(descriptor, s, ir) == "IEEE mode: true, not false");
}

TEST_CASE("gates: without its marks the schedule of PV falls apart") {
  for (int head_size : {64, 128}) {
    const Spec s = spec(head_size, 32, 8);
    CHECK_CONTAINS(
        verdict(interleaved, s, without_lines(emitted(s), "call void @llvm.amdgcn.sched.group.barrier")),
        "exponentials between");
  }
}

TEST_CASE("gates: registers for more waves than the kernel has spill") {
  const Spec s = spec(64, 32, 8);
  CHECK_CONTAINS(
      verdict(registers_only, s,
              replaced(emitted(s), "\"amdgpu-waves-per-eu\"=\"2,2\"", "\"amdgpu-waves-per-eu\"=\"5,5\"")),
      "bytes of scratch, not 0");
}

TEST_CASE("gates: modes, workgroup and LDS of the descriptor are read from the code object") {
  const Spec s = spec(64, 32, 8);
  const std::string ir = emitted(s);
  CHECK(verdict(descriptor, s,
                replaced(ir, "\"uniform-work-group-size\"=\"true\"",
                         "\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\" "
                         "\"uniform-work-group-size\"=\"true\"")) == "f32 denormals: 0, not 3");
  CHECK(verdict(descriptor, s, replaced(ir, " \"uniform-work-group-size\"=\"true\"", "")) ==
        "uniform workgroups: false, not true");
  CHECK_CONTAINS(verdict(descriptor, s, replaced(ir, "global [33792 x i8]", "global [33808 x i8]")),
                 "LDS bytes: 33808, not 33792");
  CHECK_CONTAINS(verdict(descriptor, s, without_metadata(ir, "reqd_work_group_size")),
                 "required workgroup: ");
  CHECK_CONTAINS(verdict(descriptor, s,
                         replaced(ir, "\"amdgpu-flat-work-group-size\"=\"512,512\"",
                                  "\"amdgpu-flat-work-group-size\"=\"512,1024\"")),
                 "largest workgroup: ");
}

}  // namespace
}  // namespace wavesmith::test
