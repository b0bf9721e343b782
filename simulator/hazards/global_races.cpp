// Merging ranges of one workgroup, and a sweep over the ranges of all of them by address.
#include "simulator/hazards/global_races.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace wavesmith::simulator {
namespace {

std::string_view verb(GlobalUse use) {
  return use == GlobalUse::read ? "read" : use == GlobalUse::write ? "written" : "changed by an atomic";
}

void report(const Dispatch& dispatch, const GlobalRange& a, const GlobalRange& b, HazardLog& hazards) {
  const auto& [earlier, later] = a.workgroup < b.workgroup ? std::tie(a, b) : std::tie(b, a);
  const HazardLog::Key key{later.instruction, HazardKind::global_race};
  if (!hazards.note(key)) return;
  const Program& program = *dispatch.program;
  const Instruction& instruction = program.code[later.instruction];
  const Instruction& other = program.code[earlier.instruction];
  const std::uint64_t address = std::max(earlier.begin, later.begin);
  Fault place;
  place.what = fmt::format("{} here and {} by workgroup {} at {:#x}: {}, and nothing orders workgroups",
                           verb(later.use), verb(earlier.use), earlier.workgroup,
                           other.pc - program.load_base, program.text[earlier.instruction]);
  place.address = instruction.pc - program.load_base;
  place.text = program.text[later.instruction];
  const std::uint64_t id = later.workgroup;
  place.workgroup = {static_cast<std::uint32_t>(id % dispatch.grid[0]),
                     static_cast<std::uint32_t>(id / dispatch.grid[0] % dispatch.grid[1]),
                     static_cast<std::uint32_t>(id / dispatch.grid[0] / dispatch.grid[1])};
  place.memory_address = address;
  hazards.describe(key, id, std::move(place));
}

}  // namespace

void GlobalAccesses::end_workgroup(std::uint64_t workgroup) {
  std::ranges::sort(current_, {},
                    [](const GlobalRange& range) { return std::tuple(range.use, range.begin); });
  const std::size_t first = ranges_.size();
  for (GlobalRange range : current_) {
    range.workgroup = workgroup;
    if (ranges_.size() > first && ranges_.back().use == range.use && range.begin <= ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    } else {
      ranges_.push_back(range);
    }
  }
  current_.clear();
}

void find_global_races(const Dispatch& dispatch, std::span<const Tally> tallies, HazardLog& hazards) {
  std::vector<GlobalRange> ranges;
  for (const Tally& tally : tallies)
    ranges.insert(ranges.end(), tally.global_accesses.ranges().begin(), tally.global_accesses.ranges().end());
  std::ranges::sort(ranges, {}, [](const GlobalRange& range) {
    return std::tuple(range.begin, range.workgroup, range.use);
  });
  // Ranges that may still meet later ones. Reads do not meet reads.
  std::vector<GlobalRange> reads, writes;
  const auto meet = [&](std::vector<GlobalRange>& open, const GlobalRange& range) {
    std::erase_if(open, [&](const GlobalRange& one) { return one.end <= range.begin; });
    for (const GlobalRange& one : open)
      if (one.workgroup != range.workgroup &&
          !(one.use == GlobalUse::atomic && range.use == GlobalUse::atomic))
        report(dispatch, one, range, hazards);
  };
  for (const GlobalRange& range : ranges) {
    meet(writes, range);
    if (range.use != GlobalUse::read) meet(reads, range);
    (range.use == GlobalUse::read ? reads : writes).push_back(range);
  }
}

}  // namespace wavesmith::simulator
