// Canonical order: neither the order in which a C++ compiler evaluates operands nor a dead operation moves
// one byte of the printed kernel, and what keeps order keeps it.
#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "ir_builder/printer.h"
#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

using Body = std::function<void(TestKernel&)>;

std::string printed(const Body& body) {
  TestKernel kernel;
  body(kernel);
  return print(*kernel.finish());
}

void store(TestKernel& kernel, Value value) {
  kernel.b.buffer_store(value, kernel.b.make_buffer_resource(kernel.target, kernel.count), kernel.count);
}

TEST_CASE("canonical order: operands evaluated in the opposite order print the same kernel") {
  const std::string left_first = printed([](TestKernel& k) {
    const Value a = k.count + 1;
    const Value b = k.count * k.count;
    store(k, a - b);
  });
  const std::string right_first = printed([](TestKernel& k) {
    const Value b = k.count * k.count;
    const Value a = k.count + 1;
    store(k, a - b);
  });
  CHECK(left_first == right_first);
  CHECK(left_first.find("add(") < left_first.find("mul("));
}

TEST_CASE("canonical order: operands that a region uses may be made in any order before it") {
  const auto kernel = [](bool swapped) {
    return printed([&](TestKernel& k) {
      Value a, b;
      if (swapped) b = k.count * 3;
      a = k.count + 5;
      if (!swapped) b = k.count * 3;
      const std::array carried{Carried{"sum", k.count}};
      const auto sums =
          k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "i", carried, [&](Value, std::span<const Value> sum) {
            const std::array otherwise{sum[0]};
            return k.b.if_then(sum[0] < a, otherwise, [&] { return std::vector{sum[0] + b}; });
          });
      store(k, sums[0]);
    });
  };
  CHECK(kernel(false) == kernel(true));
}

// A random graph of pure operations, each on two earlier ones. It is built in a random order that respects
// the operands; the order must not show.
class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      nodes_[i] = {random() % 3, random() % (i + leaves), random() % (i + leaves)};
  }

  std::string text(unsigned order_seed) const {
    return printed([&](TestKernel& k) {
      std::vector<Value> values(leaves + nodes_.size());
      values[0] = k.count;
      values[1] = k.b.workitem_id();
      values[2] = k.b.i32(17);
      std::vector<std::size_t> order(nodes_.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), std::mt19937(order_seed));
      const std::function<void(std::size_t)> make = [&](std::size_t i) {
        const auto [kind, a, b] = nodes_[i];
        if (values[leaves + i].valid()) return;
        if (a >= leaves) make(a - leaves);
        if (b >= leaves) make(b - leaves);
        constexpr std::array kinds{OpKind::add, OpKind::mul, OpKind::xor_};
        values[leaves + i] = k.b.binary(kinds.at(kind), values[a], values[b]);
      };
      for (std::size_t i : order) make(i);
      // Only some are used; which ones does not depend on the order.
      for (std::size_t i = 3; i < nodes_.size(); i += 7) store(k, values[leaves + i]);
    });
  }

 private:
  static constexpr std::size_t leaves = 3;
  struct Node {
    std::size_t kind, a, b;
  };
  std::array<Node, 40> nodes_{};
};

TEST_CASE("canonical order: any order of building a graph of pure operations prints the same kernel") {
  for (unsigned graph = 0; graph < 20; ++graph) {
    const RandomGraph random(graph);
    const std::string first = random.text(0);
    for (unsigned order = 1; order < 6; ++order) CHECK(random.text(order) == first);
  }
}

// A kernel with a loop and an if in it; `dead` adds operations at five places.
void kernel_with_places_for_dead_ops(TestKernel& k, const std::function<void(Value, Value)>& dead) {
  Builder& b = k.b;
  const Operands o(k);
  dead(o.lane, o.f32_lane);
  const std::array carried{Carried{"acc", o.f32_lane}};
  const auto accs =
      b.for_loop(b.i32(0), k.count, b.i32(1), "i", carried, [&](Value i, std::span<const Value> acc) {
        dead(i, acc[0]);
        const Value next = acc[0] * k.x;
        const std::array otherwise{next};
        auto result = b.if_then(o.lane < i, otherwise, [&] {
          dead(i, next);
          const Value sum = b.exp2(next);
          dead(i, sum);
          return std::vector{sum + k.x};
        });
        return result;
      });
  dead(o.lane, accs[0]);
  b.buffer_store(accs[0], o.out, o.lane);
}

