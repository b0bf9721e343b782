// Order of LDS accesses. An access is under way from its issue to the wait that covers it. Two accesses of
// different waves to a byte are ordered only when one was covered before a barrier that the other was issued
// behind; accesses of one wave are ordered among DS instructions, and among loads to LDS, but not between the
// two kinds until a wait. Unordered accesses of which one writes (and not both are atomic) are hazards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/hazards/hazard_kind.h"
#include "simulator/instruction.h"

namespace wavesmith::simulator {

struct PendingOp;

enum class LdsUse : std::uint8_t { read, write, atomic, dma };

class LdsCheck {
 public:
  void start(std::size_t bytes, std::size_t waves);

  /// One access of the instruction in execution.
  void note(const Instruction& instruction, std::uint64_t lanes, std::span<const std::uint32_t, 64> offset,
            LdsUse use, std::uint32_t bytes);
  /// The instruction in execution has put its operation into a queue: checks what was noted.
  void issued(Wave& wave);
  void retired(Wave& wave, const PendingOp& op);

 private:
  struct Access {
    const Instruction* instruction = nullptr;
    std::uint64_t sequence = 0;  ///< of the operation in its wave
    std::uint64_t lanes = 0;
    std::array<std::uint32_t, 64> offset{};
    std::uint32_t bytes = 0;          ///< of a lane
    std::uint32_t low = 0, high = 0;  ///< all lanes lie in [low, high)
    std::uint32_t epoch = 0;          ///< barriers that the wave had passed at issue
    LdsUse use{};

    bool writes() const { return use != LdsUse::read; }
  };

  /// What is remembered of a few bytes that all accesses so far touched together. Epochs count barriers; 0
  /// readers or an absent writer: nobody yet.
  struct Cell {
    static constexpr std::uint8_t kNobody = 0xff;
    std::uint32_t write_begin = 0;  ///< epoch in which the last write was issued
    std::uint32_t write_end = 0;    ///< and covered
    std::uint32_t read_epoch = 0;   ///< last one in which a read was issued or covered
    std::uint32_t readers = 0;      ///< waves that did so
    std::uint32_t write_instruction = 0, read_instruction = 0;
    std::uint8_t writer = kNobody;  ///< wave
    std::uint8_t open = 0;          ///< writes of that wave that are under way
    LdsUse write_use{};
  };

  static constexpr unsigned kCoarsest = 4;
  std::size_t bytes_ = 0;       ///< of LDS
  unsigned shift_ = kCoarsest;  ///< a cell has 2^shift_ bytes: as many as no access so far divides
  std::vector<Cell> cells_;
  std::vector<std::vector<Access>> under_way_;  ///< by wave
  std::vector<Access> noted_;
  unsigned told_ = 0;  ///< kinds reported of the access that is being checked

  void check_own(Wave& wave, const Access& access);
  void check_others(Wave& wave, const Access& access);
  void check_while_read(Wave& wave, const Access& access);
  void report(Wave& wave, const Access& access, HazardKind kind, std::uint32_t other,
              std::uint32_t other_wave, std::uint32_t lane, std::uint32_t offset);
  void record(const Wave& wave, const Access& access, bool covered);
  void refine(unsigned shift);
  template <class F>
  void for_each_cell(const Access& access, F&& f);
};

}  // namespace wavesmith::simulator
