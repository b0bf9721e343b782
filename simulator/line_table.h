// The optional line table of a code object: which step each instruction belongs to. The generator writes one
// source file per step of its Plan; compilers of other languages write source files, which serve as labels
// just as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace wavesmith::simulator {

class LineTable {
 public:
  /// Reads .debug_line; a code object without one, or with a damaged one, gives an empty table.
  [[nodiscard]] static LineTable read(std::span<const std::byte> code_object);

  /// The step of the instruction at an address of the code object; empty where nothing is known.
  [[nodiscard]] std::string_view step_at(std::uint64_t address) const;
  [[nodiscard]] bool empty() const { return steps_.empty(); }

 private:
  std::map<std::uint64_t, std::string>
      steps_;  ///< first address of a range -> step; an empty step ends a range
};

}  // namespace wavesmith::simulator
