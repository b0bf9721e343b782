// Wait states that MFMA demands and the hardware does not insert: instructions that must lie between an MFMA
// and one that reads or overwrites its registers. Compilers insert s_nop for them; inline assembly and their
// faults are what this finds. CDNA only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/instruction.h"
#include "simulator/program.h"

namespace wavesmith::simulator {

class MatrixWaits {
 public:
  void start(const Program& program, std::size_t waves);
  /// Before the instruction executes.
  void check(Wave& wave, const Instruction& instruction);
  /// After it: remembers what it wrote and read.
  void note(const Wave& wave, const Instruction& instruction);

 private:
  /// How the matrix unit works on an instruction: on 16-bit, 8-bit and integer factors (XDL), f32, or f64.
  enum class Kind : std::uint8_t { none, xdl, single_precision, double_precision };

  /// The newest events of a register row, in issue slots of its wave; 0: never.
  struct Row {
    std::uint64_t matrix_write = 0, matrix_read_c = 0, vector_write = 0;
    std::uint16_t first = 0;  ///< destination of the MFMA that wrote it
    std::uint8_t width = 0, passes = 0, read_c_passes = 0;
    Kind kind = Kind::none, read_c_kind = Kind::none;
  };
  struct WaveState {
    std::uint64_t slot = 1;  ///< of the instruction that comes next
    std::vector<Row> rows;
  };

  std::vector<WaveState> waves_;
  std::size_t row_count_ = 0;

  static Kind kind_of(const Instruction& instruction);
  static unsigned passes_of(const Wave& wave, const Instruction& instruction);
  void check_matrix(Wave& wave, const Instruction& instruction, const WaveState& state);
  void check_other(Wave& wave, const Instruction& instruction, const WaveState& state);
};

}  // namespace wavesmith::simulator
