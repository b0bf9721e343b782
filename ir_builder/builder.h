// Builds a kernel's IR so that the code reads like the algorithm: arithmetic through operators, memory and
// lanes through named calls, loops and ifs through lambdas. A Builder is a thin view of a Kernel and may be
// made anywhere.
//
// Operands of one C++ expression may be evaluated in either order. That does not move the output: operations
// that keep no order of their own are placed by canonical order (canonicalize.h). Calls that do keep order
// (loads, stores, MFMA, exp2, lane operations, marks) go in statements of their own.
//
// The builder checks nothing; finish() (finish.h) verifies the whole kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// A loop-carried value: the base of its name, and what it starts from.
struct Carried {
  std::string_view hint;
  Value init;
};

class Builder {
 public:
  explicit Builder(Kernel& kernel) : kernel_(&kernel) {}

  [[nodiscard]] Kernel& kernel() const { return *kernel_; }

  /// \name Parameters and constants
  /// @{
  Value parameter(Type type, std::string_view name, std::string_view meaning, unsigned align = 0,
                  bool writeonly = false);
  /// The number `value` in that type, in a float rounded to nearest even; vectors repeat it.
  Value constant(Type type, std::int64_t value);
  Value constant_f32(float value, unsigned lanes = 1);
  Value i32(std::int64_t value) { return constant(ir::i32, value); }
  Value i64(std::int64_t value) { return constant(ir::i64, value); }
  /// @}

  /// \name Integers
  /// @{
  Value binary(OpKind kind, Value a, Value b, std::string_view hint = {});
  Value smin(Value a, Value b) { return binary(OpKind::smin, a, b); }
  Value smax(Value a, Value b) { return binary(OpKind::smax, a, b); }
  Value udiv(Value a, Value b) { return binary(OpKind::udiv, a, b); }
  Value urem(Value a, Value b) { return binary(OpKind::urem, a, b); }
  Value compare(Predicate predicate, Value a, Value b);
  Value select(Value condition, Value if_true, Value if_false);
  /// @}

  /// \name Floating point
  /// @{
  Value fma(Value a, Value b, Value c);  ///< one rounding
  Value fneg(Value a);
  Value fmax(Value a, Value b);  ///< the number where one operand is NaN
  Value exp2(Value a);           ///< v_exp_f32: no range fix-up, denormals flushed, at most 1 ULP off
  Value log2(Value a);           ///< v_log_f32
  Value rcp(Value a);            ///< v_rcp_f32: at most 1 ULP off
  /// @}

  /// \name Conversions
  /// @{
  Value convert(OpKind kind, Value a, Type to);
  Value zext(Value a, Type to) { return convert(OpKind::zext, a, to); }
  Value sext(Value a, Type to) { return convert(OpKind::sext, a, to); }
  Value fptrunc(Value a, Type to) { return convert(OpKind::fptrunc, a, to); }
  Value bitcast(Value a, Type to) { return convert(OpKind::bitcast, a, to); }
  /// @}

  /// \name Vectors
  /// @{
  Value extract(Value vector, unsigned lane);
  Value build(std::span<const Value> elements);
  Value concat(Value low, Value high);
  Value slice(Value vector, unsigned first, unsigned lanes);
  Value splat(Value scalar, unsigned lanes);
  /// @}

  /// \name Position and lanes
  /// @{
  Value workitem_id();                ///< i32, flat index in the workgroup
  Value workgroup_id(unsigned axis);  ///< i32, 0 = x, 1 = y, 2 = z
  /// A parameter's value, read from the argument block where it is used: until then no register holds it.
  /// `zero` is an i32 that is 0 without LLVM knowing; a read cannot move out of the region that makes it.
  Value load_argument(Value parameter, Value zero);
  Value readfirstlane(Value a,
                      std::string_view hint = {});  ///< i32; makes a value uniform that already is in fact
  Value any_lane(Value condition);                  ///< i1, uniform: true in some active lane
  /// v_permlane32_swap: exchanges lanes 0-31 of `b` with lanes 32-63 of `a`; returns both (any 32-bit type).
  std::pair<Value, Value> permlane32_swap(Value a, Value b);
  /// @}

