// finish(): every finding is in one error value, and a faulty kernel never becomes a finished one.
#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

TEST_CASE("finish: all findings of a kernel are reported at once") {
  TestKernel k;
  Builder& b = k.b;
  b.kernel().attributes.workgroup_size = 2048;
  const Operands o(k);
  k.keep(b.binary(OpKind::add, k.count, k.wide, "sum"));
  b.wait_vmcnt(64);
  b.if_then(o.lane_flag, {}, [&] {
    b.barrier();
    return std::vector<Value>{};
  });
  b.buffer_store(o.lane, o.in, o.lane);
  CHECK(k.findings() == std::vector<std::string>{
                            "%sum = add(i32, i64): needs two integers of one type",
                            "waitcnt(): counts vmcnt to 63 and lgkmcnt to 15",
                            "barrier(): stands where lanes of a wave may have parted",
                            "workgroup_size = 2048: 1 to 1024 work-items",
                            "buffer_store: writes through parameter %source, which is readonly",
                        });
}

TEST_CASE(
    "finish: all structural findings are reported at once, and nothing that relies on structure is run") {
  TestKernel k;
  Builder& b = k.b;
  b.append(OpKind::barrier, {}, {}, "")->operands.push_back(k.count);
  b.append(OpKind::set_priority, {}, {}, "");
  b.append(OpKind::yield, {}, {}, "");
  b.wait_vmcnt(64);  // out of range, but found only once the structure is right
  CHECK(k.findings() == std::vector<std::string>{
                            "barrier has 1 operands, 0 are needed",
                            "set_priority lacks attribute priority",
                            "yield stands before the end of its region",
                            "yield ends the kernel's body, which ends by itself",
                        });
}

TEST_CASE("finish: the error names the kernel and is the check's, not the user's") {
  auto kernel = std::make_unique<Kernel>("my_kernel", KernelAttributes{});
  Builder(*kernel).set_priority(9);
  const Expected<FinishedKernel> finished = finish(std::move(kernel));
  REQUIRE_FALSE(finished.has_value());
  CHECK(finished.error().kind == ErrorKind::check_failed);
  CHECK(finished.error().message ==
        "the kernel IR of my_kernel is not valid:\nset_priority(): needs a priority from 0 to 3");
}

TEST_CASE("finish: an empty kernel is valid") {
  CHECK(finish(std::make_unique<Kernel>("empty", KernelAttributes{})).has_value());
}

}  // namespace
}  // namespace wavesmith::ir::testing
