// Wait states that gfx942 and gfx950 demand between instructions that are no MFMA, and that the hardware does
// not insert: between a VALU instruction that writes an SGPR and a memory instruction that reads it, and the
// like. HazardChecker calls check() and note() around every instruction. matrix_waits.h has those of MFMA.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/instruction.h"
#include "simulator/program.h"

namespace wavesmith::simulator {

class WaitStates {
 public:
  void start(const Program& program, std::size_t waves);
  void check(Wave& wave, const Instruction& instruction);
  void note(const Wave& wave, const Instruction& instruction);

  /// What of an instruction the rules ask for.
  struct Role {
    bool valu = false;  ///< MFMA is none here
    bool trans = false, mfma = false, vector_memory = false;
    bool dpp = false, permlane_swap = false, dot = false, div_fmas = false;
    bool reads_lane = false;          ///< v_readlane, v_readfirstlane
    bool lane_access = false;         ///< these and v_writelane
    bool compares_into_exec = false;  ///< v_cmpx
    bool writes_part = false;         ///< of a register: SDWA or op_sel on the destination
    bool rereads = false;             ///< old values of destinations are read
    bool writes_m0 = false;           ///< by SALU
    bool uses_m0 = false;             ///< as something that must not follow such a write at once
    bool sets_register = false;       ///< s_setreg
    std::uint8_t hardware_register = kNone;
    std::uint8_t lane_select = kNone;  ///< operand
    std::uint8_t wide_data = kNone;    ///< operand of more than 64 bits that is being stored
    static constexpr std::uint8_t kNone = 0xff;
  };
  /// Wait states that must lie between, at least; 0 where the two have nothing to do with one another.
  struct Demand {
    unsigned states = 0;
    std::string_view why = {};
  };
  static Role role_of(const Instruction& instruction);
  static Demand demand(const Instruction& first, const Role& before, const Instruction& second,
                       const Role& after);

 private:
  static constexpr unsigned kMost = 5;           ///< wait states of any rule
  static constexpr std::size_t kRemembered = 6;  ///< instructions; those further back are far enough

  struct WaveState {
    std::array<const Instruction*, kRemembered> recent{};  ///< newest first
    std::size_t in_order = 0;  ///< instructions up to the newest that followed one another in the code
  };
  /// Of an instruction behind those that stand before it in the code.
  enum class Verdict : std::uint8_t { unknown, clean, found };

  std::vector<Role> roles_;
  std::vector<Verdict> verdicts_;
  std::vector<WaveState> waves_;
};

}  // namespace wavesmith::simulator
