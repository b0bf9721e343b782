// SMEM: addresses, sizes, the buffer range check, and that results arrive with the wait that proves them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kPending = 0xfff5fff5;  // docs/simulator.md: a register whose load was not waited for

/// 256 bytes whose dword i is 0x1000 + i.
Snippets::Buffer numbered(Snippets& snippets, u64 bytes = 256) {
  Snippets::Buffer buffer = snippets.allocate(bytes, {.name = "numbers"});
  for (std::size_t i = 0; i < bytes / 4; ++i) buffer.set_dword(i, 0x1000 + static_cast<u32>(i));
  return buffer;
}

}  // namespace

TEST_CASE("scalar loads of every size and address form") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const auto buffer = numbered(cdna);
  const struct {
    const char* suffix;
    const char* destination;
    u32 dwords;
  } sizes[] = {{"", "s20", 1},
               {"x2", "s[20:21]", 2},
               {"x4", "s[20:23]", 4},
               {"x8", "s[20:27]", 8},
               {"x16", "s[20:35]", 16}};
  for (const auto& size : sizes) {
    const struct {
      std::string address;
      u32 first;
    } forms[] = {{"s[2:3], 0x10", 4},
                 {"s[2:3], s6", 6},
                 {"s[2:3], s6 offset:0x8", 8},
                 {"s[4:5], -16", 12},
                 {"s[8:9], 0x0", 5}};
    for (const auto& form : forms) {
      Input in;
      in.s64(2, buffer.address)
          .s64(4, buffer.address + 64)
          .s(6, 24)
          .s64(8, buffer.address + 22);  // low bits are cut
      const std::string text = std::string("s_load_dword") + size.suffix + " " + size.destination + ", " +
                               form.address + "\ns_waitcnt lgkmcnt(0)";
      const Output out = cdna.run(text, in);
      INFO(text);
      REQUIRE(!out.fault);
      for (u32 d = 0; d < size.dwords; ++d) CHECK(out.s(20 + d) == 0x1000 + form.first + d);
    }
  }
}

TEST_CASE("an SGPR offset is unsigned and may be large") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const auto buffer = numbered(cdna);
  Input in;
  in.s64(2, buffer.address - 0xfffffff0u).s(6, 0xfffffff0u);
  CHECK(cdna.run("s_load_dword s0, s[2:3], s6\ns_waitcnt lgkmcnt(0)", in).s(0) == 0x1000);
}

TEST_CASE("a scalar load arrives with a wait for zero, not earlier") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const auto buffer = numbered(cdna);
  Input in;
  in.s64(2, buffer.address).s(0, 7);
  // s10 copies what a reader sees at each point.
  CHECK(cdna.run("s_load_dword s0, s[2:3], 0x0\ns_mov_b32 s10, s0", in).s(10) == kPending);
  CHECK(cdna.run("s_load_dword s0, s[2:3], 0x0\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s10, s0", in).s(10) ==
        kPending);
  CHECK(cdna.run("s_load_dword s0, s[2:3], 0x0\ns_load_dword s1, s[2:3], 0x4\ns_waitcnt lgkmcnt(1)\n"
                 "s_mov_b32 s10, s0",
                 in)
            .s(10) == kPending);
  CHECK(cdna.run("s_load_dword s0, s[2:3], 0x0\ns_waitcnt vmcnt(0)\ns_mov_b32 s10, s0", in).s(10) ==
        kPending);
  CHECK(cdna.run("s_load_dword s0, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s10, s0", in).s(10) ==
        0x1000);
  // The end of the wave lets everything arrive, but a value written in between is lost: the load lands later.
  CHECK(cdna.run("s_load_dword s0, s[2:3], 0x0\ns_mov_b32 s0, 5", in).s(0) == 0x1000);
  // A load may overwrite its own address.
  CHECK(cdna.run("s_load_dwordx2 s[2:3], s[2:3], 0x8\ns_waitcnt lgkmcnt(0)", in).s64(2) ==
        0x0000100300001002);
}

TEST_CASE("scalar buffer loads give zero beyond num_records") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const auto buffer = numbered(cdna);
  const auto run = [&](u64 stride, u32 records, const std::string& text) {
    Input in;
    in.s64(4, buffer.address | stride << 48).s(6, records).s(7, 0x00027000).s(10, 8);
    return cdna.run(text + "\ns_waitcnt lgkmcnt(0)", in);
  };
  CHECK(run(0, 256, "s_buffer_load_dword s0, s[4:7], 0x10").s(0) == 0x1004);
  CHECK(run(0, 256, "s_buffer_load_dword s0, s[4:7], s10").s(0) == 0x1002);
  const Output cut = run(0, 24, "s_buffer_load_dwordx4 s[12:15], s[4:7], 0x10");
  CHECK(cut.s(12) == 0x1004);
  CHECK(cut.s(13) == 0x1005);
  CHECK(cut.s(14) == 0);
  CHECK(cut.s(15) == 0);
  // With a stride num_records counts elements.
  CHECK(run(16, 2, "s_buffer_load_dword s0, s[4:7], 0x1c").s(0) == 0x1007);
  CHECK(run(16, 2, "s_buffer_load_dword s0, s[4:7], 0x20").s(0) == 0);
  CHECK(run(0, 256, "s_buffer_load_dwordx2 s[12:13], s[4:7], 0x0").s64(12) == 0x0000100100001000);
  CHECK(run(0, 256, "s_buffer_load_dwordx8 s[12:19], s[4:7], 0x0").s(19) == 0x1007);
  CHECK(run(0, 256, "s_buffer_load_dwordx16 s[12:27], s[4:7], 0x0").s(27) == 0x100f);
  // Every size by register, and by register and immediate: dword k of the result is 2 + k, or 5 + k.
  for (const auto& [name, dwords] :
       {std::pair{"dword", 1u}, {"dwordx2", 2u}, {"dwordx4", 4u}, {"dwordx8", 8u}, {"dwordx16", 16u}}) {
    const std::string to = dwords == 1 ? "s12" : fmt::format("s[12:{}]", 11 + dwords);
    const Output by_register = run(0, 256, fmt::format("s_buffer_load_{} {}, s[4:7], s10", name, to));
    const Output by_both = run(0, 256, fmt::format("s_buffer_load_{} {}, s[4:7], s10 offset:0xc", name, to));
    const Output beyond = run(0, 8, fmt::format("s_buffer_load_{} {}, s[4:7], s10", name, to));
    for (u32 k = 0; k < dwords; ++k) {
      INFO(name << " dword " << k);
      CHECK(by_register.s(12 + k) == 0x1002 + k);
      CHECK(by_both.s(12 + k) == 0x1005 + k);
      CHECK(beyond.s(12 + k) == 0);
    }
  }
}

TEST_CASE("a scalar load outside every allocation is a fault that says where") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const auto buffer = numbered(cdna);
  Input in;
  in.s64(2, buffer.address);
  const Output out = cdna.run("s_nop 0\ns_load_dwordx2 s[0:1], s[2:3], 0xfc\ns_waitcnt lgkmcnt(0)", in);
  REQUIRE(out.fault);
  CHECK(out.fault->text == "s_load_dwordx2 s[0:1], s[2:3], 0xfc");
  CHECK(out.fault->address == 4);
  CHECK(out.fault->memory_address == buffer.address + 0xfc);
  CHECK(out.fault->what.find("numbers") != std::string::npos);
}

TEST_CASE("the clock rises") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const Output out = cdna.run("s_memtime s[0:1]\ns_memrealtime s[2:3]\ns_waitcnt lgkmcnt(0)", Input());
  CHECK(out.s64(2) > out.s64(0));
}
