// The LDS layouts on the device: what each lane of each copy instruction writes, and what each read of K and
// V addresses, is what the host's offset() says. First on the functions alone, evaluated on values bound to
// their inputs; then in the kernels, through the machine.
#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/emit.h"
#include "tests/generator/machine_launch.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

// Evaluates a scalar integer value for given inputs.
class Evaluation {
 public:
  std::map<const ir::ValueData*, std::uint64_t> inputs;

  [[nodiscard]] unsigned operator()(ir::Value value) const { return static_cast<unsigned>(bits(value)); }

 private:
  [[nodiscard]] std::uint64_t bits(ir::Value value) const {
    if (value.is_constant()) return value.constant_bits();
    if (const auto input = inputs.find(value.data()); input != inputs.end()) return input->second;
    const ir::Op& op = *value.producer();
    return test::integer_binary(op.kind, value.type(), bits(op.operands.at(0)), bits(op.operands.at(1)));
  }
};

TEST_CASE("layout_device: a copy writes each element where readers look for it, and no pad") {
  for (unsigned head_size : {64U, 128U})
    for (unsigned block_n : {32U, 64U, 128U})
      for (unsigned waves : {4U, 8U})
        for (unsigned dma_width : {4U, 16U})
          for (unsigned pad : {0U, 8U, 32U}) {
            const auto made = Layout::make({head_size, block_n, pad, dma_width, waves}, "k");
            if (!made) {
              // The one geometry among these whose waves cannot share the groups.
              CHECK((head_size == 64 && block_n == 32 && waves == 8 && dma_width == 16));
              continue;
            }
            const Layout& layout = *made;
            CAPTURE(layout.text(), block_n, waves, dma_width);
            ir::Kernel kernel("layout", {});
            ir::Builder b(kernel);
            const ir::Value wave = b.parameter(ir::i32, "wave", ""), lane = b.parameter(ir::i32, "lane", "");
            const ir::Value row_value = layout.dma_row(b, wave, lane),
                            column_value = layout.dma_column_bytes(b, lane);
            const ir::Value offset_value = layout.dma_offset(b, wave);
            std::set<unsigned> written;
            bool every_lane_right = true;
            for (unsigned w = 0; w < waves; ++w)
              for (unsigned l = 0; l < 64; ++l) {
                const Evaluation evaluate{{{wave.data(), w}, {lane.data(), l}}};
                for (unsigned i = 0; i < layout.groups_per_wave(); ++i) {
                  const unsigned row = evaluate(row_value) + i * layout.rows_per_group();
                  const unsigned column = evaluate(column_value) / 2;
                  // The hardware writes in lane order from a base that all lanes share.
                  const unsigned byte = evaluate(offset_value) + i * layout.group_bytes() + l * dma_width;
                  every_lane_right = every_lane_right && row < block_n && column < head_size &&
                                     byte == layout.offset(row, column);
                  for (unsigned e = 0; e < dma_width; ++e)
                    every_lane_right = written.insert(byte + e).second && every_lane_right;
                }
              }
            CHECK(every_lane_right);
            CHECK(written.size() == std::size_t{block_n} * head_size * 2);
          }
}

TEST_CASE("layout_device: row offsets are the host's") {
  for (unsigned head_size : {64U, 128U})
    for (unsigned pad : {0U, 8U, 24U}) {
      const auto layout = Layout::make({head_size, 64, pad, 4, 8}, "v");
      REQUIRE(layout);
      ir::Kernel kernel("layout", {});
      ir::Builder b(kernel);
      const ir::Value row = b.parameter(ir::i32, "row", "");
      const ir::Value offset = layout->row_offset(b, row);
      for (unsigned r = 0; r < 64; ++r) CHECK(Evaluation{{{row.data(), r}}}(offset) == layout->offset(r, 0));
    }
}

// One workgroup of a kernel on tensors whose row r of head 0 starts at a known address.
struct Observed {
  Plan plan;
  Shapes shapes;
  test::IrMachine machine;

  explicit Observed(Plan p, const ir::Kernel& kernel) : plan(std::move(p)), machine(kernel) {
    shapes.seqlen_q = 256;
    shapes.seqlen_kv = 300;
    shapes.q = shapes.o = bshd(shapes.seqlen_q, 1, plan.spec.head_size);
    shapes.k = shapes.v = bshd(shapes.seqlen_kv, 1, plan.spec.head_size);
  }
  void run() {
    for (const char* name : {"q", "k", "v", "o"})
      machine.tensor(name, 300 * static_cast<std::size_t>(plan.spec.head_size));
    test::bind_launch(machine, plan, shapes);
    machine.run_workgroup({0, 0, 0});
  }
};

