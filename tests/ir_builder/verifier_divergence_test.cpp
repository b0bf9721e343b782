// Verifier, control flow: what needs all lanes of a wave stands only where none can have left, and uniformity
// is followed through loops until it no longer changes.
#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/ir_builder/every_op.h"

namespace wavesmith::ir::testing {
namespace {

using Place = std::function<void(TestKernel&, const Operands&, const std::function<void()>&)>;

constexpr std::array whole_wave{OpKind::barrier, OpKind::mfma_32x32x16, OpKind::buffer_load_lds,
                                OpKind::lds_read_tr16, OpKind::permlane32_swap};

std::vector<std::string> findings(OpKind kind, const Place& place) {
  TestKernel k;
  const Operands o(k);
  place(k, o, [&] {
    const Op* op = append_sample(k, o, kind);
    if (!op->results.empty()) k.keep(op->results.front());
  });
  return k.findings();
}

void check_forbidden(const Place& place) {
  for (OpKind kind : whole_wave) {
    CAPTURE(info(kind).name);
    const auto found = findings(kind, place);
    REQUIRE(found.size() == 1);
    CHECK(found[0].find(fmt::format("{}(", info(kind).name)) != std::string::npos);
    CHECK(found[0].ends_with("): stands where lanes of a wave may have parted"));
  }
  // What works with any set of lanes is allowed in the same place.
  for (OpKind kind : {OpKind::buffer_load, OpKind::lds_load, OpKind::buffer_store, OpKind::readfirstlane,
                      OpKind::ballot, OpKind::waitcnt, OpKind::sched_barrier, OpKind::exp2}) {
    CAPTURE(info(kind).name);
    CHECK(findings(kind, place) == std::vector<std::string>{});
  }
}

void check_allowed(const Place& place) {
  for (OpKind kind : whole_wave) {
    CAPTURE(info(kind).name);
    CHECK(findings(kind, place) == std::vector<std::string>{});
  }
}

// Lanes of a wave are together, waves need not be: all but a barrier may stand there.
void check_waves_apart(const Place& place) {
  for (OpKind kind : whole_wave) {
    CAPTURE(info(kind).name);
    const auto found = findings(kind, place);
    if (kind == OpKind::barrier)
      CHECK(found ==
            std::vector<std::string>{"barrier(): stands where waves of the workgroup may have parted"});
    else
      CHECK(found == std::vector<std::string>{});
  }
}

void branch(Builder& b, Value condition, const std::function<void()>& body) {
  b.if_then(condition, {}, [&] {
    body();
    return std::vector<Value>{};
  });
}

void loop(Builder& b, Value upper, const std::function<void(Value)>& body) {
  b.for_loop(b.i32(0), upper, b.i32(1), "i", {}, [&](Value i, std::span<const Value>) {
    body(i);
    return std::vector<Value>{};
  });
}

TEST_CASE("divergence: no whole-wave operation in an if that depends on the lane, however deep") {
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) { branch(k.b, o.lane_flag, op); });
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    branch(k.b, o.lane_flag, [&] { branch(k.b, o.flag, op); });
  });
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    loop(k.b, k.count,
         [&](Value) { branch(k.b, o.lane_flag, [&] { loop(k.b, k.count, [&](Value) { op(); }); }); });
  });
  // A loaded value and a lane swap's result are not assumed to be uniform.
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    const Value loaded = k.b.buffer_load(o.in, k.count, i32);
    branch(k.b, loaded < k.count, op);
  });
  check_forbidden([](TestKernel& k, const Operands&, const auto& op) {
    const auto swapped = k.b.permlane32_swap(k.count, k.count);
    branch(k.b, swapped.first < k.count, op);
  });
}

TEST_CASE("divergence: no whole-wave operation in a loop whose trip count depends on the lane") {
  check_forbidden(
      [](TestKernel& k, const Operands& o, const auto& op) { loop(k.b, o.lane, [&](Value) { op(); }); });
  for (std::size_t operand : {0U, 2U})  // lower bound and step
    check_forbidden([=](TestKernel& k, const Operands& o, const auto& op) {
      std::array bounds{k.b.i32(1), k.count, k.b.i32(1)};
      bounds.at(operand) = o.lane;
      k.b.for_loop(bounds[0], bounds[1], bounds[2], "i", {}, [&](Value, std::span<const Value>) {
        op();
        return std::vector<Value>{};
      });
    });
}

TEST_CASE("divergence: no whole-wave operation after a return that some lanes take") {
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    k.b.return_if(o.lane_flag);
    op();
  });
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    branch(k.b, o.lane_flag, [&] { k.b.return_if(o.flag); });
    op();
  });
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    k.b.return_if(o.lane_flag);
    loop(k.b, k.count, [&](Value) { op(); });
  });
}

TEST_CASE("divergence: a return at the end of a loop's body counts at its beginning, in the next round") {
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    loop(k.b, k.count, [&](Value) {
      op();
      k.b.return_if(o.lane_flag);
    });
  });
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    loop(k.b, k.count, [&](Value) {
      op();
      branch(k.b, o.flag, [&] { branch(k.b, o.lane_flag, [&] { k.b.return_if(o.flag); }); });
    });
  });
  check_allowed([](TestKernel& k, const Operands& o, const auto& op) {
    loop(k.b, k.count, [&](Value) {
      op();
      k.b.return_if(o.flag);
    });
  });
  check_allowed([](TestKernel& k, const Operands& o, const auto& op) {
    op();
    loop(k.b, k.count, [&](Value) { k.b.return_if(o.lane_flag); });
  });
}

