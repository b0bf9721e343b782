// The inner loop, the barrier's end and the order of waves. workgroup.h has the types.
#include "simulator/workgroup.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "simulator/kernel_start.h"
#include "simulator/scheduler.h"

namespace wavesmith::simulator {
namespace {

bool is_wait(const Instruction& instruction) {
  return (instruction.row->traits & static_cast<TraitSet>(Trait::wait)) != 0;
}

void report_trace(const Wave& wave, const Instruction& instruction) {
  TraceEvent event;
  event.workgroup = wave.group->id;
  event.wave = wave.index;
  event.address = instruction.pc - wave.program->load_base;
  event.text = wave.program->text[instruction.index];
  event.exec = wave.exec();
  event.vcc = wave.vcc();
  event.scc = wave.scc;
  event.vgprs = wave.program->vgprs;
  event.agprs = wave.program->agprs;
  event.wave_state = &wave;
  wave.group->dispatch->options->trace(event);
}

/// Lets the oldest operation of one queue take effect, after one in four instructions.
void arrive_at_random(Wave& wave) {
  const std::uint64_t draw = wave.group->arrivals();
  if ((draw & 3) != 0) return;
  const auto queue = static_cast<QueueId>(draw >> 2 & 3);
  wave.in_flight.arrive(wave, queue);
  if (wave.group->hazards) wave.group->hazards->arrived(wave, queue);
}

/// The loop itself. Traced and watched runs pay for their calls, others do not even test for them.
template <bool Traced, bool Watched>
void run(Wave& wave, std::uint64_t steps, bool stop_at_wait) {
  const Instruction* code = wave.program->code.data();
  InstructionCounters* counters = wave.counters;
  const std::uint64_t limit = wave.group->dispatch->options->steps_per_wave;
  while (steps-- != 0) {
    const Instruction& instruction = code[wave.next];
    if (wave.steps++ >= limit) {
      wave.fail(instruction, fmt::format("no progress: the wave has executed {} instructions", limit));
      return;
    }
    wave.next = instruction.index + 1;
    InstructionCounters& counter = counters[instruction.index];
    ++counter.executions;
    counter.active_lanes += static_cast<std::uint64_t>(std::popcount(wave.exec()));
    if constexpr (Watched) {
      if (wave.group->hazards) wave.group->hazards->before(wave, instruction);
      if (wave.group->inexact) wave.group->inexact->before(wave, instruction);
    }
    instruction.handler(wave, instruction);
    if constexpr (Watched) {
      if (wave.group->hazards) wave.group->hazards->after(wave, instruction);
      if (wave.group->dispatch->options->arrival == Arrival::random) arrive_at_random(wave);
    }
    if constexpr (Traced) report_trace(wave, instruction);
    if (wave.signal != Signal::none) return;
    if (stop_at_wait && is_wait(instruction)) return;
  }
}

/// What an access does to LDS; ds_append and ds_consume cost as much as a write but are atomic.
LdsUse use_of(const Instruction& instruction, LdsAccess access, bool atomic) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (atomic || mnemonic == "ds_append" || mnemonic == "ds_consume") return LdsUse::atomic;
  if (instruction.row->unit == Unit::vmem_load && mnemonic.find("flat") == std::string_view::npos)
    return LdsUse::dma;
  return is_write(access) ? LdsUse::write : LdsUse::read;
}

void fill(std::vector<std::byte>& bytes, std::size_t size, std::uint32_t pattern) {
  bytes.resize(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(pattern >> (8 * (i % 4)));
}

}  // namespace

void Workgroup::count_lds_cycles(const Instruction& instruction, std::uint64_t lanes,
                                 std::span<const std::uint32_t, 64> offset, LdsAccess access,
                                 std::uint32_t bytes, bool atomic) {
  if (shadow) return;
  const LdsPhaseRow& phases = *lds_phases[static_cast<std::size_t>(access)];
  const Lanes all{lanes, dispatch->program->wave_size == 64 ? ~std::uint64_t{0} : 0xffffffffu};
  const LdsCost cost = tally->lds.count(instruction.index, phases, offset, all, bytes, atomic);
  InstructionCounters& counters = tally->counters[instruction.index];
  counters.lds_cycles += cost.cycles;
  counters.lds_conflict_cycles += cost.conflict_cycles;
  counters.max_lanes_per_bank = std::max<std::uint64_t>(counters.max_lanes_per_bank, cost.max_lanes_per_bank);
  if (inexact) inexact->note_lds(instruction, lanes, offset, use_of(instruction, access, atomic), bytes);
  if (hazards) hazards->note_lds(instruction, lanes, offset, use_of(instruction, access, atomic), bytes);
}

void start_workgroup(Workgroup& group, const Dispatch& dispatch, Tally& tally, std::uint64_t flat_id) {
  group.dispatch = &dispatch;
  group.tally = &tally;
  group.flat_id = flat_id;
  group.id = {static_cast<std::uint32_t>(flat_id % dispatch.grid[0]),
              static_cast<std::uint32_t>(flat_id / dispatch.grid[0] % dispatch.grid[1]),
              static_cast<std::uint32_t>(flat_id / dispatch.grid[0] / dispatch.grid[1])};
  group.fault.reset();
  for (std::size_t access = 0; access < kLdsAccesses; ++access) {
    group.lds_phases[access] =
        &find_lds_phases(dispatch.processor->gfx, static_cast<LdsAccess>(access),
                         dispatch.options->lds_read_b32, dispatch.options->lds_read_transpose);
  }
  group.barrier_phase = 0;
  group.arrived = 0;
  fill(group.lds, dispatch.lds_bytes, dispatch.options->poison ? kLdsPoison : 0);
  if (group.shadow) fill_undefined(group.lds, UndefinedState::lds);
  const std::uint32_t count = dispatch.waves();
  while (group.waves.size() < count) group.waves.push_back(std::make_unique<Wave>());
  group.waves.resize(count);
  group.alive = count;
  for (std::uint32_t w = 0; w < count; ++w) {
    Wave& wave = *group.waves[w];
    wave.index = w;
    wave.group = &group;
    wave.counters = tally.counters.data();
    wave.global_accesses = dispatch.options->hazards && !group.shadow ? &tally.global_accesses : nullptr;
    start_wave(wave, group);
    fill(wave.scratch, std::size_t{wave.scratch_bytes} * wave.size,
         dispatch.options->poison ? kScratchPoison : 0);
    if (group.shadow) fill_undefined(wave.scratch, UndefinedState::scratch);
  }
  tally.waves += count;
  group.inexact.reset();
  if (dispatch.flow != nullptr && !group.shadow) {
    group.inexact = std::make_unique<InexactTracker>();
    group.inexact->start(group, *dispatch.flow, tally.inexact_uses);
  }
  if (dispatch.options->arrival == Arrival::random)
    group.arrivals = seeded_engine(dispatch.options->seed, flat_id);
  if (!dispatch.options->hazards || group.shadow) return;
  if (!group.hazards) group.hazards = std::make_unique<HazardChecker>();
  group.hazards->start(group);
}

void run_wave(Wave& wave, std::uint64_t steps, bool stop_at_wait) {
  const bool traced = wave.group->dispatch->options->trace != nullptr;
  if (wave.group->hazards || wave.group->inexact ||
      wave.group->dispatch->options->arrival == Arrival::random) {
    traced ? run<true, true>(wave, steps, stop_at_wait) : run<false, true>(wave, steps, stop_at_wait);
  } else {
    traced ? run<true, false>(wave, steps, stop_at_wait) : run<false, false>(wave, steps, stop_at_wait);
  }
}

void run_workgroup(Workgroup& group) {
  const Options& options = *group.dispatch->options;
  const std::unique_ptr<Scheduler> scheduler = make_scheduler(options.schedule, options.seed, group.flat_id);
  std::vector<std::uint32_t> runnable;
  while (group.alive != 0) {
    runnable.clear();
    for (const auto& wave : group.waves) {
      if (wave->signal == Signal::barrier && group.released(*wave)) wave->signal = Signal::none;
      if (wave->signal == Signal::none) runnable.push_back(wave->index);
    }
    if (runnable.empty()) {
      // Only a split barrier whose signal some wave never gives gets here.
      for (const auto& wave : group.waves) {
        if (wave->signal != Signal::barrier) continue;
        wave->fail(wave->program->code[wave->next - 1],
                   "the barrier is never reached by all waves of the workgroup");
        return;
      }
      return;
    }
    const Turn turn = scheduler->next(runnable);
    Wave& wave = *group.waves[turn.wave];
    run_wave(wave, turn.steps, turn.stop_at_wait);
    if (wave.signal == Signal::end) group.leave();
    if (group.fault) return;
  }
}

}  // namespace wavesmith::simulator
