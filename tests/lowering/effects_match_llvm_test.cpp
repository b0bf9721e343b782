// Effects as LLVM sees them: what the table of operations says is held against the attributes that LLVM
// itself gives the intrinsic (or the instruction) that each operation becomes.
#include <map>
#include <regex>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

using ir::Effect;
using ir::OpKind;

// The intrinsic of each operation; those without one are LLVM instructions.
const std::map<OpKind, std::string> intrinsics{
    {OpKind::smin, "llvm.smin.i32"},
    {OpKind::smax, "llvm.smax.i32"},
    {OpKind::umin, "llvm.umin.i32"},
    {OpKind::umax, "llvm.umax.i32"},
    {OpKind::fma, "llvm.fma.f32"},
    {OpKind::fmax, "llvm.maxnum.f32"},
    {OpKind::exp2, "llvm.amdgcn.exp2.f32"},
    {OpKind::log2, "llvm.amdgcn.log.f32"},
    {OpKind::rcp, "llvm.amdgcn.rcp.f32"},
    {OpKind::workitem_id, "llvm.amdgcn.workitem.id.x"},
    {OpKind::workgroup_id, "llvm.amdgcn.workgroup.id.y"},
    {OpKind::readfirstlane, "llvm.amdgcn.readfirstlane.i32"},
    {OpKind::ballot, "llvm.amdgcn.ballot.i64"},
    {OpKind::permlane32_swap, "llvm.amdgcn.permlane32.swap"},
    {OpKind::mfma_32x32x16, "llvm.amdgcn.mfma.f32.32x32x16.bf16"},
    {OpKind::make_buffer_resource, "llvm.amdgcn.make.buffer.rsrc.p8.p1"},
    {OpKind::buffer_load, "llvm.amdgcn.raw.ptr.buffer.load.v2i32"},
    {OpKind::buffer_store, "llvm.amdgcn.raw.ptr.buffer.store.v4i32"},
    {OpKind::buffer_load_lds, "llvm.amdgcn.raw.ptr.buffer.load.lds"},
    {OpKind::lds_read_tr16, "llvm.amdgcn.ds.read.tr16.b64.v4bf16"},
    {OpKind::waitcnt, "llvm.amdgcn.s.waitcnt"},
    {OpKind::barrier, "llvm.amdgcn.s.barrier"},
    {OpKind::sched_barrier, "llvm.amdgcn.sched.barrier"},
    {OpKind::sched_group_barrier, "llvm.amdgcn.sched.group.barrier"},
    {OpKind::set_priority, "llvm.amdgcn.s.setprio"},
};

// LLVM's attributes of each intrinsic that the text declares.
std::map<std::string, std::string> attributes_of_intrinsics(const std::string& text) {
  const std::string read = opt(text, "verify");
  std::map<std::string, std::string> groups, attributes;
  std::smatch match;
  for (const std::string& line : lines_with(read, "attributes #"))
    if (std::regex_match(line, match, std::regex(R"(attributes (#\d+) = \{(.*)\})")))
      groups[match[1]] = match[2];
  for (const std::string& line : lines_with(read, "declare "))
    if (std::regex_match(line, match, std::regex(R"(declare .*@([\w.]+)\(.*\) (#\d+))")))
      attributes[match[1]] = groups[match[2]];
  return attributes;
}

TEST_CASE("effects: LLVM gives each intrinsic the effect that the operation states") {
  TestKernel kernel;
  build_every_op(kernel);
  const auto attributes = attributes_of_intrinsics(lowered(kernel));
  for (const auto& [kind, name] : intrinsics) {
    CAPTURE(name);
    REQUIRE(attributes.contains(name));
    const std::string& llvm = attributes.at(name);
    CAPTURE(llvm);
    const auto has = [&](std::string_view what) { return llvm.find(what) != std::string::npos; };
    const ir::OpInfo& op = ir::info(kind);
    switch (op.effect) {
      case Effect::none:
        CHECK(has("memory(none)"));
        CHECK(has("willreturn"));
        break;
      case Effect::lanes:
        CHECK(has("memory(none)"));
        CHECK(has("convergent"));
        break;
      case Effect::reads:
        CHECK(has("memory(argmem: read)"));
        break;
      case Effect::writes:
        CHECK(std::regex_search(llvm, std::regex(R"(memory\(argmem: (readwrite|write)\))")));
        break;
      case Effect::orders:
        CHECK_FALSE(has("memory("));  // LLVM must assume any effect
        break;
      case Effect::flow:
        FAIL("no intrinsic transfers control");
    }
    // What LLVM may not make depend on other control flow, we must not drop, move or part lanes around.
    if (has("convergent"))
      CHECK((op.effect == Effect::lanes || op.effect == Effect::orders || op.whole_wave));
  }
}

TEST_CASE("effects: an operation without an intrinsic is an LLVM instruction of the same effect") {
  for (const ir::OpInfo& op : ir::all_ops()) {
    if (op.effect == Effect::flow || intrinsics.contains(op.kind)) continue;
    CAPTURE(op.name);
    TestKernel kernel;
    const Operands operands(kernel);
    const ir::Op* sample = append_sample(kernel, operands, op.kind);
    const ir::Value result = sample->results.at(0);
    store(kernel, operands, result);
    const ir::FinishedKernel finished = kernel.finish();
    const std::string text = lower(finished, gfx950(), llvm22()).value();
    const auto definition = lines_with(text, fmt::format("  %{} = ", result.name()));
    REQUIRE(definition.size() == 1);
    const bool loads = definition[0].find(" = load ") != std::string::npos;
    CHECK(definition[0].find(" = call ") == std::string::npos);
    // Nothing writes the argument block, nor what is read as constant, while a kernel runs.
    CHECK(loads == (op.effect == Effect::reads || op.kind == OpKind::load_argument ||
                    op.kind == OpKind::load_constant));
    CHECK((op.effect == Effect::none || op.effect == Effect::reads));
  }
}

}  // namespace
}  // namespace wavesmith::lowering::testing
