// Wait counts follow from the copies that are really issued: replayed in the machine, every wait lets all
// that is read next arrive, and none could leave one copy more in flight.
#include <algorithm>
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/emit.h"
#include "tests/generator/machine_launch.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

// Operations of one kind in a region and all regions inside it.
std::vector<const ir::Op*> find(const ir::Region& region, ir::OpKind kind) {
  std::vector<const ir::Op*> found;
  for (const ir::Op* op : region.ops) {
    if (op->kind == kind) found.push_back(op);
    for (const ir::Region* inner : op->regions)
      for (const ir::Op* deeper : find(*inner, kind)) found.push_back(deeper);
  }
  return found;
}

// Waits for copies, in the order of the code: before the first QK, in each of the two loops, before the last
// PV.
std::vector<const ir::Op*> copy_waits(const ir::Kernel& kernel) {
  std::vector<const ir::Op*> waits;
  for (const ir::Op* op : find(kernel.body(), ir::OpKind::waitcnt))
    if (op->attr(ir::Attr::vmcnt)) waits.push_back(op);
  return waits;
}

// What the machine finds in one workgroup that goes through both loops; `relaxed` may leave one copy more.
std::string replay(const Plan& plan, const ir::Kernel& kernel, std::int64_t seqlen_kv,
                   const ir::Op* relaxed) {
  test::IrMachine machine(kernel);
  machine.relax(relaxed);
  Shapes shapes;
  shapes.seqlen_q = 40;
  shapes.seqlen_kv = seqlen_kv;
  const std::int64_t head_size = plan.spec.head_size;
  shapes.q = shapes.o = bshd(shapes.seqlen_q, 1, head_size);
  shapes.k = shapes.v = bshd(seqlen_kv, 1, head_size);
  for (const char* name : {"q", "o"}) machine.tensor(name, static_cast<std::size_t>(40 * head_size));
  for (const char* name : {"k", "v"}) machine.tensor(name, static_cast<std::size_t>(seqlen_kv * head_size));
  test::bind_launch(machine, plan, shapes);
  machine.run_workgroup({0, 0, 0});
  return fmt::format("{}", fmt::join(machine.findings, "; "));
}

TEST_CASE("wait_counts: a wave issues its share of a tile, and the counts are sums of those") {
  for (int head_size : {64, 128})
    for (int pad : {0, 8, 32}) {
      Spec spec = test::spec(head_size, 1, 1);
      spec.lds_k_group_pad = spec.lds_v_row_pad = pad;
      const Plan plan = test::resolved(spec);
      const auto kernel = build(plan);
      REQUIRE(kernel);
      // 64 rows of 2 * head_size bytes; an instruction moves 256 bytes, and eight waves share them.
      const unsigned copies = 64 * 2 * static_cast<unsigned>(head_size) / (256 * 8);
      CHECK(plan.k_dma == copies);
      CHECK(plan.v_dma == copies);
      std::map<std::string, unsigned> prologue, loop;
      const auto count = [&](const ir::Region& region, std::map<std::string, unsigned>& counts) {
        for (const ir::Op* op : region.ops)
          if (op->kind == ir::OpKind::buffer_load_lds) ++counts[(**kernel).steps[op->step]];
      };
      count((**kernel).body(), prologue);
      CHECK(prologue == std::map<std::string, unsigned>{{"dma_k", 2 * copies}, {"dma_v", 2 * copies}});
      const std::vector<const ir::Op*> loops = find((**kernel).body(), ir::OpKind::for_);
      REQUIRE(loops.size() == 2);
      for (const ir::Op* tiles : loops) {
        loop.clear();
        count(*tiles->regions.front(), loop);
        CHECK(loop == std::map<std::string, unsigned>{{"dma_k", copies}, {"dma_v", copies}});
      }
      std::vector<std::int64_t> counts;
      for (const ir::Op* wait : copy_waits(**kernel)) counts.push_back(*wait->attr(ir::Attr::vmcnt));
      // K(0) | V(0) K(1);  K(j) V(j - 1) | V(j);  all.
      CHECK(counts == std::vector<std::int64_t>{2 * copies, copies, copies, 0});
      CHECK(plan.wait_first_k == 2 * copies);
      CHECK(plan.wait_loop == copies);
      CHECK(plan.wait_last == 0);
    }
}

TEST_CASE("wait_counts: with them everything has arrived that is read, for every number of tiles") {
  for (int head_size : {64, 128})
    for (Mask mask : {Mask::full, Mask::causal}) {
      const Plan plan = test::resolved(test::spec(head_size, 1, 1, DType::bf16, mask));
      const auto kernel = build(plan);
      REQUIRE(kernel);
      for (std::int64_t seqlen_kv : {0, 1, 64, 65, 128, 192, 200, 320}) {
        CAPTURE(head_size, seqlen_kv);
        CHECK(replay(plan, **kernel, seqlen_kv, nullptr).empty());
      }
    }
}

TEST_CASE("wait_counts: follow from the geometry, and suffice in each") {
  for (Spec spec : test::all_geometries()) {
    INFO(test::name_of(spec));
    spec.num_query_heads = spec.num_kv_heads = 1;
    spec.mask = Mask::full;
    const Plan plan = test::resolved(spec);
    // block_n rows of 2 * head_size bytes; an instruction moves 256 bytes, and block_m / 32 waves share them.
    const int copies = spec.block_n * 2 * spec.head_size / (256 * (spec.block_m / 32));
    const auto kernel = build(plan);
    REQUIRE(kernel);
    std::vector<std::int64_t> counts;
    for (const ir::Op* wait : copy_waits(**kernel)) counts.push_back(*wait->attr(ir::Attr::vmcnt));
    // The counter has six bits: 32 copies of K and as many of V are one more than it can leave.
    CHECK(counts == std::vector<std::int64_t>{std::min(2 * copies, 63), copies, copies, 0});
    CHECK(replay(plan, **kernel, 4 * spec.block_n - 5, nullptr).empty());
  }
}

TEST_CASE("wait_counts: none is stricter than it must be") {
  for (int head_size : {64, 128}) {
    const Plan plan = test::resolved(test::spec(head_size, 1, 1, DType::bf16, Mask::full));
    const auto kernel = build(plan);
    REQUIRE(kernel);
    const std::vector<const ir::Op*> waits = copy_waits(**kernel);
    REQUIRE(waits.size() == 4);
    // Five tiles: one before the loops, three without and one with mask.
    const std::string read_too_early = "lds_load while a copy to the same place is in flight";
    CHECK(replay(plan, **kernel, 300, waits[0]) == read_too_early);
    CHECK(replay(plan, **kernel, 300, waits[1]) == read_too_early);
    CHECK(replay(plan, **kernel, 300, waits[2]) == read_too_early);
    // The last one is also what keeps a copy from writing into LDS that is no longer this workgroup's.
    CHECK(replay(plan, **kernel, 300, waits[3]) == "copies into LDS are in flight when the kernel ends");
  }
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
