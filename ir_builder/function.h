// A kernel in IR form: parameters, a tree of regions, and the operations and values in them. Built through
// builder.h, checked and put in canonical order by finish() (finish.h), printed by printer.h, lowered by
// lowering/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir_builder/op_table.h"
#include "ir_builder/type.h"

namespace wavesmith::ir {

struct Op;
struct Region;
class Kernel;

/// What a Value handle points to. A value is a parameter, a constant, a region argument, or an operation's
/// result.
struct ValueData {
  Type type;
  Kernel* kernel = nullptr;
  std::string hint;                       ///< base of the name
  std::string name;                       ///< unique name without sigil; assigned by finish()
  Op* producer = nullptr;                 ///< the operation whose result this is, if any
  Region* region = nullptr;               ///< the region whose argument this is, if any
  std::optional<std::uint64_t> constant;  ///< bits of one element; a vector constant repeats it
  Extent extent = Extent::lane;           ///< how far it is the same; computed by finish()
};

/// A handle to a value; copied freely, compared by identity.
class Value {
 public:
  Value() = default;
  explicit Value(ValueData* data) : data_(data) {}

  [[nodiscard]] Type type() const { return data_->type; }
  [[nodiscard]] Kernel& kernel() const { return *data_->kernel; }
  [[nodiscard]] const std::string& name() const { return data_->name; }
  [[nodiscard]] Op* producer() const { return data_->producer; }
  [[nodiscard]] bool is_constant() const { return data_->constant.has_value(); }
  [[nodiscard]] std::uint64_t constant_bits() const { return *data_->constant; }
  [[nodiscard]] Extent extent() const { return data_->extent; }
  [[nodiscard]] bool is_uniform() const { return extent() >= Extent::wave; }
  [[nodiscard]] ValueData* data() const { return data_; }
  explicit operator bool() const = delete;  ///< a device value is no host condition
  [[nodiscard]] bool valid() const { return data_ != nullptr; }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  ValueData* data_ = nullptr;
};

/// A list of operations with arguments of its own: the body of a kernel, of a loop, or a side of an if.
struct Region {
  Op* parent = nullptr;  ///< null for the kernel's body
  std::vector<Value> arguments;
  std::vector<Op*> ops;
};

struct Op {
  OpKind kind;
  std::vector<Value> operands;
  std::vector<Value> results;
  std::vector<std::pair<Attr, std::int64_t>> attrs;
  std::vector<Region*> regions;
  Region* parent = nullptr;
  std::uint16_t step = 0;  ///< index into Kernel::steps: which step of the Plan this belongs to

  [[nodiscard]] std::optional<std::int64_t> attr(Attr key) const {
    for (const auto& [name, value] : attrs)
      if (name == key) return value;
    return std::nullopt;
  }
};

/// How f32 denormals are treated by vector instructions; MFMA has its own rules.
enum class DenormalMode : std::uint8_t { keep, flush };

/// What the kernel asks of the hardware's set-up, beside its code.
struct KernelAttributes {
  unsigned workgroup_size = 64;  ///< work-items, one dimension
  unsigned waves_per_eu = 1;     ///< waves per SIMD that the register allocation must permit
  DenormalMode f32_denormals = DenormalMode::keep;
  bool ieee_mode =
      true;  ///< IEEE mode quiets signalling NaNs in min and max, at the price of extra instructions
};

struct Parameter {
  Value value;
  bool writeonly = false;  ///< pointers: else read only; all pointers are noalias
  unsigned align = 0;      ///< pointers: promised alignment in bytes
  std::string meaning;     ///< for --explain and documentation
};

/// One kernel. Owns everything in it; neither copied nor moved, since values point back to it.
class Kernel {
 public:
  Kernel(std::string name, KernelAttributes attributes);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  std::string name;
  KernelAttributes attributes;
  std::vector<Parameter> parameters;
  std::vector<std::string> steps;  ///< names of the Plan's steps; entry 0 is the kernel's own name

  [[nodiscard]] Region& body() { return *body_; }
  [[nodiscard]] const Region& body() const { return *body_; }
  [[nodiscard]] unsigned lds_bytes() const { return lds_bytes_; }
  void set_lds_bytes(unsigned bytes) { lds_bytes_ = bytes; }

  // For the builder and the passes.
  ValueData* new_value(Type type, std::string_view hint);
  Op* new_op(OpKind kind);
  Region* new_region(Op* parent);
  /// The one value for these bits of this type: constants are shared.
  Value constant(Type type, std::uint64_t bits);

  Region* insertion = nullptr;  ///< where the builder appends
  std::uint16_t step = 0;       ///< the step that new operations belong to

 private:
  std::deque<ValueData> values_;
  std::deque<Op> ops_;
  std::deque<Region> regions_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Value> constants_;
  Region* body_ = nullptr;
  unsigned lds_bytes_ = 0;
};

}  // namespace wavesmith::ir
