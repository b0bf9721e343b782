// Comparing two waves at the places that sinks.h names; shadow.h has the idea.
#include "simulator/hazards/shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "simulator/groups/flat_address.h"
#include "simulator/hazards/register_name.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator {
namespace {

constexpr std::size_t kRowBytes = kLanes * sizeof(std::uint32_t);

HazardKind kind_of(const std::optional<UndefinedPlace>& place) {
  if (!place) return HazardKind::uninitialized_value;
  switch (place->state) {
    case UndefinedState::lds:
      return HazardKind::uninitialized_lds;
    case UndefinedState::scratch:
      return HazardKind::uninitialized_scratch;
    default:
      return HazardKind::uninitialized_register;
  }
}

std::string origin_text(const Wave& wave, const std::optional<UndefinedPlace>& place) {
  if (!place) return "was computed from something that was never written";
  const std::uint32_t index = place->index;
  switch (place->state) {
    case UndefinedState::vector_register:
      return fmt::format("is what {} held in lane {} at the start", vector_name(wave, index / kLanes),
                         index % kLanes);
    case UndefinedState::scalar_register:
      return fmt::format("is what {} held at the start", scalar_name(index));
    case UndefinedState::lds:
      return fmt::format("is from byte {} of LDS, which was never written", 4 * index);
    case UndefinedState::scratch:
      break;
  }
  const std::uint32_t bytes = std::max(wave.scratch_bytes, 1u);
  return fmt::format("is from byte {} of the scratch of lane {}, which was never written", 4 * index % bytes,
                     4 * index / bytes);
}

/// Where an undefined value comes from if it has not been changed on its way.
std::optional<UndefinedPlace> unchanged(const Options& options, std::uint32_t original,
                                        std::uint32_t shadow) {
  const auto place = place_of(shadow);
  if (!place) return {};
  const std::uint32_t poison = !options.poison                           ? 0
                               : place->state == UndefinedState::lds     ? kLdsPoison
                               : place->state == UndefinedState::scratch ? kScratchPoison
                                                                         : kRegisterPoison;
  return original == poison ? place : std::nullopt;
}

}  // namespace

Shadow::Shadow() : group_(std::make_unique<Workgroup>()) {
  group_->shadow = true;
}

Shadow::~Shadow() = default;

void Shadow::start(const Workgroup& group) {
  if (const Program& program = *group.dispatch->program; program_ != &program) {
    program_ = &program;
    tally_ = std::make_unique<Tally>(program.code.size());
    sinks_.clear();
    for (const Instruction& instruction : program.code) sinks_.push_back(sinks_of(instruction));
  }
  start_workgroup(*group_, *group.dispatch, *tally_, group.flat_id);
  for (const auto& wave : group_->waves) {
    wave->original = group.waves[wave->index].get();
    wave->dropped = dropped_.data();
  }
}

void Shadow::before(Wave& wave, const Instruction& instruction) {
  told_ = 0;
  const Sinks& sinks = sinks_[instruction.index];
  if (!sinks.any_before() || (sinks.lanes_needed && wave.exec() == 0)) return;
  for (unsigned k = 0; k < instruction.operand_count; ++k)
    if ((sinks.operands >> k & 1) != 0) compare_operand(wave, instruction, instruction.operands[k], sinks);
  if (sinks.m0) compare_scalar(wave, instruction, kM0, sinks.use);
  if (sinks.vcc) {
    compare_scalar(wave, instruction, kVcc, sinks.use);
    if (wave.size == 64) compare_scalar(wave, instruction, kVcc + 1, sinks.use);
  }
  if (Wave& twin = *group_->waves[wave.index]; sinks.scc && wave.scc != twin.scc) {
    note(wave, instruction, sinks.use, {.original = wave.scc ? 1u : 0u, .name = "scc"});
    twin.scc = wave.scc;
  }
}

void Shadow::after(Wave& wave, const Instruction& instruction) {
  if (wave.signal == Signal::fault) return;
  Wave& twin = *group_->waves[wave.index];
  twin.steps = wave.steps;
  twin.next = instruction.index + 1;
  if (instruction.row->unit == Unit::mfma) {
    // Of equal operands; the costliest instructions need not be executed twice.
    for (unsigned k = 0; k < instruction.destinations; ++k)
      std::memcpy(twin.row(instruction.operands[k].reg), wave.row(instruction.operands[k].reg),
                  kRowBytes * instruction.operands[k].width);
    return;
  }
  instruction.handler(twin, instruction);
  twin.signal = Signal::none;
  if (const Sinks& sinks = sinks_[instruction.index]; sinks.data != Sinks::kNoData)
    compare_stored(wave, instruction, sinks);
  if (twin.exec() != wave.exec()) compare_exec(wave, instruction);
}

void Shadow::arrived(const Wave& wave, QueueId queue) {
  Wave& twin = *group_->waves[wave.index];
  twin.in_flight.arrive(twin, queue);
}

void Shadow::compare_operand(Wave& wave, const Instruction& instruction, const Operand& operand,
                             const Sinks& sinks) {
  if (operand.kind == OperandKind::scalar) {
    for (std::uint32_t r = operand.reg; r < operand.reg + std::uint32_t{operand.width}; ++r)
      compare_scalar(wave, instruction, r, sinks.use);
    return;
  }
  if (operand.kind != OperandKind::vector) return;
  Wave& twin = *group_->waves[wave.index];
  const std::uint64_t lanes = sinks.all_lanes ? wave.full_exec : wave.exec();
  for (std::uint32_t r = operand.reg; r < operand.reg + std::uint32_t{operand.width}; ++r) {
    const std::uint32_t* original = wave.row(r);
    std::uint32_t* shadow = twin.row(r);
    if (std::memcmp(original, shadow, kRowBytes) == 0) continue;
    for_each_lane(lanes, [&](std::uint32_t lane) {
      if (original[lane] == shadow[lane]) return;
      note(wave, instruction, sinks.use,
           {.original = original[lane], .shadow = shadow[lane], .name = vector_name(wave, r), .lane = lane});
      shadow[lane] = original[lane];
    });
  }
}

