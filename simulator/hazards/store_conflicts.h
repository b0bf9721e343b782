// Lanes of one store that write different values to one byte: which of them stays is not promised. Looks at
// the operation that a store has just put into its queue; atomics have an order-independent meaning and are
// left alone, scratch is each lane's own.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/in_flight.h"
#include "simulator/instruction.h"
#include "simulator/program.h"

namespace wavesmith::simulator {

class StoreConflicts {
 public:
  void start(const Program& program);
  /// Behind an instruction that has executed.
  void check(Wave& wave, const Instruction& instruction);

 private:
  enum class Target : std::uint8_t { none, global, buffer, flat, lds };
  /// How an instruction stores.
  struct Store {
    Target target = Target::none;
    std::uint8_t bytes = 0;   ///< of a lane and element
    std::uint8_t shift = 0;   ///< bits of the register below the stored ones
    std::int32_t second = 0;  ///< bytes from the first element to the second; 0: there is one
  };
  struct Piece {
    std::uint64_t address = 0;
    std::uint32_t lane = 0, first_dword = 0, bytes = 0;
  };

  std::vector<Store> stores_;  ///< by instruction
  std::vector<Piece> pieces_;  ///< of the store that is looked at

  static Store store_of(const Instruction& instruction);
  void collect(const PendingOp& op, const Store& store, unsigned dwords);
};

}  // namespace wavesmith::simulator
