// Puts the checks together, and checks registers against the loads that are outstanding.
#include "simulator/hazards/checker.h"

#include <utility>

#include <fmt/format.h>

#include "simulator/hazards/register_name.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator {
namespace {

/// Loads of one queue return in order, so a later one may overwrite what an earlier one loads.
bool follows_in_order(const Wave& wave, const Instruction& instruction, std::uint32_t row) {
  const QueueId queue = wave.in_flight.queue_of_vector(row);
  const Unit unit = instruction.row->unit;
  return (unit == Unit::vmem_load && queue == QueueId::load) || (unit == Unit::lds && queue == QueueId::lds);
}

/// Checks the registers of one instruction; each kind is noted once.
class RegisterCheck {
 public:
  RegisterCheck(Wave& wave, const Instruction& instruction) : wave_(wave), instruction_(instruction) {}

  void check() {
    const bool all_lanes = instruction_.row->unit == Unit::mfma;
    const bool rereads = (instruction_.row->traits & static_cast<TraitSet>(Trait::reads_destination)) != 0;
    for (unsigned k = 0; k < instruction_.operand_count; ++k) {
      const Operand& operand = instruction_.operands[k];
      const bool destination = k < instruction_.destinations;
      for (std::uint32_t reg = operand.reg; reg < operand.reg + std::uint32_t{operand.width}; ++reg) {
        if (operand.kind == OperandKind::scalar) check_scalar(reg, destination);
        // Without an active lane a vector register is neither read nor written.
        if (operand.kind == OperandKind::vector && (all_lanes || wave_.exec() != 0))
          check_vector(reg, !destination || rereads, destination);
      }
    }
  }

 private:
  void check_scalar(std::uint32_t index, bool writes) {
    if (wave_.in_flight.pending_on_scalar(index) == 0) return;
    note(!writes, scalar_name(index));
  }
  void check_vector(std::uint32_t row, bool reads, bool writes) {
    if (wave_.in_flight.pending_on_vector(row) == 0) return;
    if (reads) note(true, vector_name(wave_, row));
    if (writes && !follows_in_order(wave_, instruction_, row)) note(false, vector_name(wave_, row));
  }
  void note(bool read, const std::string& name) {
    bool& noted = read ? read_noted_ : write_noted_;
    if (std::exchange(noted, true)) return;
    wave_.hazard(
        instruction_, read ? HazardKind::register_read_before_wait : HazardKind::register_written_before_wait,
        fmt::format("{} is {} before a wait covers the load into it", name, read ? "read" : "overwritten"));
  }

  Wave& wave_;
  const Instruction& instruction_;
  bool read_noted_ = false, write_noted_ = false;
};

}  // namespace

std::string_view name(HazardKind kind) {
  switch (kind) {
    case HazardKind::register_read_before_wait:
      return "register_read_before_wait";
    case HazardKind::register_written_before_wait:
      return "register_written_before_wait";
    case HazardKind::lds_read_before_dma:
      return "lds_read_before_dma";
    case HazardKind::lds_overwritten_while_read:
      return "lds_overwritten_while_read";
    case HazardKind::lds_race:
      return "lds_race";
    case HazardKind::global_race:
      return "global_race";
    case HazardKind::matrix_partial_exec:
      return "matrix_partial_exec";
    case HazardKind::matrix_wait_states:
      return "matrix_wait_states";
    case HazardKind::wait_states:
      return "wait_states";
    case HazardKind::barrier_mismatch:
      return "barrier_mismatch";
    case HazardKind::lds_dma_overwritten:
      return "lds_dma_overwritten";
    case HazardKind::store_conflict:
      return "store_conflict";
    case HazardKind::uninitialized_register:
      return "uninitialized_register";
    case HazardKind::uninitialized_lds:
      return "uninitialized_lds";
    case HazardKind::uninitialized_scratch:
      return "uninitialized_scratch";
    case HazardKind::uninitialized_value:
      return "uninitialized_value";
  }
  return "";
}

std::vector<std::string> hazards_not_checked(const Options& options) {
  // The offset in M0 that a load to LDS inherits from an earlier one may be meant.
  std::vector<std::string> kinds{"stale_m0"};
  if (!options.uninitialized)
    for (const HazardKind kind : {HazardKind::uninitialized_register, HazardKind::uninitialized_lds,
                                  HazardKind::uninitialized_scratch, HazardKind::uninitialized_value})
      kinds.emplace_back(name(kind));
  return kinds;
}

void HazardChecker::start(const Workgroup& group) {
  lds_.start(group.lds.size(), group.waves.size());
  matrix_.start(*group.dispatch->program, group.waves.size());
  waits_.start(*group.dispatch->program, group.waves.size());
  stores_.start(*group.dispatch->program);
  barrier_ = {};
  if (!group.dispatch->options->uninitialized) {
    shadow_.reset();
    return;
  }
  if (!shadow_) shadow_ = std::make_unique<Shadow>();
  shadow_->start(group);
}

void HazardChecker::before(Wave& wave, const Instruction& instruction) {
  RegisterCheck(wave, instruction).check();
  if (instruction.row->unit == Unit::mfma && !wave.all_lanes()) {
    wave.hazard(instruction, HazardKind::matrix_partial_exec,
                fmt::format("EXEC is {:#x}: a matrix instruction uses the values of all lanes", wave.exec()));
  }
  matrix_.check(wave, instruction);
  waits_.check(wave, instruction);
  if (shadow_) shadow_->before(wave, instruction);
}

void HazardChecker::after(Wave& wave, const Instruction& instruction) {
  lds_.issued(wave);
  matrix_.note(wave, instruction);
  waits_.note(wave, instruction);
  stores_.check(wave, instruction);
  if (wave.signal == Signal::barrier) check_barrier(wave, instruction);
  if (shadow_) shadow_->after(wave, instruction);
}

// The hardware counts who arrives and does not ask where; waves that have ended count no more.
void HazardChecker::check_barrier(Wave& wave, const Instruction& instruction) {
  if (barrier_.instruction == nullptr || barrier_.phase != wave.barrier_phase) {
    barrier_ = {&instruction, wave.barrier_phase, wave.index};
    return;
  }
  if (barrier_.instruction == &instruction) return;
  wave.hazard(instruction, HazardKind::barrier_mismatch,
              fmt::format("wave {} waits at another barrier, at {:#x}", barrier_.wave,
                          barrier_.instruction->pc - wave.program->load_base));
}

}  // namespace wavesmith::simulator