  /// D = A * B + C on v_mfma_f32_32x32x16_{bf16,f16}: a, b are 8 elements a lane, c and the result 16 floats.
  Value mfma_32x32x16(Value a, Value b, Value c);

  /// \name Memory
  /// @{
  Value ptr_offset(Value pointer, Value bytes);  ///< bytes: i32 for LDS, i64 for global
  Value lds_address(unsigned bytes);             ///< into the workgroup's LDS pool
  /// Raw buffer descriptor over `bytes` (i32, unsigned) from `base`; accesses past them read 0 or are
  /// dropped.
  Value make_buffer_resource(Value base, Value bytes);
  /// An i32 from global memory that nothing writes while the kernel runs. A scalar load where the address is
  /// uniform, on lgkmcnt.
  Value load_constant(Value pointer, std::string_view hint);
  Value buffer_load(Value resource, Value byte_offset, Type type);
  void buffer_store(Value data, Value resource, Value byte_offset);
  /// Asynchronous copy, `bytes` a lane, to LDS base + lane * bytes; the base must be uniform. Counts on
  /// vmcnt.
  void buffer_load_lds(Value resource, Value byte_offset, Value lds_base, unsigned bytes, AliasScope scope);
  Value lds_load(Value address, Type type, unsigned align, AliasScope scope);
  Value lds_read_tr16(Value address, Type type, AliasScope scope);  ///< ds_read_b64_tr_b16: 4 elements a lane
  /// @}

  /// \name Order in time
  /// @{
  void wait_vmcnt(unsigned outstanding);
  void wait_lgkmcnt(unsigned outstanding);
  void barrier();
  void sched_barrier(std::int64_t mask);
  void sched_group_barrier(std::int64_t mask, unsigned size, unsigned group);
  void set_priority(unsigned priority);
  /// @}

  /// \name Structured control flow
  /// @{
  using LoopBody = std::function<std::vector<Value>(Value induction, std::span<const Value> carried)>;
  /// for (induction = lower; induction < upper; induction += step), signed; the body returns the next carried
  /// values.
  std::vector<Value> for_loop(Value lower, Value upper, Value step, std::string_view induction_hint,
                              std::span<const Carried> carried, const LoopBody& body);

  using Branch = std::function<std::vector<Value>()>;
  /// Results: what `then` returns where the condition holds, else `otherwise`.
  std::vector<Value> if_then(Value condition, std::span<const Value> otherwise, const Branch& then);
  void return_if(Value condition);
  /// @}

  /// Names the step of the Plan that the operations built until the end of the scope belong to.
  class Step {
   public:
    Step(const Builder& builder, std::string_view name);
    ~Step() { kernel_.step = previous_; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Kernel& kernel_;
    std::uint16_t previous_;
  };

  /// The general way in, for every operation: appends one with `result_types` results.
  Op* append(OpKind kind, std::span<const Value> operands, std::span<const Type> result_types,
             std::string_view hint, std::initializer_list<std::pair<Attr, std::int64_t>> attrs = {});

 private:
  Value one(OpKind kind, std::initializer_list<Value> operands, Type type, std::string_view hint,
            std::initializer_list<std::pair<Attr, std::int64_t>> attrs = {});

  Kernel* kernel_;
};

/// \name Arithmetic on values of one type; an integer operand stands for a constant of the other's type
/// @{
Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator&(Value a, Value b);
Value operator|(Value a, Value b);
Value operator+(Value a, std::int64_t b);
Value operator-(Value a, std::int64_t b);
Value operator-(std::int64_t a, Value b);
Value operator*(Value a, std::int64_t b);
Value operator&(Value a, std::int64_t b);
Value operator<<(Value a, unsigned bits);
Value operator>>(Value a, unsigned bits);  ///< logical
Value operator<(Value a, Value b);         ///< signed integers; floats: false on NaN
Value operator<=(Value a, Value b);
Value operator>(Value a, Value b);
Value operator>=(Value a, Value b);
/// @}

}  // namespace wavesmith::ir
