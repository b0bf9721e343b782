// What the tests of the kernel IR share: a kernel with parameters and values of every type to build on, and
// the findings of finish() as a list. every_op.h builds one of each operation on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir_builder/builder.h"
#include "ir_builder/finish.h"

namespace wavesmith::ir::testing {

/// A kernel under construction with 4096 bytes of LDS and one parameter of each kind.
class TestKernel {
 public:
  explicit TestKernel(std::string name = "test_kernel");

  Builder b;
  Value source, target;  ///< global pointers: read only, write only
  Value count;           ///< i32
  Value wide;            ///< i64
  Value x;               ///< f32

  /// An operation of control flow that uses the value, so that it is not dropped.
  void keep(Value value);

  /// finish(): the kernel, which must be valid.
  FinishedKernel finish();
  /// finish(): what the verifier says, one sentence an entry; empty means valid.
  std::vector<std::string> findings();

 private:
  explicit TestKernel(std::unique_ptr<Kernel> kernel);

  std::unique_ptr<Kernel> kernel_;
};

/// Values that depend on the lane, one of each type that operations take; made of loads and pure operations.
struct Operands {
  explicit Operands(TestKernel& kernel);

  Value lane;             ///< i32: the work-item's id
  Value lane_flag, flag;  ///< i1: different from lane to lane, and uniform
  Value i32_lane, i64_lane, f32_lane, bf16_lane;
  Value i32x4, f32x16, bf16x8, f16x8;
  Value in, out;      ///< descriptors of source and target
  Value lds, lds_at;  ///< the pool's begin, and a place in it that depends on the lane
};

/// A fault planted in a kernel, and its nearest valid relative.
struct PlantedFault {
  std::string rule;  ///< what is broken, for the test's output
  std::function<void(TestKernel&)> valid, broken;
  std::vector<std::string> findings;  ///< exactly what the verifier says of `broken`
};
/// The valid kernel has no finding, the broken one exactly those.
void check_rules(const std::vector<PlantedFault>& faults);

/// Some value of this type, the same in all lanes; numbers are the constant 1.
[[nodiscard]] Value some_value(TestKernel& kernel, Type type);

/// The position of an operation among those of its region, or -1 where it was dropped.
[[nodiscard]] int position(const Op* op);

}  // namespace wavesmith::ir::testing
