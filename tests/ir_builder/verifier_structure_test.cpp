// Verifier, structure: required and foreign attributes, counts of operands and results, and how regions end.
#include <algorithm>
#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/ir_builder/every_op.h"

namespace wavesmith::ir::testing {
namespace {

using Findings = std::vector<std::string>;

// A kernel with one sample of `kind`, which `change` may break.
std::function<void(TestKernel&)> sample(OpKind kind, std::function<void(TestKernel&, Op&)> change = {}) {
  return [=](TestKernel& k) {
    const Operands o(k);
    Op* op = append_sample(k, o, kind);
    if (change) change(k, *op);
  };
}

TEST_CASE("verifier: an operation that lacks a required attribute is refused, for each of them") {
  // What each operation cannot be lowered without, by hand.
  const std::vector<std::pair<OpKind, std::vector<Attr>>> required{
      {OpKind::icmp, {Attr::predicate}},
      {OpKind::fcmp, {Attr::predicate}},
      {OpKind::extract, {Attr::index}},
      {OpKind::slice, {Attr::index}},
      {OpKind::workgroup_id, {Attr::index}},
      {OpKind::lds_address, {Attr::bytes}},
      {OpKind::buffer_load_lds, {Attr::bytes, Attr::alias_scope}},
      {OpKind::lds_load, {Attr::align, Attr::alias_scope}},
      {OpKind::lds_read_tr16, {Attr::alias_scope}},
      {OpKind::sched_barrier, {Attr::mask}},
      {OpKind::sched_group_barrier, {Attr::mask, Attr::size, Attr::group}},
      {OpKind::set_priority, {Attr::priority}},
  };
  std::size_t stated = 0;
  for (const OpInfo& op : all_ops()) stated += op.required_count;
  std::size_t listed = 0;
  for (const auto& [kind, attrs] : required) {
    listed += attrs.size();
    for (Attr attr : attrs) {
      const auto remove = [attr = attr](TestKernel&, Op& op) {
        std::erase_if(op.attrs, [&](const auto& entry) { return entry.first == attr; });
      };
      check_rules({{std::string(to_string(attr)),
                    sample(kind),
                    sample(kind, remove),
                    {fmt::format("{} lacks attribute {}", info(kind).name, to_string(attr))}}});
    }
  }
  CHECK(stated == listed);
}

TEST_CASE("verifier: an attribute that an operation does not take, or has twice, is refused") {
  const auto give = [](Attr attr) { return [=](TestKernel&, Op& op) { op.attrs.emplace_back(attr, 1); }; };
  check_rules({
      {"foreign",
       sample(OpKind::buffer_load, give(Attr::cache_policy)),
       sample(OpKind::buffer_load, give(Attr::align)),
       {"buffer_load does not take attribute align"}},
      {"cache policy of a wait",
       sample(OpKind::buffer_store, give(Attr::cache_policy)),
       sample(OpKind::waitcnt, give(Attr::cache_policy)),
       {"waitcnt does not take attribute cache_policy"}},
      {"cache policy of LDS DMA",
       sample(OpKind::buffer_load_lds, give(Attr::cache_policy)),
       sample(OpKind::buffer_load_lds, give(Attr::lgkmcnt)),
       {"buffer_load_lds does not take attribute lgkmcnt"}},
      {"cache policy of LDS",
       sample(OpKind::lds_load),
       sample(OpKind::lds_load, give(Attr::cache_policy)),
       {"lds_load does not take attribute cache_policy"}},
      {"a wait on a barrier",
       sample(OpKind::barrier),
       sample(OpKind::barrier, give(Attr::vmcnt)),
       {"barrier does not take attribute vmcnt"}},
      {"twice",
       sample(OpKind::set_priority),
       sample(OpKind::set_priority, give(Attr::priority)),
       {"set_priority has attribute priority twice"}},
  });
}

TEST_CASE(
    "verifier: wrong counts of operands or results, and empty operands, are refused for each operation") {
  for (const OpInfo& op : all_ops()) {
    CAPTURE(op.name);
    if (op.operands >= 0) {
      const auto more = [](TestKernel& k, Op& changed) { changed.operands.push_back(k.count); };
      check_rules(
          {{"one operand more",
            sample(op.kind),
            sample(op.kind, more),
            {fmt::format("{} has {} operands, {} are needed", op.name, op.operands + 1, op.operands)}}});
    }
    if (op.operands > 0) {
      const auto fewer = [](TestKernel&, Op& changed) { changed.operands.pop_back(); };
      check_rules(
          {{"one operand fewer",
            sample(op.kind),
            sample(op.kind, fewer),
            {fmt::format("{} has {} operands, {} are needed", op.name, op.operands - 1, op.operands)}}});
      const auto empty = [](TestKernel&, Op& changed) { changed.operands.front() = Value(); };
      check_rules({{"an empty operand",
                    sample(op.kind),
                    sample(op.kind, empty),
                    {fmt::format("{} has an empty operand", op.name)}}});
    }
    if (op.results > 0) {
      const auto none_left = [](TestKernel&, Op& changed) { changed.results.clear(); };
      check_rules({{"no results",
                    sample(op.kind),
                    sample(op.kind, none_left),
                    {fmt::format("{} has 0 results, {} are needed", op.name, op.results)}}});
    }
  }
}

TEST_CASE("verifier: a constant pointer is refused") {
  check_rules(
      {{"null",
        [](TestKernel& k) { k.keep(k.b.select(k.count < k.count, k.source, k.source)); },
        [](TestKernel& k) { k.keep(k.b.select(k.count < k.count, k.source, k.b.constant(global_ptr, 0))); },
        {"select has a constant of type ptr<global>: constants are numbers"}}});
}

// A loop with one carried value around `body`, or an if with one result.
std::function<void(TestKernel&)> region_of(OpKind kind,
                                           std::function<void(TestKernel&, Region&)> change = {}) {
  return sample(kind, [=](TestKernel& k, Op& op) {
    if (change) change(k, *op.regions.front());
  });
}

Op* append_in(TestKernel& k, Region& region, OpKind kind, std::span<const Value> operands = {}) {
  Region* outer = std::exchange(k.b.kernel().insertion, &region);
  Op* op = k.b.append(kind, operands, {}, "");
  k.b.kernel().insertion = outer;
  return op;
}

TEST_CASE("verifier: the region of a loop or an if ends in one yield, and nothing stands after it") {
  const auto unended = [](TestKernel&, Region& region) { region.ops.pop_back(); };
  const auto emptied = [](TestKernel&, Region& region) { region.ops.clear(); };
  const auto after = [](TestKernel& k, Region& region) { append_in(k, region, OpKind::barrier); };
  const auto twice = [](TestKernel& k, Region& region) {
    append_in(k, region, OpKind::yield, region.ops.back()->operands);
  };
  for (OpKind kind : {OpKind::for_, OpKind::if_}) {
    const std::string name(info(kind).name);
    check_rules({
        {name + " without end",
         region_of(kind),
         region_of(kind, emptied),
         {"a region does not end in yield or return"}},
        {name + " with two yields",
         region_of(kind),
         region_of(kind, twice),
         {"yield stands before the end of its region"}},
    });
  }
  check_rules({
      {"loop that ends in an addition",
       region_of(OpKind::for_),
       region_of(OpKind::for_, unended),
       {"a region does not end in yield or return"}},
      {"an operation after yield",
       region_of(OpKind::for_),
       region_of(OpKind::for_, after),
       {"yield stands before the end of its region", "a region does not end in yield or return"}},
  });
}

TEST_CASE("verifier: a yield gives as many values as its loop or if has results, of their types") {
  const auto more = [](TestKernel& k, Region& region) { region.ops.back()->operands.push_back(k.count); };
  const auto fewer = [](TestKernel&, Region& region) { region.ops.back()->operands.clear(); };
  const auto other = [](TestKernel& k, Region& region) { region.ops.back()->operands[0] = k.x; };
  for (OpKind kind : {OpKind::for_, OpKind::if_}) {
    const std::string name(info(kind).name);
    const std::string op =
        kind == OpKind::for_ ? "%sum.1 = for(i32, i32, i32, i32)" : "%count.1 = if(i1, i32)";
    check_rules({
        {"more", region_of(kind), region_of(kind, more), {name + " yields 2 values for 1 results"}},
        {"fewer", region_of(kind), region_of(kind, fewer), {name + " yields 0 values for 1 results"}},
        {"another type",
         region_of(kind),
         region_of(kind, other),
         {op + ": result 0 has another type than what flows into it"}},
    });
  }
}

TEST_CASE("verifier: a loop's operands, region arguments and results agree in number and type") {
  const auto loop = [](std::function<void(TestKernel&, Op&)> change = {}) {
    return sample(OpKind::for_, change);
  };
  const std::string types = "%sum.1 = for(i32, i32, i32, i32): needs integer bounds and step of one type";
  check_rules({
      {"a start without a result",
       loop(),
       loop([](TestKernel& k, Op& op) { op.operands.push_back(k.count); }),
       {"for has 5 operands for 1 results"}},
      {"no bounds",
       loop(),
       loop([](TestKernel&, Op& op) { op.operands.resize(1); }),
       {"for has 1 operands for 1 results"}},
      {"an argument more",
       loop(),
       loop([](TestKernel& k, Op& op) {
         op.regions.front()->arguments.emplace_back(k.b.kernel().new_value(i32, "more"));
       }),
       {"for has not one region argument for the induction and each carried value"}},
      {"64-bit bound",
       loop(),
       loop([](TestKernel& k, Op& op) { op.operands[1] = k.wide; }),
       {"%sum.1 = for(i32, i64, i32, i32): needs integer bounds and step of one type"}},
      {"floating induction",
       loop(),
       loop([](TestKernel&, Op& op) { op.regions.front()->arguments[0].data()->type = f32; }),
       {types, "%add = add(i32, f32): needs two integers of one type"}},
      {"a start of another type",
       loop(),
       loop([](TestKernel& k, Op& op) { op.operands[3] = k.x; }),
       {"%sum.1 = for(i32, i32, i32, f32): result 0 has another type than what flows into it"}},
      {"no region", loop(), loop([](TestKernel&, Op& op) { op.regions.clear(); }), {"for has 0 regions"}},
      {"step 0",
       loop(),
       loop([](TestKernel& k, Op& op) { op.operands[2] = k.b.i32(0); }),
       {"%sum.1 = for(i32, i32, i32, i32): needs a step above zero"}},
      {"negative step",
       loop(),
       loop([](TestKernel& k, Op& op) { op.operands[2] = k.b.i32(-1); }),
       {"%sum.1 = for(i32, i32, i32, i32): needs a step above zero"}},
  });
}

TEST_CASE("verifier: an if takes an i1, has no region arguments, and agrees with its results") {
  const auto branch = [](std::function<void(TestKernel&, Op&)> change = {}) {
    return sample(OpKind::if_, change);
  };
  check_rules({
      {"a number as condition",
       branch(),
       branch([](TestKernel& k, Op& op) { op.operands[0] = k.count; }),
       {"%count.1 = if(i32, i32): needs an i1"}},
      {"a region argument",
       branch(),
       branch([](TestKernel& k, Op& op) {
         op.regions.front()->arguments.emplace_back(k.b.kernel().new_value(i32, "more"));
       }),
       {"if has region arguments"}},
      {"other side missing",
       branch(),
       branch([](TestKernel&, Op& op) { op.operands.pop_back(); }),
       {"if has 1 operands for 1 results"}},
      {"other side of another type",
       branch(),
       branch([](TestKernel& k, Op& op) { op.operands[1] = k.x; }),
       {"%count.1 = if(i1, f32): result 0 has another type than what flows into it"}},
      {"two regions",
       branch(),
       branch([](TestKernel&, Op& op) { op.regions.push_back(op.regions.front()); }),
       {"if has 2 regions"}},
  });
}

TEST_CASE("verifier: return ends an if without results, and nothing else") {
  const auto body = [](OpKind kind) {
    return [=](TestKernel& k) {
      if (kind != OpKind::count_) k.b.append(kind, {}, {}, "");
    };
  };
  const auto ends_in_return = [](TestKernel& k, Region& region) {
    region.ops.pop_back();
    append_in(k, region, OpKind::return_);
  };
  const auto after_return = [](TestKernel& k, Op& op) { append_in(k, *op.parent, OpKind::barrier); };
  check_rules({
      {"in the kernel's body",
       body(OpKind::count_),
       body(OpKind::return_),
       {"return ends the kernel's body, which ends by itself"}},
      {"yield in the kernel's body",
       body(OpKind::count_),
       body(OpKind::yield),
       {"yield ends the kernel's body, which ends by itself"}},
      {"in an if with results",
       region_of(OpKind::if_),
       region_of(OpKind::if_, ends_in_return),
       {"if may not end in return: only an if without results can"}},
      {"in a loop",
       region_of(OpKind::for_),
       region_of(OpKind::for_, ends_in_return),
       {"for may not end in return: only an if without results can"}},
      {"before the end of the if",
       sample(OpKind::return_),
       sample(OpKind::return_, after_return),
       {"return stands before the end of its region", "a region does not end in yield or return"}},
  });
}

TEST_CASE("verifier: an operation is in the region it says") {
  check_rules(
      {{"parent",
        sample(OpKind::barrier),
        sample(OpKind::barrier, [](TestKernel& k, Op& op) { op.parent = k.b.kernel().new_region(nullptr); }),
        {"barrier is in another region than it says"}}});
}

}  // namespace
}  // namespace wavesmith::ir::testing
