// What is remembered of LDS, cell by cell, and lists of what each wave has under way; lds_check.h has the
// rules.
#include "simulator/hazards/lds_check.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "simulator/workgroup.h"

namespace wavesmith::simulator {
namespace {

std::uint32_t epoch_of(const Wave& wave) {
  return static_cast<std::uint32_t>(wave.barrier_phase);
}

/// Of what an earlier access and a later one do, when nothing orders them.
HazardKind kind_of(LdsUse earlier, LdsUse later) {
  if (later == LdsUse::read && earlier == LdsUse::dma) return HazardKind::lds_read_before_dma;
  if (earlier == LdsUse::read) return HazardKind::lds_overwritten_while_read;
  return HazardKind::lds_race;
}

bool both_atomic(LdsUse a, LdsUse b) {
  return a == LdsUse::atomic && b == LdsUse::atomic;
}

}  // namespace

void LdsCheck::start(std::size_t bytes, std::size_t waves) {
  bytes_ = bytes;
  cells_.assign((bytes + (std::size_t{1} << shift_) - 1) >> shift_, {});
  under_way_.resize(waves);
  for (std::vector<Access>& accesses : under_way_) accesses.clear();
  noted_.clear();
}

void LdsCheck::note(const Instruction& instruction, std::uint64_t lanes,
                    std::span<const std::uint32_t, 64> offset, LdsUse use, std::uint32_t bytes) {
  if (lanes == 0) return;
  Access access{.instruction = &instruction, .lanes = lanes, .bytes = bytes, .low = ~0u, .use = use};
  std::ranges::copy(offset, access.offset.begin());
  std::uint32_t bits = bytes | 1u << kCoarsest;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    bits |= offset[lane];
    access.low = std::min(access.low, offset[lane]);
    access.high = std::max(access.high, offset[lane] + bytes);
  });
  if (access.high > bytes_) return;  // the access was a fault already
  if (const auto shift = static_cast<unsigned>(std::countr_zero(bits)); shift < shift_) refine(shift);
  noted_.push_back(access);
}

// What is known of a cell holds for each of its parts.
void LdsCheck::refine(unsigned shift) {
  std::vector<Cell> finer((bytes_ + (std::size_t{1} << shift) - 1) >> shift);
  for (std::size_t i = 0; i < finer.size(); ++i) finer[i] = cells_[i >> (shift_ - shift)];
  cells_ = std::move(finer);
  shift_ = shift;
}

template <class F>
void LdsCheck::for_each_cell(const Access& access, F&& f) {
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    const std::uint32_t end = (access.offset[lane] + access.bytes) >> shift_;
    for (std::uint32_t at = access.offset[lane] >> shift_; at < end; ++at) f(cells_[at], lane, at << shift_);
  });
}

void LdsCheck::issued(Wave& wave) {
  for (Access& access : noted_) {
    access.sequence = wave.in_flight.last_sequence();
    access.epoch = epoch_of(wave);
    told_ = 0;
    check_own(wave, access);
    check_others(wave, access);
    record(wave, access, false);
    under_way_[wave.index].push_back(access);
  }
  noted_.clear();
}

void LdsCheck::retired(Wave& wave, const PendingOp& op) {
  std::vector<Access>& accesses = under_way_[wave.index];
  for (const Access& access : accesses) {
    if (access.sequence != op.sequence) continue;
    told_ = 0;
    if (access.use == LdsUse::read) check_while_read(wave, access);
    record(wave, access, true);
  }
  std::erase_if(accesses, [&](const Access& access) { return access.sequence == op.sequence; });
}