TEST_CASE("layout_device: the kernel copies each row of K and V to its place in the tile's buffer") {
  for (unsigned head_size : {64U, 128U})
    for (int pad : {0, 8, 24}) {
      Spec spec = test::spec(static_cast<int>(head_size), 1, 1, DType::bf16, Mask::full);
      spec.lds_k_group_pad = spec.lds_k_row_pad = spec.lds_v_group_pad = spec.lds_v_row_pad = pad;
      const Plan plan = test::resolved(spec);
      const auto kernel = build(plan);
      REQUIRE(kernel);
      Observed observed(plan, **kernel);
      std::map<std::uint64_t, unsigned> copies;  // of each element pair
      std::size_t misplaced = 0, uncovered = 0;
      observed.machine.on_copy = [&](const ir::Op&, const test::IrMachine::Copy& copy) {
        if (copy.from == 0) {
          ++uncovered;
          return;
        }
        ++copies[copy.from];
        const bool is_k = copy.from < observed.machine.address("v");
        const std::uint64_t element = (copy.from - observed.machine.address(is_k ? "k" : "v")) / 2;
        const auto token = static_cast<unsigned>(element / head_size);
        const auto column = static_cast<unsigned>(element % head_size);
        const Layout& layout = is_k ? plan.k_layout : plan.v_layout;
        // K first, then V; tiles alternate between the two buffers.
        const unsigned base = is_k ? plan.k_base : plan.v_base;
        const unsigned expected =
            base + token / 64 % 2 * layout.tile_bytes() + layout.offset(token % 64, column);
        misplaced += copy.to != expected;
      };
      observed.run();
      CHECK(misplaced == 0);
      CHECK(observed.machine.findings.empty());
      // Each pair of elements of 300 rows of K and V once; the rest of five tiles, and a sixth, is not there.
      CHECK(copies.size() == 2 * 300 * head_size / 2);
      for (const auto& [address, times] : copies) REQUIRE(times == 1);
      CHECK(uncovered == 2 * (6 * 64 - 300) * head_size / 2);
    }
}

TEST_CASE("layout_device: the kernel reads where the layout's tables of lane addresses say") {
  for (unsigned head_size : {64U, 128U}) {
    const Plan plan = test::resolved(test::spec(static_cast<int>(head_size), 1, 1, DType::bf16, Mask::full));
    const auto kernel = build(plan);
    REQUIRE(kernel);
    Observed observed(plan, **kernel);
    // The reads of one wave, instruction after instruction.
    std::vector<LaneAddresses> k, v;
    observed.machine.on_lds_read = [&](const ir::Op& op, const test::IrMachine::Read& read) {
      auto& reads = op.kind == ir::OpKind::lds_load ? k : v;
      if (read.item == 0) reads.emplace_back();
      if (read.item < 64) reads.back()[read.item] = read.at;
      // All waves read the whole tile.
      REQUIRE(read.at == reads.back()[read.item % 64]);
    };
    observed.run();
    std::vector<LaneAddresses> expected_k, expected_v;
    const auto shifted = [](LaneAddresses lanes, unsigned by) {
      for (unsigned& address : lanes) address += by;
      return lanes;
    };
    for (unsigned tile = 0; tile < 5; ++tile) {
      for (unsigned sub_tile = 0; sub_tile < 2; ++sub_tile)
        for (unsigned k_step = 0; k_step < head_size / 16; ++k_step)
          expected_k.push_back(shifted(k_read_addresses(plan.k_layout, sub_tile, k_step),
                                       plan.k_base + tile % 2 * plan.k_layout.tile_bytes()));
      for (unsigned key_step = 0; key_step < 4; ++key_step)
        for (unsigned d_tile = 0; d_tile < head_size / 32; ++d_tile)
          for (unsigned half = 0; half < 2; ++half)
            expected_v.push_back(shifted(v_read_addresses(plan.v_layout, d_tile, key_step, half),
                                         plan.v_base + tile % 2 * plan.v_layout.tile_bytes()));
    }
    CHECK(k == expected_k);
    CHECK(v == expected_v);
  }
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
