// Deals workgroups out to threads in rising order and adds up what they count. dispatch.h has the types.
#include "simulator/dispatch.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "simulator/hazards/global_races.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator {
namespace {

/// What the threads share.
struct Shared {
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> first_fault{~std::uint64_t{0}};  ///< lowest workgroup that failed so far
  std::mutex mutex;
  std::optional<Fault> fault;
  std::uint64_t done = 0;
};

/// Takes workgroups until none is left. A workgroup above one that failed need not run, one below it must: it
/// is always taken earlier, so that the fault reported is the same on any number of threads.
void work(const Dispatch& dispatch, Shared& shared, Tally& tally) {
  Workgroup group;
  const std::uint64_t count = dispatch.workgroups();
  for (;;) {
    const std::uint64_t id = shared.next.fetch_add(1, std::memory_order_relaxed);
    if (id >= count || id > shared.first_fault.load(std::memory_order_relaxed)) return;
    start_workgroup(group, dispatch, tally, id);
    run_workgroup(group);
    if (dispatch.options->hazards) tally.global_accesses.end_workgroup(id);
    if (dispatch.options->progress) {
      const std::scoped_lock lock(shared.mutex);
      dispatch.options->progress(++shared.done, count);
    }
    if (!group.fault) continue;
    const std::scoped_lock lock(shared.mutex);
    if (id < shared.first_fault.load(std::memory_order_relaxed)) {
      shared.first_fault.store(id, std::memory_order_relaxed);
      shared.fault = std::move(group.fault);
    }
  }
}

unsigned thread_count(const Dispatch& dispatch) {
  // Global atomics make later workgroups see what earlier ones did; a trace is told in order.
  if (dispatch.program->ordered_global || dispatch.options->trace) return 1;
  const unsigned wanted = dispatch.options->threads != 0 ? dispatch.options->threads
                                                         : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, dispatch.workgroups()));
}

}  // namespace

DispatchResult run_dispatch(const Dispatch& dispatch) {
  const unsigned threads = thread_count(dispatch);
  std::vector<Tally> tallies(std::max(threads, 1u), Tally(dispatch.program->code.size()));
  Shared shared;
  {
    std::vector<std::jthread> workers;
    for (unsigned t = 1; t < threads; ++t) {
      workers.emplace_back([&dispatch, &shared, &tally = tallies[t]] { work(dispatch, shared, tally); });
    }
    work(dispatch, shared, tallies[0]);
  }
  DispatchResult result;
  result.fault = std::move(shared.fault);
  if (result.fault) return result;
  result.counters.resize(dispatch.program->code.size());
  for (const Tally& tally : tallies) {
    result.waves += tally.waves;
    result.warnings.merge(tally.warnings);
    result.hazards.merge(tally.hazards);
    result.inexact_uses.merge(tally.inexact_uses);
    for (std::size_t i = 0; i < result.counters.size(); ++i) result.counters[i] += tally.counters[i];
  }
  if (dispatch.options->hazards) find_global_races(dispatch, tallies, result.hazards);
  return result;
}

InstructionCounters& InstructionCounters::operator+=(const InstructionCounters& other) {
  executions += other.executions;
  active_lanes += other.active_lanes;
  lds_cycles += other.lds_cycles;
  lds_conflict_cycles += other.lds_conflict_cycles;
  max_lanes_per_bank = std::max(max_lanes_per_bank, other.max_lanes_per_bank);
  bytes += other.bytes;
  cache_lines += other.cache_lines;
  return *this;
}

}  // namespace wavesmith::simulator