TEST_CASE("divergence: whole-wave operations stand in uniform flow") {
  const std::vector<std::pair<const char*, std::function<Value(TestKernel&, const Operands&)>>>
      uniform_bounds{
          {"argument", [](TestKernel& k, const Operands&) { return k.count; }},
          {"constant", [](TestKernel& k, const Operands&) { return k.b.i32(12); }},
          {"workgroup id", [](TestKernel& k, const Operands&) { return k.b.workgroup_id(0) * 3; }},
          {"first lane of an argument",
           [](TestKernel& k, const Operands&) { return k.b.readfirstlane(k.count); }},
      };
  for (const auto& [name, bound] : uniform_bounds) {
    CAPTURE(name);
    check_allowed([&, of = bound](TestKernel& k, const Operands& o, const auto& op) {
      branch(k.b, of(k, o) < k.count, op);
    });
    check_allowed([&, of = bound](TestKernel& k, const Operands& o, const auto& op) {
      loop(k.b, of(k, o), [&](Value i) { branch(k.b, i < k.count, op); });
    });
  }
  // Lanes are together again after an if or loop that parted them.
  check_allowed([](TestKernel& k, const Operands& o, const auto& op) {
    branch(k.b, o.lane_flag, [] {});
    loop(k.b, o.lane, [](Value) {});
    op();
  });
  check_allowed([](TestKernel& k, const Operands& o, const auto& op) {
    k.b.return_if(o.flag);
    op();
  });
}

TEST_CASE("divergence: no barrier where each wave decides for itself") {
  const auto wave_id = [](TestKernel& k, const Operands& o) { return k.b.readfirstlane(o.lane >> 6); };
  check_waves_apart(
      [&](TestKernel& k, const Operands& o, const auto& op) { branch(k.b, wave_id(k, o) < k.count, op); });
  check_waves_apart([&](TestKernel& k, const Operands& o, const auto& op) {
    loop(k.b, wave_id(k, o), [&](Value) { branch(k.b, o.flag, op); });
  });
  check_waves_apart(
      [](TestKernel& k, const Operands& o, const auto& op) { branch(k.b, k.b.any_lane(o.lane_flag), op); });
  // Even a ballot of equal values: the lanes that exist differ in a last, partial wave.
  check_waves_apart(
      [](TestKernel& k, const Operands& o, const auto& op) { branch(k.b, k.b.any_lane(o.flag), op); });
  // Waves that have ended are not waited for.
  check_allowed([&](TestKernel& k, const Operands& o, const auto& op) {
    k.b.return_if(wave_id(k, o) < k.count);
    op();
  });
}

TEST_CASE("divergence: a carried value that a later round makes divergent is divergent in every round") {
  // In round n the third value is what entered the chain in round n - 2.
  const auto chain = [](bool divergent, bool with_ballot) {
    return [=](TestKernel& k, const Operands& o, const std::function<void()>& op) {
      Builder& b = k.b;
      const Value zero = b.i32(0);
      const std::array carried{Carried{"a", zero}, Carried{"b", zero}, Carried{"c", zero}};
      b.for_loop(zero, k.count, b.i32(1), "i", carried, [&](Value i, std::span<const Value> values) {
        branch(b, values[2] < k.count, op);
        Value entering = divergent ? o.lane : i;
        if (with_ballot) entering = b.readfirstlane(entering);
        return std::vector{entering, values[0], values[1]};
      });
    };
  };
  check_forbidden(chain(true, false));
  check_allowed(chain(false, false));
  check_waves_apart(chain(true, true));
}

TEST_CASE("divergence: nested loops that hand a value to each other reach the fixed point together") {
  const auto nested = [](bool divergent) {
    return [=](TestKernel& k, const Operands& o, const std::function<void()>& op) {
      Builder& b = k.b;
      const std::array outer{Carried{"outer", k.count}, Carried{"entered", k.count}};
      b.for_loop(b.i32(0), k.count, b.i32(1), "i", outer, [&](Value, std::span<const Value> values) {
        const std::array inner{Carried{"inner", values[0]}};
        const auto results =
            b.for_loop(b.i32(0), k.count, b.i32(1), "j", inner, [&](Value, std::span<const Value> value) {
              branch(b, value[0] < k.count, op);
              return std::vector{value[0] + 1};
            });
        return std::vector{results[0] + values[1], divergent ? o.lane : k.count};
      });
    };
  };
  check_forbidden(nested(true));
  check_allowed(nested(false));
}

TEST_CASE(
    "divergence: what lanes bring out of parted flow is divergent, though each lane brings a uniform value") {
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {
    const std::array otherwise{k.count};
    const auto picked = k.b.if_then(o.lane_flag, otherwise, [&] { return std::vector{k.b.i32(3)}; });
    branch(k.b, picked[0] < k.count, op);
  });
  check_forbidden([](TestKernel& k, const Operands& o, const auto& op) {  // lanes leave in different rounds
    const std::array carried{Carried{"n", k.b.i32(0)}};
    const auto rounds = k.b.for_loop(k.b.i32(0), o.lane, k.b.i32(1), "i", carried,
                                     [&](Value, std::span<const Value> n) { return std::vector{n[0] + 1}; });
    branch(k.b, rounds[0] < k.count, op);
  });
  check_allowed([](TestKernel& k, const Operands& o, const auto& op) {
    const std::array otherwise{k.count};
    const auto picked = k.b.if_then(o.flag, otherwise, [&] { return std::vector{k.b.i32(3)}; });
    branch(k.b, picked[0] < k.count, op);
  });
}

}  // namespace
}  // namespace wavesmith::ir::testing
