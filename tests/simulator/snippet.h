// Runs a few instructions for one wave and gives back what they did: the harness of the instruction tests.
//
//   Snippets gfx950("gfx950");
//   Input in;
//   in.v(0, lanes);                                   // 64 values
//   const Output out = gfx950.run("v_add_f32 v2, v0, v1", in);
//   CHECK(out.v(2)[lane] == …);
//
// A snippet is assembled and decoded once; running it again takes microseconds. Where an instruction has a
// handler for wide CPU vectors both are run and must agree. Memory comes from Snippets::allocate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

namespace wavesmith::simulator::testing {

using Lanes32 = std::array<std::uint32_t, 64>;

/// f(lane) for 64 lanes.
template <class F>
Lanes32 lanes(F&& f) {
  Lanes32 values{};
  for (std::uint32_t lane = 0; lane < 64; ++lane) values[lane] = static_cast<std::uint32_t>(f(lane));
  return values;
}

/// State before the snippet. Registers that are not set hold the poison of undefined registers.
struct Input {
  std::map<unsigned, Lanes32> vgprs, agprs;
  std::map<unsigned, std::uint32_t> sgprs;
  std::uint64_t exec = ~std::uint64_t{0};
  std::uint64_t vcc = 0;
  std::uint32_t m0 = 0;
  bool scc = false;
  std::uint32_t mode = 0xf0;        ///< rounding nearest, all denormals kept, IEEE and DX10_CLAMP off
  std::vector<std::byte> lds;       ///< contents; its size is the workgroup's LDS
  std::uint32_t scratch_bytes = 0;  ///< of a lane
  Options options = {};

  Input& v(unsigned reg, const Lanes32& values) { return vgprs[reg] = values, *this; }
  Input& v(unsigned reg, std::uint32_t value) { return vgprs[reg].fill(value), *this; }
  Input& v64(unsigned reg, std::span<const std::uint64_t, 64> values);
  Input& a(unsigned reg, const Lanes32& values) { return agprs[reg] = values, *this; }
  Input& s(unsigned reg, std::uint32_t value) { return sgprs[reg] = value, *this; }
  Input& s64(unsigned reg, std::uint64_t value);
  /// LDS of `bytes` filled by f(dword index).
  template <class F>
  Input& lds_dwords(std::size_t bytes, F&& f) {
    lds.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      lds[i] = static_cast<std::byte>(static_cast<std::uint32_t>(f(static_cast<std::uint32_t>(i / 4))) >>
                                      (8 * (i % 4)));
    }
    return *this;
  }
};

/// State after the snippet.
struct Output {
  std::vector<Lanes32> vgprs, agprs;  ///< those the snippet names
  std::array<std::uint32_t, 128> scalars{};
  std::uint64_t exec = 0, vcc = 0;
  std::uint32_t m0 = 0, mode = 0;
  bool scc = false;
  std::vector<std::byte> lds;
  std::optional<Fault> fault;
  std::vector<InstructionCounters> counters;  ///< of each instruction, in order
  std::vector<Warning> warnings;

  [[nodiscard]] const Lanes32& v(unsigned reg) const { return vgprs.at(reg); }
  [[nodiscard]] const Lanes32& a(unsigned reg) const { return agprs.at(reg); }
  [[nodiscard]] std::uint64_t v64(unsigned reg, unsigned lane) const {
    return v(reg)[lane] | std::uint64_t{v(reg + 1)[lane]} << 32;
  }
  [[nodiscard]] std::uint32_t s(unsigned reg) const { return scalars.at(reg); }
  [[nodiscard]] std::uint64_t s64(unsigned reg) const { return s(reg) | std::uint64_t{s(reg + 1)} << 32; }
  [[nodiscard]] std::uint32_t lds_dword(std::size_t index) const;

  friend bool operator==(const Output& a, const Output& b);
};

class Snippets {
 public:
  explicit Snippets(std::string_view processor, std::uint32_t wave_size = 64);
  ~Snippets();

  /// Runs to the end. An assembler or decoder error, or a difference between the handlers, throws.
  Output run(std::string_view text, const Input& input);
  /// The same with assembler and decoder errors as values: for forms that must be refused.
  Expected<Output> try_run(std::string_view text, const Input& input);

  /// Simulated memory that lasts as long as the object, and its host view.
  struct Buffer {
    DeviceAddress address = 0;
    std::span<std::byte> bytes;
    [[nodiscard]] std::uint32_t dword(std::size_t index) const;
    void set_dword(std::size_t index, std::uint32_t value);
  };
  Buffer allocate(std::uint64_t bytes, AllocationOptions options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs on gfx950 and on gfx942 and demands the same outcome of both: for instructions that both have,
/// without memory.
class CdnaSnippets {
 public:
  Output run(std::string_view text, const Input& input);

 private:
  Snippets gfx950_{"gfx950"}, gfx942_{"gfx942"};
};

}  // namespace wavesmith::simulator::testing
