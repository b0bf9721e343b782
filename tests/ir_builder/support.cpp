// The kernels that the tests build on.
#include "tests/ir_builder/support.h"

#include <algorithm>
#include <array>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

namespace wavesmith::ir::testing {

TestKernel::TestKernel(std::string name)
    : TestKernel(std::make_unique<Kernel>(std::move(name),
                                          KernelAttributes{.workgroup_size = 256, .waves_per_eu = 2})) {}

TestKernel::TestKernel(std::unique_ptr<Kernel> kernel)
    : b(*kernel),
      source(b.parameter(global_ptr, "source", "what is read", 16)),
      target(b.parameter(global_ptr, "target", "what is written", 16, true)),
      count(b.parameter(i32, "count", "bytes of both")),
      wide(b.parameter(i64, "wide", "a 64-bit number")),
      x(b.parameter(f32, "x", "a factor")),
      kernel_(std::move(kernel)) {
  kernel_->set_lds_bytes(4096);
}

void TestKernel::keep(Value value) {
  const std::array kept{value};
  b.if_then(b.constant(i1, 1), kept, [&] { return std::vector{value}; });
}

FinishedKernel TestKernel::finish() {
  Expected<FinishedKernel> finished = ir::finish(std::move(kernel_));
  INFO((finished ? std::string() : finished.error().message));
  REQUIRE(finished.has_value());
  return std::move(*finished);
}

std::vector<std::string> TestKernel::findings() {
  const Expected<FinishedKernel> finished = ir::finish(std::move(kernel_));
  if (finished) return {};
  CHECK(finished.error().kind == ErrorKind::check_failed);
  std::istringstream lines(finished.error().message);
  std::vector<std::string> findings;
  std::string line;
  std::getline(lines, line);  // the heading
  CHECK(line == "the kernel IR of test_kernel is not valid:");
  while (std::getline(lines, line)) findings.push_back(line);
  return findings;
}

Operands::Operands(TestKernel& kernel) {
  Builder& b = kernel.b;
  lane = b.workitem_id();
  lane_flag = lane < kernel.count;
  flag = kernel.count < b.i32(7);
  i64_lane = b.zext(lane, i64);
  in = b.make_buffer_resource(kernel.source, kernel.count);
  out = b.make_buffer_resource(kernel.target, kernel.count);
  const Value offset = lane << 4;
  i32x4 = b.buffer_load(in, offset, i32.vector(4));
  i32_lane = b.extract(i32x4, 0);
  bf16x8 = b.bitcast(i32x4, bf16.vector(8));
  f16x8 = b.bitcast(i32x4, f16.vector(8));
  f32_lane = b.buffer_load(in, offset, f32);
  bf16_lane = b.extract(bf16x8, 1);
  f32x16 = b.splat(f32_lane, 16);
  lds = b.lds_address(0);
  lds_at = b.ptr_offset(lds, offset);
}

void check_rules(const std::vector<PlantedFault>& faults) {
  for (const PlantedFault& fault : faults) {
    CAPTURE(fault.rule);
    TestKernel valid;
    fault.valid(valid);
    CHECK(valid.findings() == std::vector<std::string>{});
    TestKernel broken;
    fault.broken(broken);
    CHECK(broken.findings() == fault.findings);
  }
}

Value some_value(TestKernel& kernel, Type type) {
  if (type == global_ptr) return kernel.source;
  if (type == lds_ptr) return kernel.b.lds_address(0);
  if (type == buffer_resource) return kernel.b.make_buffer_resource(kernel.source, kernel.count);
  REQUIRE((type.is_integer() || type.is_float()));
  return kernel.b.constant(type, 1);
}

int position(const Op* op) {
  const auto& ops = op->parent->ops;
  const auto found = std::ranges::find(ops, op);
  return found == ops.end() ? -1 : static_cast<int>(found - ops.begin());
}

}  // namespace wavesmith::ir::testing
