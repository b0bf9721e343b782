// A second execution of a workgroup in lock step with the first, whose registers, LDS and scratch start with
// other values. What differs between the two depends on something that was never written. Where such a value
// is used in a way that matters (sinks.h) that is noted, and the shadow gets the value of the original: a
// fault is told once, and both always take the same way and the same addresses. The shadow leaves memory
// alone: what a load or an atomic brings is copied from the original, stores go nowhere. HazardChecker owns
// one where Options::uninitialized asks for it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/hazards/hazard_kind.h"
#include "simulator/hazards/sinks.h"
#include "simulator/hazards/undefined_values.h"
#include "simulator/in_flight.h"

namespace wavesmith::simulator {

struct Program;
struct Tally;
struct Workgroup;

class Shadow {
 public:
  Shadow();
  ~Shadow();

  /// For a workgroup that has just been started.
  void start(const Workgroup& group);

  void before(Wave& wave, const Instruction& instruction);
  /// Executes the instruction in the shadow of a wave that has executed it.
  void after(Wave& wave, const Instruction& instruction);
  /// An operation of the wave took effect before a wait demanded it.
  void arrived(const Wave& wave, QueueId queue);

 private:
  /// A value that differs, and where it was found.
  struct Difference {
    std::uint32_t original = 0, shadow = 0;
    std::string name = {};
    std::optional<std::uint32_t> lane = {};
    std::optional<std::uint64_t> address = {};
  };

  const Program* program_ = nullptr;
  std::vector<Sinks> sinks_;  ///< by instruction
  std::unique_ptr<Tally> tally_;
  std::unique_ptr<Workgroup> group_;
  alignas(16) std::array<std::byte, 16> dropped_{};  ///< where its stores go
  unsigned told_ = 0;                                ///< kinds noted for the instruction in execution

  void compare_operand(Wave& wave, const Instruction& instruction, const Operand& operand,
                       const Sinks& sinks);
  void compare_scalar(Wave& wave, const Instruction& instruction, std::uint32_t index, SinkUse use);
  void compare_stored(Wave& wave, const Instruction& instruction, const Sinks& sinks);
  void compare_exec(Wave& wave, const Instruction& instruction);
  void note(Wave& wave, const Instruction& instruction, SinkUse use, const Difference& difference);
};

//! \name Hooks
/// Gives registers of a shadow's wave their undefined values; before those that a launch sets.
void fill_undefined(Wave& wave);
void fill_undefined(std::vector<std::byte>& bytes, UndefinedState state);
/// A memory operation of a shadow's wave has been completed: results that come from memory become those of
/// the original.
void take_results(Wave& shadow, const PendingOp& op);

}  // namespace wavesmith::simulator
