// ds_bpermute, ds_permute and ds_swizzle: lane by lane from the ISA's definitions, with inactive sources and
// lane numbers that wrap.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

Output run(CdnaSnippets& snippets, const std::string& text, const Lanes32& address, const Lanes32& data,
           const Lanes32& old, u64 exec) {
  Input in;
  in.exec = exec;
  in.v(1, address).v(2, data).v(3, old);
  Output out = snippets.run(text + "\ns_waitcnt lgkmcnt(0)", in);
  REQUIRE(!out.fault);
  CHECK(out.counters[0].bytes == 0);
  CHECK(out.counters[0].lds_conflict_cycles == 0);
  return out;
}

}  // namespace

TEST_CASE("ds_bpermute reads the lane an address names, wrapping at 64, and 0 from an inactive one") {
  Random random(41);
  CdnaSnippets snippets;
  for (const u32 offset : {0u, 4u, 252u, 65532u}) {
    for (const u64 exec : exec_patterns()) {
      const Lanes32 address = random_lanes(random), data = random_lanes(random), old = random_lanes(random);
      const Output out = run(snippets, fmt::format("ds_bpermute_b32 v3, v1, v2 offset:{}", offset), address,
                             data, old, exec);
      for (u32 l = 0; l < 64; ++l) {
        const u32 from = static_cast<u32>(u64{address[l] + offset} / 4 % 64);
        const u32 expected = !active(exec, l) ? old[l] : active(exec, from) ? data[from] : 0;
        REQUIRE(out.v(3)[l] == expected);
      }
    }
  }
}

TEST_CASE("ds_bpermute wraps: lane 64 is lane 0 and the low address bits do not count") {
  CdnaSnippets snippets;
  const Lanes32 data = lanes([](u32 l) { return 1000 + l; });
  const Lanes32 address = lanes([](u32 l) { return 4 * (l + 1) + l % 4; });
  const Output out = run(snippets, "ds_bpermute_b32 v3, v1, v2", address, data, data, ~u64{0});
  for (u32 l = 0; l < 63; ++l) CHECK(out.v(3)[l] == 1001 + l);
  CHECK(out.v(3)[63] == 1000);
}

TEST_CASE("ds_permute writes the lane an address names, the highest writer wins, others get 0") {
  Random random(42);
  CdnaSnippets snippets;
  for (const u32 offset : {0u, 8u, 65532u}) {
    for (const u64 exec : exec_patterns()) {
      const Lanes32 data = random_lanes(random), old = random_lanes(random);
      // Few targets, so that lanes meet.
      const Lanes32 address = lanes([&](u32) { return 256 * below(random, 3) + 4 * below(random, 40); });
      const Output out =
          run(snippets, fmt::format("ds_permute_b32 v3, v1, v2 offset:{}", offset), address, data, old, exec);
      for (u32 target = 0; target < 64; ++target) {
        u32 expected = 0;
        for (u32 l = 64; l-- > 0;) {
          if (!active(exec, l) || (address[l] + offset) / 4 % 64 != target) continue;
          expected = data[l];
          break;
        }
        REQUIRE(out.v(3)[target] == (active(exec, target) ? expected : old[target]));
      }
    }
  }
}

TEST_CASE("ds_swizzle follows its pattern inside each half of 32 lanes") {
  Random random(43);
  CdnaSnippets snippets;
  const auto check = [&](u32 pattern, auto&& source_of) {
    for (const u64 exec : exec_patterns()) {
      INFO("pattern " << std::hex << pattern << " exec " << exec);
      const Lanes32 data = random_lanes(random), old = random_lanes(random);
      Input in;
      in.exec = exec;
      in.v(2, data).v(3, old);
      const Output out =
          snippets.run(fmt::format("ds_swizzle_b32 v3, v2 offset:{:#x}\ns_waitcnt lgkmcnt(0)", pattern), in);
      REQUIRE(!out.fault);
      for (u32 l = 0; l < 64; ++l) {
        const u32 from = l / 32 * 32 + static_cast<u32>(source_of(l % 32));
        REQUIRE(out.v(3)[l] == (!active(exec, l) ? old[l] : active(exec, from) ? data[from] : 0));
      }
    }
  };
  // Named uses of the bit-mask mode, from what they mean.
  check(0x001f, [](u32 l) { return l; });                                    // identity
  check(0x0000, [](u32) { return 0; });                                      // broadcast of lane 0
  check(0x001f | 16 << 10, [](u32 l) { return l < 16 ? l + 16 : l - 16; });  // swap of 16
  check(0x001f | 31 << 10, [](u32 l) { return 31 - l; });                    // reversal of 32
  check(0x001c | 2 << 5, [](u32 l) { return l / 4 * 4 + 2; });  // broadcast of lane 2 of each four
  for (int round = 0; round < 20; ++round) {
    const u32 pattern = below(random, 0x8000);
    check(pattern, [&](u32 l) {
      u32 from = 0;
      for (u32 b = 0; b < 5; ++b) {
        u32 bit = l >> b & 1;
        if ((pattern >> b & 1) == 0) bit = 0;          // and
        if ((pattern >> (5 + b) & 1) == 1) bit = 1;    // or
        if ((pattern >> (10 + b) & 1) == 1) bit ^= 1;  // xor
        from |= bit << b;
      }
      return from;
    });
  }
  check(0x801b, [](u32 l) { return l / 4 * 4 + (3 - l % 4); });  // quad permutation 3,2,1,0
  check(0x80b1, [](u32 l) { return l ^ 1; });                    // 1,0,3,2
  // Rotation left by 1 reads the next lane; with a mask only the bits outside it rotate.
  check(0xc000 | 1 << 5, [](u32 l) { return (l + 1) % 32; });
  check(0xc000 | 1 << 10 | 1 << 5, [](u32 l) { return (l + 31) % 32; });
  check(0xc000 | 1 << 5 | 1, [](u32 l) { return l % 2 + (l + 1) / 2 * 2 % 32; });
  // FFT: bits are reversed, but the masked ones stay.
  check(0xe01f, [](u32 l) { return l; });
  check(0xe000, [](u32 l) {
    u32 reversed = 0;
    for (u32 b = 0; b < 5; ++b) reversed += (l >> b & 1) << (4 - b);
    return reversed;
  });
  constexpr u32 with_mask_16[32] = {0,  8,  4,  12, 2,  10, 6,  14, 1,  9,  5,  13, 3,  11, 7,  15,
                                    16, 24, 20, 28, 18, 26, 22, 30, 17, 25, 21, 29, 19, 27, 23, 31};
  check(0xe010, [&](u32 l) { return with_mask_16[l]; });
}