// Loads to LDS and DS instructions of one wave are in no order. Loads to LDS are among themselves, but of two
// that are on their way to one place the first was for nothing: M0 was not moved on.
void LdsCheck::check_own(Wave& wave, const Access& access) {
  for (const Access& other : under_way_[wave.index]) {
    const bool both_dma = other.use == LdsUse::dma && access.use == LdsUse::dma;
    if (!both_dma && (other.use == LdsUse::dma) == (access.use == LdsUse::dma)) continue;
    if (!other.writes() && !access.writes()) continue;
    if (other.high <= access.low || access.high <= other.low) continue;
    for_each_lane(access.lanes, [&](std::uint32_t lane) {
      const std::uint32_t at = access.offset[lane];
      bool meets = false;
      for_each_lane(other.lanes, [&](std::uint32_t l) {
        meets = meets || (other.offset[l] < at + access.bytes && at < other.offset[l] + other.bytes);
      });
      if (meets)
        report(wave, access, both_dma ? HazardKind::lds_dma_overwritten : kind_of(other.use, access.use),
               other.instruction->index, wave.index, lane, at);
    });
  }
}

void LdsCheck::check_others(Wave& wave, const Access& access) {
  const std::uint32_t self = 1u << wave.index;
  for_each_cell(access, [&](const Cell& cell, std::uint32_t lane, std::uint32_t at) {
    if (cell.writer != Cell::kNobody && cell.writer != wave.index &&
        (cell.open != 0 || cell.write_end >= access.epoch) && !both_atomic(cell.write_use, access.use)) {
      report(wave, access, kind_of(cell.write_use, access.use), cell.write_instruction, cell.writer, lane,
             at);
    }
    if (access.writes() && cell.read_epoch >= access.epoch && (cell.readers & ~self) != 0) {
      report(wave, access, kind_of(LdsUse::read, access.use), cell.read_instruction,
             static_cast<std::uint32_t>(std::countr_zero(cell.readers & ~self)), lane, at);
    }
  });
}

// Writes issued behind a barrier that the read was not covered before. Those issued in its own epoch have
// found it already, and what meets a write under way finds that itself.
void LdsCheck::check_while_read(Wave& wave, const Access& access) {
  for_each_cell(access, [&](const Cell& cell, std::uint32_t lane, std::uint32_t at) {
    if (cell.writer != Cell::kNobody && cell.writer != wave.index && cell.write_begin > access.epoch) {
      report(wave, access, HazardKind::lds_overwritten_while_read, cell.write_instruction, cell.writer, lane,
             at);
    }
  });
}

void LdsCheck::record(const Wave& wave, const Access& access, bool covered) {
  const std::uint32_t epoch = covered ? epoch_of(wave) : access.epoch;
  const std::uint32_t self = 1u << wave.index;
  const std::uint32_t instruction = access.instruction->index;
  for_each_cell(access, [&](Cell& cell, std::uint32_t, std::uint32_t) {
    if (access.use == LdsUse::read) {
      cell.readers = cell.read_epoch == epoch ? cell.readers | self : self;
      cell.read_epoch = epoch;
      cell.read_instruction = instruction;
      return;
    }
    if (!covered) {
      cell.open = cell.writer == wave.index ? static_cast<std::uint8_t>(cell.open + 1) : 1;
      cell.writer = static_cast<std::uint8_t>(wave.index);
      cell.write_use = access.use;
      cell.write_begin = epoch;
      cell.write_instruction = instruction;
    } else if (cell.writer == wave.index && cell.open != 0) {
      --cell.open;
      cell.write_end = epoch;
    }
  });
}

void LdsCheck::report(Wave& wave, const Access& access, HazardKind kind, std::uint32_t other,
                      std::uint32_t other_wave, std::uint32_t lane, std::uint32_t offset) {
  const unsigned bit = 1u << static_cast<unsigned>(kind);
  if ((told_ & bit) != 0) return;
  told_ |= bit;
  const Instruction& earlier = wave.program->code[other];
  const std::string_view missing =
      other_wave == wave.index ? "no wait lies between" : "no wait and barrier order the two";
  wave.hazard(*access.instruction, kind,
              fmt::format("meets {:#x}: {} of wave {} in LDS, and {}", earlier.pc - wave.program->load_base,
                          wave.program->text[other], other_wave, missing),
              lane, offset);
}

}  // namespace wavesmith::simulator
