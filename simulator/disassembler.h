// One instruction's bytes to its text, by LLVM's AMDGPU disassembler. With line_table.cpp, all
// of the simulator that uses LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

namespace wavesmith::simulator {

class Disassembler {
 public:
  /// For a processor like "gfx950"; `features` as LLVM spells them ("+wavefrontsize32").
  [[nodiscard]] static Expected<Disassembler> create(std::string_view processor, std::string_view features);

  struct Line {
    std::string text;        ///< without leading blanks; empty when the bytes are no instruction
    std::uint32_t size = 0;  ///< bytes; 0 when the bytes are no instruction
  };
  [[nodiscard]] Line disassemble(std::span<const std::byte> bytes, std::uint64_t pc);

 private:
  struct Dispose {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Dispose> context_;
};

}  // namespace wavesmith::simulator
