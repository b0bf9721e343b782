// Every operation is held to the effect it states. The expectation is written by hand here, from what the
// instruction does on the hardware; finish() must then drop an unused operation exactly when it has no
// effect.
#include <map>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/every_op.h"

namespace wavesmith::ir::testing {
namespace {

const std::set<std::string_view> reads{"buffer_load", "lds_load", "lds_read_tr16"};
const std::set<std::string_view> writes{"buffer_store", "buffer_load_lds"};
const std::set<std::string_view> lanes{"readfirstlane", "ballot", "permlane32_swap"};
const std::set<std::string_view> orders{"waitcnt", "barrier", "sched_barrier", "sched_group_barrier",
                                        "set_priority"};
const std::set<std::string_view> flow{"for", "if", "yield", "return"};
// Without effect, but where they stand is the generator's schedule.
const std::set<std::string_view> scheduled{"exp2", "log2", "mfma_32x32x16"};
// What is wrong unless all lanes reach it together: it reads or writes on behalf of lanes that EXEC left out.
const std::set<std::string_view> whole_wave{"permlane32_swap", "mfma_32x32x16", "buffer_load_lds",
                                            "lds_read_tr16", "barrier"};

Effect expected_effect(std::string_view name) {
  if (reads.contains(name)) return Effect::reads;
  if (writes.contains(name)) return Effect::writes;
  if (lanes.contains(name)) return Effect::lanes;
  if (orders.contains(name)) return Effect::orders;
  if (flow.contains(name)) return Effect::flow;
  return Effect::none;
}

TEST_CASE("effects: every operation states the effect that its instruction has") {
  std::set<std::string_view> seen;
  for (const OpInfo& op : all_ops()) {
    CAPTURE(op.name);
    CHECK(seen.insert(op.name).second);
    CHECK(static_cast<int>(op.effect) == static_cast<int>(expected_effect(op.name)));
    CHECK(op.whole_wave == whole_wave.contains(op.name));
    CHECK(op.keeps_order == (op.effect != Effect::none || scheduled.contains(op.name)));
  }
  for (const auto* names : {&reads, &writes, &lanes, &orders, &flow, &scheduled, &whole_wave})
    for (std::string_view name : *names) CHECK(seen.contains(name));
}

TEST_CASE("effects: only what no other lane or memory can change is called uniform") {
  const std::set<std::string_view> never_uniform{"workitem_id", "permlane32_swap", "buffer_load", "lds_load",
                                                 "lds_read_tr16"};
  for (const OpInfo& op : all_ops()) {
    if (op.results == 0) continue;
    CAPTURE(op.name);
    const Uniformity expected = op.name == "workgroup_id"         ? Uniformity::workgroup
                                : op.name == "readfirstlane"      ? Uniformity::one_lane
                                : op.name == "ballot"             ? Uniformity::wave
                                : never_uniform.contains(op.name) ? Uniformity::divergent
                                                                  : Uniformity::propagates;
    CHECK(static_cast<int>(op.uniformity) == static_cast<int>(expected));
  }
}

TEST_CASE("effects: an unused operation is dropped exactly when it has no effect, the others stay in order") {
  TestKernel kernel;
  const Operands operands(kernel);
  std::map<OpKind, const Op*> samples;
  std::vector<const Op*> created;
  for (const OpInfo& op : all_ops()) {
    const Op* sample = append_sample(kernel, operands, op.kind);
    REQUIRE(sample->kind == op.kind);
    samples[op.kind] = sample;
    if (sample->parent == &kernel.b.kernel().body()) created.push_back(sample);
  }
  const FinishedKernel finished = kernel.finish();

  for (const OpInfo& op : all_ops()) {
    CAPTURE(op.name);
    CHECK((position(samples[op.kind]) >= 0) == (expected_effect(op.name) != Effect::none));
  }
  int last = -1;
  for (const Op* op : created) {
    const int at = position(op);
    if (at < 0) continue;
    CAPTURE(info(op->kind).name);
    CHECK(at > last);
    last = at;
  }
}

TEST_CASE("effects: an operation without effect stays when something with effect uses it") {
  for (const OpInfo& op : all_ops()) {
    if (op.effect != Effect::none) continue;
    CAPTURE(op.name);
    TestKernel kernel;
    const Operands operands(kernel);
    const Op* sample = append_sample(kernel, operands, op.kind);
    kernel.keep(sample->results.front());
    const FinishedKernel finished = kernel.finish();
    CHECK(position(sample) >= 0);
  }
}

TEST_CASE("effects: a chain without effect goes as a whole, and what only it used goes with it") {
  TestKernel kernel;
  const Operands operands(kernel);
  Builder& b = kernel.b;
  const Value first = operands.lane + 5;
  const Value second = first * first;
  const Value third = b.mfma_32x32x16(operands.bf16x8, operands.bf16x8, operands.f32x16);
  const Value fourth = b.exp2(b.extract(third, 0));
  const FinishedKernel finished = kernel.finish();
  for (const Value& value : {first, second, third, fourth, operands.f32x16, operands.lds})
    CHECK(position(value.producer()) == -1);
  CHECK(position(operands.i32x4.producer()) >= 0);  // a load stays
}

}  // namespace
}  // namespace wavesmith::ir::testing