void Shadow::compare_scalar(Wave& wave, const Instruction& instruction, std::uint32_t index, SinkUse use) {
  Wave& twin = *group_->waves[wave.index];
  if (wave.scalar[index] == twin.scalar[index]) return;
  note(wave, instruction, use,
       {.original = wave.scalar[index], .shadow = twin.scalar[index], .name = scalar_name(index)});
  twin.scalar[index] = wave.scalar[index];
}

// The captured data of both is compared: only now is known which lanes a buffer's range lets pass.
void Shadow::compare_stored(Wave& wave, const Instruction& instruction, const Sinks& sinks) {
  Wave& twin = *group_->waves[wave.index];
  const PendingOp& ours = wave.in_flight.newest();
  const PendingOp& theirs = twin.in_flight.newest();
  const Operand& data = instruction.operands[sinks.data];
  const char first = instruction.row->mnemonic.front();
  std::uint64_t lanes = ours.exec;
  if (first == 'f') {
    for_each_lane(ours.exec, [&](std::uint32_t lane) {
      if (groups::flat_space(ours.address[lane]) != groups::FlatSpace::global)
        lanes &= ~(std::uint64_t{1} << lane);
    });
  }
  for (unsigned d = 0; d < data.width; ++d) {
    for_each_lane(first == 'b' ? lanes & ours.in_range[d] : lanes, [&](std::uint32_t lane) {
      const std::uint32_t original = ours.data[d][lane], shadow = theirs.data[d][lane];
      if (((original ^ shadow) & sinks.data_bits) == 0) return;
      const std::uint32_t row = data.reg + d;
      note(wave, instruction, SinkUse::stored,
           {.original = original,
            .shadow = shadow,
            .name = vector_name(wave, row),
            .lane = lane,
            .address = ours.address[lane] + std::uint64_t{d} * (first == 'b' ? ours.dword_step : 4)});
      twin.row(row)[lane] = wave.row(row)[lane];
    });
  }
}

void Shadow::compare_exec(Wave& wave, const Instruction& instruction) {
  Wave& twin = *group_->waves[wave.index];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(twin.exec() ^ wave.exec()));
  const std::uint32_t word = kExec + lane / 32;
  note(wave, instruction, SinkUse::exec,
       {.original = wave.scalar[word], .shadow = twin.scalar[word], .name = "exec", .lane = lane});
  twin.set_scalar64(kExec, wave.scalar64(kExec));
}

void Shadow::note(Wave& wave, const Instruction& instruction, SinkUse use, const Difference& difference) {
  const auto place = unchanged(*group_->dispatch->options, difference.original, difference.shadow);
  const HazardKind kind = kind_of(place);
  const unsigned bit = 1u << static_cast<unsigned>(kind);
  if ((told_ & bit) != 0) return;
  told_ |= bit;
  wave.hazard(instruction, kind,
              fmt::format("{} {} and {}", difference.name, sentence(use), origin_text(wave, place)),
              difference.lane, difference.address);
}

void fill_undefined(Wave& wave) {
  const std::uint32_t rows = wave.program->rows();
  for (std::uint32_t i = 0; i < rows * kLanes; ++i)
    wave.vectors[i] = undefined_value(UndefinedState::vector_register, i);
  for (std::uint32_t i = 0; i < wave.scalar.size(); ++i)
    wave.scalar[i] = undefined_value(UndefinedState::scalar_register, i);
  wave.scc = true;  // false in the original
}

void fill_undefined(std::vector<std::byte>& bytes, UndefinedState state) {
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const std::uint32_t value = undefined_value(state, static_cast<std::uint32_t>(at / 4));
    std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(4, bytes.size() - at));
  }
}

void take_results(Wave& shadow, const PendingOp& op) {
  const Wave& original = *shadow.original;
  const Unit unit = op.instruction->row->unit;
  if (unit == Unit::smem) {
    std::memcpy(&shadow.scalar[op.destination], &original.scalar[op.destination],
                sizeof(std::uint32_t) * op.destination_dwords);
    return;
  }
  const char first = op.instruction->row->mnemonic.front();
  if ((unit != Unit::vmem_load && unit != Unit::vmem_store) || first == 's') return;  // SCRATCH is its own
  if (op.lds_bytes != 0) {
    const std::byte* from = original.group->lds.data();
    std::byte* to = shadow.group->lds.data();
    for_each_lane(op.exec, [&](std::uint32_t lane) {
      std::memcpy(to + op.lds[lane], from + op.lds[lane], op.lds_bytes);
    });
  }
  if (op.destination_kind != OperandKind::vector) return;
  for (unsigned d = 0; d < op.destination_dwords; ++d) {
    const std::uint32_t* from = original.row(op.destination + d);
    std::uint32_t* to = shadow.row(op.destination + d);
    for_each_lane(op.exec, [&](std::uint32_t lane) {
      if (first == 'f' && groups::flat_space(op.address[lane]) != groups::FlatSpace::global) return;
      to[lane] = (to[lane] & op.kept) | (from[lane] & ~op.kept);
    });
  }
}

}  // namespace wavesmith::simulator
