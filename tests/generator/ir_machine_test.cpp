// The machine itself: its numbers are the oracle's, and it finds the faults it is there for in small kernels
// that have them.
#include "tests/generator/ir_machine.h"

#include <cmath>
#include <memory>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir_builder/builder.h"
#include "ir_builder/finish.h"
#include "simulator/oracle/attention.h"

namespace wavesmith::test {
namespace {

using oracle::ElementType;

TEST_CASE("ir_machine: element types are converted as the oracle does") {
  for (const auto& [type, element] : {std::pair{ir::bf16, ElementType::bf16}, {ir::f16, ElementType::fp16}}) {
    std::size_t different = 0;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const float here = to_float(type, bits),
                  there = oracle::widen(element, static_cast<std::uint16_t>(bits));
      different += !(here == there || (std::isnan(here) && std::isnan(there)));
      if (!std::isnan(here)) different += from_float(type, here) != bits;
    }
    std::mt19937 random(3);
    for (int i = 0; i < 200000; ++i) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (!std::isnan(value))
        different += from_float(type, value) != oracle::round_to(element, static_cast<double>(value));
    }
    CHECK(different == 0);
  }
}

// A kernel of two waves that copies 256 bytes a wave to LDS and reads them back, with the given marks in
// between.
using Marks = std::function<void(ir::Builder&)>;
std::string findings(unsigned read_at, bool other_wave, const Marks& before_read, const Marks& at_end = {},
                     unsigned covered_bytes = 512, std::size_t elements = 256) {
  auto kernel = std::make_unique<ir::Kernel>("small", ir::KernelAttributes{.workgroup_size = 128});
  kernel->set_lds_bytes(1024);
  ir::Builder b(*kernel);
  const ir::Value in = b.parameter(ir::global_ptr, "in", "", 16),
                  out = b.parameter(ir::global_ptr, "out", "", 16, true);
  const ir::Value tid = b.workitem_id();
  const ir::Value wave = b.readfirstlane(tid >> 6);
  const ir::Value from = b.make_buffer_resource(in, b.i32(covered_bytes));
  const ir::Value base = b.ptr_offset(b.lds_address(0), wave * 256);
  b.buffer_load_lds(from, tid * 4, base, 4, ir::AliasScope::dma_write);
  before_read(b);
  const ir::Value reader = other_wave ? b.binary(ir::OpKind::xor_, tid, b.i32(64)) : tid;
  const ir::Value at = b.ptr_offset(b.lds_address(read_at), (reader & ~3) * 4);
  const ir::Value read = b.lds_load(at, ir::bf16.vector(8), 16, ir::AliasScope::lds_read);
  if (at_end) {
    at_end(b);
    b.buffer_load_lds(from, tid * 4, base, 4, ir::AliasScope::dma_write);
    b.wait_vmcnt(0);
  }
  b.buffer_store(b.bitcast(read, ir::i32.vector(4)), b.make_buffer_resource(out, b.i32(2048)), tid * 16);
  const auto finished = ir::finish(std::move(kernel));
  REQUIRE(finished);
  IrMachine machine(**finished);
  machine.tensor("in", elements);
  machine.tensor("out", 1024);
  machine.run_workgroup({0, 0, 0});
  return fmt::format("{}", fmt::join(machine.findings, "; "));
}

TEST_CASE("ir_machine: faults in the order of copies and reads are found") {
  const Marks nothing = [](ir::Builder&) {};
  const Marks wait = [](ir::Builder& b) { b.wait_vmcnt(0); };
  const Marks wait_and_barrier = [](ir::Builder& b) {
    b.wait_vmcnt(0);
    b.barrier();
  };
  CHECK(findings(0, false, wait).empty());
  CHECK(findings(0, true, wait_and_barrier).empty());
  CHECK(findings(0, true, wait) == "lds_load of another wave's copy without a barrier between");
  CHECK(findings(0, false, nothing).contains("lds_load while a copy to the same place is in flight"));
  CHECK(findings(0, false, nothing).contains("copies into LDS are in flight when the kernel ends"));
  CHECK(findings(512, false, wait) == "lds_load of LDS that nothing has written");
  // 64 bytes beyond: work-items from 100 on read past what two waves have copied, within the pool.
  CHECK(findings(64, false, wait_and_barrier).contains("lds_load of LDS that nothing has written"));
  CHECK(findings(520, false, wait).contains("multiple of 16"));
  CHECK(findings(768, false, wait).contains("past the end of LDS"));
}

TEST_CASE("ir_machine: a copy over what may still be read is found") {
  const Marks wait_and_barrier = [](ir::Builder& b) {
    b.wait_vmcnt(0);
    b.barrier();
  };
  const Marks barrier = [](ir::Builder& b) { b.barrier(); };
  const Marks drained_barrier = [](ir::Builder& b) {
    b.wait_lgkmcnt(0);
    b.barrier();
  };
  const std::string over = "copy over LDS that a wave may still read";
  CHECK(findings(0, true, wait_and_barrier, drained_barrier).empty());
  CHECK(findings(0, true, wait_and_barrier, barrier) == over);
  CHECK(findings(0, true, wait_and_barrier, [](ir::Builder& b) { b.wait_lgkmcnt(0); }) == over);
}

TEST_CASE("ir_machine: accesses outside tensors are found, those that a descriptor cuts off are none") {
  const Marks wait = [](ir::Builder& b) { b.wait_vmcnt(0); };
  // Half of the work-items ask for what lies behind a tensor of 128 elements.
  CHECK(findings(0, false, wait, {}, 256, 128).empty());
  CHECK(findings(0, false, wait, {}, 260, 128) == "copy at an address outside all tensors");
}

}  // namespace
}  // namespace wavesmith::test