TEST_CASE("canonical order: a dead operation does not move one byte, wherever it stands") {
  const auto kernel = [](const std::function<void(Builder&, Value, Value)>& dead) {
    return printed([&](TestKernel& k) {
      kernel_with_places_for_dead_ops(k, [&](Value i, Value f) { dead(k.b, i, f); });
    });
  };
  const std::string without = kernel([](Builder&, Value, Value) {});
  // Names that live values have too, so that a name given before the drop would show.
  CHECK(kernel([](Builder& b, Value i, Value) { b.binary(OpKind::add, i, i, "acc"); }) == without);
  CHECK(kernel([](Builder&, Value i, Value) { (i + 1) * i; }) == without);
  CHECK(kernel([](Builder& b, Value, Value f) { b.log2(b.exp2(f) + f); }) == without);
  CHECK(kernel([](Builder& b, Value i, Value) { b.ptr_offset(b.lds_address(128), i + b.workitem_id()); }) ==
        without);
  CHECK(kernel([](Builder& b, Value, Value f) {
          const Value ab = b.bitcast(b.splat(f, 4), f16.vector(8));
          b.mfma_32x32x16(ab, ab, b.splat(f, 16));
        }) == without);
}

TEST_CASE("canonical order: a use of the dead operation does move it, so the comparison can fail") {
  const auto kernel = [](bool used) {
    return printed([&](TestKernel& k) {
      kernel_with_places_for_dead_ops(k, [&](Value i, Value) {
        const Value sum = i + 1;
        if (used) k.keep(sum);
      });
    });
  };
  CHECK(kernel(false) != kernel(true));
}

TEST_CASE("canonical order: pure operations stay in the region they were made in") {
  TestKernel k;
  Builder& b = k.b;
  const Operands o(k);
  const Value outside = k.count + 3;  // used in the loop only
  Value inside, in_branch;
  b.for_loop(b.i32(0), k.count, b.i32(1), "i", {}, [&](Value i, std::span<const Value>) {
    inside = k.count * 5;  // does not depend on the loop
    b.if_then(o.lane < i, {}, [&] {
      in_branch = k.count & 12;
      b.buffer_store(in_branch + outside, o.out, inside);
      return std::vector<Value>{};
    });
    return std::vector<Value>{};
  });
  const FinishedKernel finished = k.finish();
  for (const Value& value : {outside, inside, in_branch}) CHECK(position(value.producer()) >= 0);
  CHECK(outside.producer()->parent == &finished->body());
  CHECK(inside.producer()->parent->parent->kind == OpKind::for_);
  CHECK(in_branch.producer()->parent->parent->kind == OpKind::if_);
}

TEST_CASE("canonical order: a pure operation stands directly before what first needs it") {
  TestKernel k;
  Builder& b = k.b;
  const Operands o(k);
  const Value offset = k.count + 64;
  b.barrier();
  b.buffer_store(o.i32x4, o.out, o.lane);
  b.barrier();
  b.buffer_store(o.i32x4, o.out, offset);
  const FinishedKernel finished = k.finish();
  const auto& ops = finished->body().ops;
  REQUIRE(ops.size() >= 2);
  CHECK(ops.back()->kind == OpKind::buffer_store);
  CHECK(ops[ops.size() - 2] == offset.producer());
}

TEST_CASE("canonical order: what keeps order is not reordered by who needs its result first") {
  TestKernel k;
  Builder& b = k.b;
  const Operands o(k);
  const Value first = b.exp2(o.f32_lane);
  const Value loaded = b.lds_load(o.lds_at, f32, 4, AliasScope::lds_read);
  b.set_priority(1);
  const Value acc = b.mfma_32x32x16(o.bf16x8, o.bf16x8, o.f32x16);
  const Value second = b.log2(loaded);
  const Value lane = b.readfirstlane(o.lane);
  b.buffer_store(b.extract(acc, 0) + second, o.out, lane);  // uses the later ones first
  b.buffer_store(first, o.out, o.lane);
  const FinishedKernel finished = k.finish();
  int last = -1;
  for (const Value& value : {first, loaded, acc, second, lane}) {
    CHECK(position(value.producer()) > last);
    last = position(value.producer());
  }
}

}  // namespace
}  // namespace wavesmith::ir::testing
