// Wave members that are not on the fast path: special sources, faults, and what a trace may look at.
#include "simulator/wave.h"

#include <fmt/format.h>

#include "simulator/workgroup.h"

namespace wavesmith::simulator {

std::uint32_t Wave::read_special(const Operand& operand) const {
  switch (static_cast<SpecialRegister>(operand.reg)) {
    case SpecialRegister::scc:
      return scc ? 1 : 0;
    case SpecialRegister::vccz:
      return vcc() == 0 ? 1 : 0;
    case SpecialRegister::execz:
      return exec() == 0 ? 1 : 0;
  }
  return 0;
}

Fault Wave::place(const Instruction& instruction, std::string what, std::optional<std::uint32_t> lane,
                  std::optional<std::uint64_t> address) const {
  Fault fault;
  fault.what = std::move(what);
  fault.address = instruction.pc - program->load_base;
  fault.text = program->text[instruction.index];
  fault.workgroup = group->id;
  fault.wave = index;
  fault.lane = lane;
  fault.memory_address = address;
  return fault;
}

void Wave::fail(const Instruction& instruction, std::string what, std::optional<std::uint32_t> lane,
                std::optional<std::uint64_t> address) {
  signal = Signal::fault;
  if (!group->fault) group->fault = place(instruction, std::move(what), lane, address);
}

void Wave::warn(const Instruction& instruction, WarningKind kind, std::uint32_t lane, std::uint64_t address) {
  WarningLog& log = group->tally->warnings;
  const WarningLog::Key key{instruction.index, kind};
  if (log.note(key)) {
    log.describe(key, group->flat_id, place(instruction, std::string(sentence(kind)), lane, address));
  }
}

void Wave::hazard(const Instruction& instruction, HazardKind kind, std::string what,
                  std::optional<std::uint32_t> lane, std::optional<std::uint64_t> address) {
  HazardLog& log = group->tally->hazards;
  const HazardLog::Key key{instruction.index, kind};
  if (log.note(key)) log.describe(key, group->flat_id, place(instruction, std::move(what), lane, address));
}

void Wave::fail_access(const Instruction& instruction, std::string_view access, std::uint32_t lane,
                       std::uint64_t address, std::uint64_t bytes) {
  const MemoryWindow* window = memory->find(address);
  const bool inside = window != nullptr && window->translate(address, bytes) != nullptr;
  fail(instruction,
       fmt::format("{} of {} bytes {}: {}", access, bytes,
                   inside ? "in read-only memory" : "outside every allocation",
                   memory->describe(address, bytes)),
       lane, address);
}

std::uint32_t TraceEvent::sgpr(std::uint32_t index) const {
  return index < kTtmp ? static_cast<const Wave*>(wave_state)->scalar[index] : 0;
}

std::uint32_t TraceEvent::vgpr(std::uint32_t index, std::uint32_t lane) const {
  return index < vgprs && lane < kLanes ? static_cast<const Wave*>(wave_state)->row(index)[lane] : 0;
}

std::uint32_t TraceEvent::agpr(std::uint32_t index, std::uint32_t lane) const {
  const auto* state = static_cast<const Wave*>(wave_state);
  return index < agprs && lane < kLanes ? state->row(state->program->first_agpr_row + index)[lane] : 0;
}

std::string Fault::message() const {
  std::string text_out = fmt::format("{:#x}: {}: {} (workgroup {},{},{} wave {}", address, text, what,
                                     workgroup[0], workgroup[1], workgroup[2], wave);
  if (lane) text_out += fmt::format(" lane {}", *lane);
  if (memory_address) text_out += fmt::format(" address {:#x}", *memory_address);
  return text_out + ")";
}

}  // namespace wavesmith::simulator
