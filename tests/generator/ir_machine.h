// Runs a finished kernel's IR on the CPU, one workgroup at a time with all its waves in lock step, and
// reports what the hardware would not forgive: LDS read before its copy has arrived or while a copy
// overwrites it, a copy started over data that another wave may still read, strays outside tensors, copies in
// flight at the end. It knows the operations from the instruction set, not from the generator: the machine is
// the tests' second opinion on a kernel before any compiler has seen it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir_builder/function.h"

namespace wavesmith::test {

/// Bits of every lane of every work-item of the workgroup: item * lanes of the type + lane.
using Lanes = std::vector<std::uint64_t>;

/// A tensor in the machine's memory; only its own elements may be touched.
struct Tensor {
  std::uint64_t address = 0;
  std::vector<std::uint16_t> data;
};

class IrMachine {
 public:
  /// When an asynchronous copy becomes visible in LDS: a wrong kernel fails under at least one of them.
  enum class Arrival : std::uint8_t { at_once, as_late_as_waits_allow };

  /// `kernel` must outlive the machine.
  explicit IrMachine(const ir::Kernel& kernel, Arrival arrival = Arrival::as_late_as_waits_allow);

  /// \name Set-up
  /// @{
  /// A tensor far from every other one; its address is the value of the parameter of that name.
  Tensor& tensor(std::string_view parameter, std::size_t elements);
  [[nodiscard]] std::uint64_t address(std::string_view parameter) const {
    return tensors_.find(parameter)->second.address;
  }
  [[nodiscard]] const std::vector<std::uint16_t>& data(std::string_view parameter) const {
    return tensors_.find(parameter)->second.data;
  }
  void argument(std::string_view parameter, std::uint64_t bits);
  /// Lets this wait leave one more operation in flight than the kernel says.
  void relax(const ir::Op* wait) { relaxed_ = wait; }
  /// @}

  void run_workgroup(std::array<unsigned, 3> workgroup);

  /// Each distinct finding once.
  std::set<std::string> findings;

  /// \name Observation
  /// @{
  struct Copy {
    unsigned wave, lane;
    std::uint64_t from;  ///< address; 0 where the descriptor does not cover it
    unsigned to;         ///< byte in LDS
    unsigned bytes;
  };
  std::function<void(const ir::Op&, const Copy&)> on_copy;
  struct Read {
    unsigned item, at, bytes;
  };
  std::function<void(const ir::Op&, const Read&)> on_lds_read;
  /// @}

 private:
  /// What a wave has in flight on vmcnt, oldest first.
  struct InFlight {
    std::string_view what;
    unsigned bytes;                  ///< a lane; 0: no copy
    std::vector<unsigned> to;        ///< byte in LDS of each lane
    std::vector<std::uint8_t> data;  ///< lane after lane
  };
  struct Wave {
    std::deque<InFlight> in_flight;
    std::uint64_t reads = 0;    ///< LDS reads issued
    std::uint64_t drained = 0;  ///< of those, finished for certain
    std::uint64_t drained_at_barrier = 0;
  };
  struct LdsByte {
    std::uint8_t value = 0xff;  ///< 0xffff is a NaN in both element types
    bool written = false;
    unsigned copies_in_flight = 0;
    unsigned writer = 0, arrived_epoch = 0;
    std::uint64_t last_read = 0;  ///< number of the reading wave's read; 0: none
    unsigned reader = 0;
  };

  // ir_machine.cpp: control flow, memory, order
  void region(const ir::Region& region);
  void op(const ir::Op& op);
  void for_loop(const ir::Op& op);
  void if_then(const ir::Op& op);
  void buffer_load(const ir::Op& op);
  void buffer_store(const ir::Op& op);
  void copy_to_lds(const ir::Op& op);
  void land(unsigned wave);
  void lds_read(const ir::Op& op);
  void wait(const ir::Op& op);
  void finish_reads(const ir::Op& op);
  [[nodiscard]] std::uint8_t lds_byte(const ir::Op& op, unsigned item, unsigned at);
  [[nodiscard]] std::uint16_t* element(std::string_view what, std::uint64_t address);
  void report(std::string finding) { findings.insert(std::move(finding)); }

  // ir_machine_values.cpp: what computes
  bool value_op(const ir::Op& op);
  void lane_op(const ir::Op& op);
  void mfma(const ir::Op& op);

  [[nodiscard]] unsigned items() const { return kernel_.attributes.workgroup_size; }
  [[nodiscard]] unsigned waves() const { return items() / 64; }
  [[nodiscard]] const Lanes& get(const ir::Value& value);
  Lanes& set(const ir::Value& value);
  [[nodiscard]] std::int64_t same_in_all(const ir::Value& value, std::string_view what);

  const ir::Kernel& kernel_;
  const Arrival arrival_;
  const ir::Op* relaxed_ = nullptr;
  std::array<unsigned, 3> workgroup_{};
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::map<std::string, std::uint64_t, std::less<>> arguments_;
  std::unordered_map<const ir::ValueData*, Lanes> values_;
  /// LDS reads that a value comes from and that may not have finished: the number of the newest.
  std::unordered_map<const ir::ValueData*, std::uint64_t> pending_read_;
  std::vector<LdsByte> lds_;
  std::vector<Wave> wave_;
  unsigned epoch_ = 0;  ///< barriers passed
  std::set<const std::uint16_t*> stored_;
};

/// Elements that a type's value has in Lanes: a descriptor is {base, bytes}.
[[nodiscard]] unsigned elements_of(ir::Type type);

/// One scalar of an integer operation with two operands, as the type wraps it.
[[nodiscard]] std::uint64_t integer_binary(ir::OpKind kind, ir::Type type, std::uint64_t a, std::uint64_t b);

/// \name Numbers of the element types
/// @{
[[nodiscard]] float to_float(ir::Type type, std::uint64_t bits);
/// Rounds to nearest even.
[[nodiscard]] std::uint64_t from_float(ir::Type type, float value);
/// @}

}  // namespace wavesmith::test
