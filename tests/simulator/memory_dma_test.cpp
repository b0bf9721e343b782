// Loads from memory to LDS: where each lane's slot is, what inactive lanes and range checks leave or write,
// when the data arrives, and which counters they move.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kPending = 0xfff5fff5;
constexpr u32 kBytes = 16384, kLds = 8192;

bool is_to_lds(const ImplementedForm& form) {
  return form.form.starts_with("lds_") || form.mnemonic.find("_load_lds_") != std::string::npos;
}

Element element_of(const ImplementedForm& form) {
  const bool buffer = form.mnemonic.starts_with("buffer_");
  return element_named(
      form.mnemonic.substr(form.mnemonic.find(buffer ? "_load_" : "_lds_") + (buffer ? 6 : 5)));
}

/// What the lane's slot holds afterwards: narrow elements are extended to a dword.
std::vector<std::byte> slot_bytes(Element element, std::span<const std::byte> memory) {
  if (element.bytes >= 4) return {memory.begin(), memory.begin() + element.bytes};
  const u32 value = loaded(element, memory, 0, 0, false);
  std::vector<std::byte> bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

/// Puts the instruction's address operands together; lane l shall read memory at place[l].
struct Operands {
  std::string text;
  Input in;
};
Operands operands(const ImplementedForm& form, u64 base, const Lanes32& place, int immediate) {
  Operands result;
  const std::string offset = immediate == 0 ? "" : fmt::format(" offset:{}", immediate);
  if (form.mnemonic.starts_with("buffer_")) {
    // One structure is 1 byte, so that an index counts like an offset.
    const bool index = form.form == "lds_idxen" || form.form == "lds_bothen", off = form.form == "lds_offset";
    const bool both = form.form == "lds_bothen";
    result.in.s64(4, base | (index ? u64{1} << 48 : 0)).s(6, 1u << 30).s(7, 0x20000);
    result.in.v(4, lanes([&](u32 l) { return both ? place[l] / 2 : place[l]; }));
    result.in.v(5, lanes([&](u32 l) { return place[l] - place[l] / 2; }));
    result.text =
        fmt::format("{} {}, s[4:7], 0{}{}{} lds", form.mnemonic,
                    both  ? "v[4:5]"
                    : off ? "off"
                          : "v4",
                    index ? " idxen" : "", both || form.form == "lds_offen" ? " offen" : "", offset);
    return result;
  }
  if (form.mnemonic.starts_with("scratch_")) {
    const bool vector = form.form == "vaddr" || form.form == "svs",
               scalar = form.form == "saddr" || form.form == "svs";
    result.in.v(4, place).s(2, 0);
    result.text =
        fmt::format("{} {}, {}{}", form.mnemonic, vector ? "v4" : "off", scalar ? "s2" : "off", offset);
    return result;
  }
  std::array<u64, 64> address{};
  for (u32 l = 0; l < 64; ++l) address[l] = base + place[l];
  if (form.form == "saddr") {
    result.in.v(4, place).s64(2, base);
    result.text = fmt::format("{} v4, s[2:3]{}", form.mnemonic, offset);
  } else {
    result.in.v64(4, address);
    result.text = fmt::format("{} v[4:5], off{}", form.mnemonic, offset);
  }
  return result;
}

}  // namespace

TEST_CASE("every load to LDS fills slot 4 * lane, or 16 * lane, behind M0 and the immediate") {
  Random random(61);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    const auto buffer = snippets.allocate(kBytes, {.name = "data"});
    std::size_t driven = 0;
    for (const ImplementedForm& form : [&] {
           auto all = forms_of(processor, "buffer_load_");
           for (auto& more : forms_of(processor, "global_load_lds_")) all.push_back(more);
           return all;
         }()) {
      if (!is_to_lds(form)) continue;
      ++driven;
      const Element element = element_of(form);
      const u32 slot = element.bytes > 4 ? 16 : 4;
      const bool global = form.mnemonic.starts_with("global_");
      for (const int immediate : {0, 12, 1020}) {
        for (const u64 exec : exec_patterns()) {
          const bool one_place = form.form == "lds_offset";
          const Lanes32 place = lanes([&](u32) { return one_place ? 0 : 4096 + 4 * below(random, 2000); });
          Operands o = operands(form, buffer.address, place, immediate);
          INFO(o.text << " exec " << std::hex << exec);
          o.in.exec = exec;
          // Bits that do not count: above 15 or 17, and for GLOBAL the lowest two.
          const u32 base = 256, above = processor == "gfx950" ? 0xfffc0000u : 0xffff0000u;
          o.in.m0 = base | above | (global ? 3 : 0);
          o.in.lds = random_bytes(random, kLds);
          const std::vector<std::byte> memory = random_bytes(random, kBytes);
          std::ranges::copy(memory, buffer.bytes.begin());
          const Output out = snippets.run(o.text + "\ns_waitcnt vmcnt(0)", o.in);
          if (out.fault) FAIL(out.fault->message());
          std::vector<std::byte> lds = o.in.lds;
          Lines lines;
          for (u32 l = 0; l < 64; ++l) {
            if (!active(exec, l)) continue;
            const std::size_t from = place[l] + static_cast<u32>(immediate);
            lines.add(buffer.address + from, element.bytes);
            std::ranges::copy(slot_bytes(element, std::span(memory).subspan(from)),
                              lds.begin() + base + immediate + slot * l);
          }
          REQUIRE(out.lds == lds);
          CHECK(out.counters[0].bytes == static_cast<u64>(std::popcount(exec)) * element.bytes);
          CHECK(out.counters[0].cache_lines == lines.count());
          CHECK(out.counters[0].lds_conflict_cycles == 0);  // the slots are linear
          CHECK(out.counters[0].lds_cycles == (element.bytes > 4 ? 8 : 2));
        }
      }
    }
    CHECK(driven == (processor == "gfx950" ? 4 * 7 + 2 * 7 : 4 * 5 + 2 * 5));
  }
}

TEST_CASE("every load from scratch to LDS takes each lane's own bytes") {
  Random random(62);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    std::size_t driven = 0;
    for (const ImplementedForm& form : forms_of(processor, "scratch_load_lds_")) {
      ++driven;
      const Element element = element_of(form);
      for (const u64 exec : exec_patterns()) {
        const bool vector = form.form == "vaddr" || form.form == "svs";
        const Lanes32 place = lanes([&](u32 l) { return vector ? 4 * (l % 12) : 0; });
        Operands o = operands(form, 0, place, 8);
        INFO(o.text << " exec " << std::hex << exec);
        o.in.s64(10, exec).m0 = 128;
        o.in.scratch_bytes = 64;
        o.in.lds = random_bytes(random, 512);
        std::array<std::array<std::byte, 64>, 64> memory{};
        for (unsigned d = 0; d < kScratchDwords; ++d) {
          const Lanes32 values = random_lanes(random);
          o.in.v(kScratchIn + d, values);
          for (u32 l = 0; l < 64; ++l) std::memcpy(&memory[l][4 * d], &values[l], 4);
        }
        const Output out = snippets.run(with_scratch(o.text), o.in);
        if (out.fault) FAIL(out.fault->message());
        std::vector<std::byte> lds = o.in.lds;
        for (u32 l = 0; l < 64; ++l) {
          if (!active(exec, l)) continue;
          std::ranges::copy(slot_bytes(element, std::span(memory[l]).subspan(place[l] + 8)),
                            lds.begin() + 128 + 8 + 4 * l);
        }
        REQUIRE(out.lds == lds);
      }
    }
    CHECK(driven == 5 * 4);
  }
}

TEST_CASE("three dwords for each lane leave the fourth of their slot alone") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, d);
  Input in;
  in.lds_dwords(1024, [](u32) { return 77; });
  in.v(4, lanes([](u32 l) { return 12 * l; })).s64(2, buffer.address);
  const Output out = snippets.run("global_load_lds_dwordx3 v4, s[2:3]\ns_waitcnt vmcnt(0)", in);
  for (u32 d = 0; d < 256; ++d) CHECK(out.lds_dword(d) == (d % 4 == 3 ? 77 : d / 4 * 3 + d % 4));
}

TEST_CASE(
    "a buffer's range check turns a load to LDS into zeros, dword by dword, and never skips the write") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, 0x1000 + d);
  Input in;
  in.lds_dwords(1024, [](u32) { return 0xdeadbeef; });
  in.s64(4, buffer.address).s(6, 4 * 100 + 8).s(7, 0x20000);
  in.v(4, lanes([](u32 l) { return 16 * l; }));
  const Output out = snippets.run("buffer_load_dwordx4 v4, s[4:7], 0 offen lds\ns_waitcnt vmcnt(0)", in);
  REQUIRE(!out.fault);
  for (u32 d = 0; d < 256; ++d) CHECK(out.lds_dword(d) == (d < 102 ? 0x1000 + d : 0));
  CHECK(out.counters[0].bytes == 4 * 102);
  in.v(4, lanes([](u32 l) { return 4 * l; })).s(6, 0);
  const Output none = snippets.run("buffer_load_dword v4, s[4:7], 0 offen lds\ns_waitcnt vmcnt(0)", in);
  for (u32 d = 0; d < 64; ++d) CHECK(none.lds_dword(d) == 0);
  CHECK(none.lds_dword(64) == 0xdeadbeef);
  // Inactive lanes leave holes even where active ones are out of range.
  in.exec = 0x0f;
  const Output partial = snippets.run("buffer_load_dword v4, s[4:7], 0 offen lds\ns_waitcnt vmcnt(0)", in);
  CHECK(partial.lds_dword(3) == 0);
  CHECK(partial.lds_dword(4) == 0xdeadbeef);
}

TEST_CASE("the immediate moves both sides, registers and the scalar offset only memory") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(8192, {.name = "data"});
  for (u32 d = 0; d < 2048; ++d) buffer.set_dword(d, 0x1000 + d);
  Input in;
  in.lds_dwords(2048, [](u32) { return 0; });
  in.m0 = 64;
  in.s64(4, buffer.address).s(6, 8192).s(7, 0x20000).s(2, 400);
  in.v(4, lanes([](u32 l) { return 4 * l + 100; }));
  const Output out =
      snippets.run("buffer_load_dword v4, s[4:7], s2 offen offset:256 lds\ns_waitcnt vmcnt(0)", in);
  for (u32 l = 0; l < 64; ++l) CHECK(out.lds_dword((64 + 256) / 4 + l) == 0x1000 + (256 + 400 + 100) / 4 + l);
  const u64 delta = 512;
  in.s64(2, buffer.address + delta).v(4, lanes([](u32 l) { return 4 * l; })).m0 = 1024;
  const Output back = snippets.run("global_load_lds_dword v4, s[2:3] offset:-256\ns_waitcnt vmcnt(0)", in);
  REQUIRE(!back.fault);
  for (u32 l = 0; l < 64; ++l) CHECK(back.lds_dword((1024 - 256) / 4 + l) == 0x1000 + (512 - 256) / 4 + l);
}

TEST_CASE("a slot outside the workgroup's LDS is a fault, for active lanes only") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(4096, {.name = "data"});
  Input in;
  in.lds_dwords(1024, [](u32) { return 5; });
  in.v(4, 0u).s64(2, buffer.address).m0 = 16;
  const auto run = [&](const std::string& text) { return snippets.run(text + "\ns_waitcnt vmcnt(0)", in); };
  const Output out = run("global_load_lds_dwordx4 v4, s[2:3]");
  REQUIRE(out.fault);
  CHECK(out.fault->lane == 63);
  CHECK(out.fault->memory_address == 16 + 63 * 16);
  CHECK(out.fault->what == "load to LDS of 16 bytes at byte 1024 of the 1024 that the workgroup has");
  in.exec = ~u64{0} >> 1;
  CHECK(!run("global_load_lds_dwordx4 v4, s[2:3]").fault);
  in.exec = ~u64{0};
  in.m0 = 0;
  CHECK(!run("global_load_lds_dwordx4 v4, s[2:3]").fault);
  const Output negative = run("global_load_lds_dword v4, s[2:3] offset:-4");
  REQUIRE(negative.fault);
  CHECK(negative.fault->lane == 0);
  in.m0 = 0x20000;  // bit 17 counts on gfx950
  REQUIRE(run("global_load_lds_dword v4, s[2:3]").fault);
  CHECK(run("global_load_lds_dword v4, s[2:3]").fault->memory_address == 0x20000);
}

TEST_CASE("a load to LDS at an odd address is warned of") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(1024, {.name = "data"});
  buffer.set_dword(0, 0x12345678);
  Input in;
  in.lds_dwords(1024, [](u32) { return 0; });
  in.s64(4, buffer.address).s(6, 1024).s(7, 0x20000).m0 = 2;
  const std::string text = "buffer_load_dword off, s[4:7], 0 lds\ns_waitcnt vmcnt(0)";
  const Output out = snippets.run(text, in);
  CHECK(out.lds_dword(0) == 0x56780000);
  REQUIRE(out.warnings.size() == 1);
  CHECK(out.warnings[0].first.memory_address == 2);
  in.m0 = 4;
  CHECK(snippets.run(text, in).warnings.empty());
  in.m0 = 2;
  in.exec = 0;
  CHECK(snippets.run(text, in).warnings.empty());
}

TEST_CASE("a load to LDS is not there before vmcnt says so; lgkmcnt says nothing") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(1024, {.name = "data"});
  for (u32 d = 0; d < 256; ++d) buffer.set_dword(d, d);
  Input in;
  in.lds_dwords(1024, [](u32 d) { return 500 + d; });
  in.v(4, lanes([](u32 l) { return 4 * l; })).s64(2, buffer.address);
  in.s64(8, buffer.address).s(10, 1024).s(11, 0x20000);
  const auto seen = [&](const std::string& between) {
    return snippets.run(
        "buffer_load_dword v4, s[8:11], 0 offen offset:256 lds\nglobal_load_lds_dword v4, s[2:3] "
        "offset:512\n" +
            between +
            "\nds_read_b32 v5, v4 offset:256\nds_read_b32 v6, v4 offset:512\n"
            "s_waitcnt lgkmcnt(0)",
        in);
  };
  // The slots hold neither old nor new data in between: reading them early is always noticed.
  Output out = seen("s_waitcnt lgkmcnt(0)");
  CHECK(out.v(5)[7] == kPending);
  CHECK(out.v(6)[7] == kPending);
  out = seen("s_waitcnt vmcnt(1)");
  CHECK(out.v(5)[7] == 64 + 7);
  CHECK(out.v(6)[7] == kPending);
  out = seen("s_waitcnt vmcnt(0)");
  CHECK(out.v(5)[7] == 64 + 7);
  CHECK(out.v(6)[7] == 128 + 7);
  in.options.poison = false;
  CHECK(seen("s_nop 0").v(5)[7] == 500 + 64 + 7);  // without poison the old data
}

TEST_CASE("a load to LDS takes addresses, EXEC and M0 when it is issued and memory when it lands") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(1024, {.name = "data"});
  for (u32 d = 0; d < 256; ++d) buffer.set_dword(d, d);
  Input in;
  in.lds_dwords(1024, [](u32) { return 9; });
  in.v(4, lanes([](u32 l) { return 4 * l; })).v(5, 1000u).s64(2, buffer.address);
  in.exec = 0xff;
  const Output out = snippets.run(
      "global_store_dword v4, v5, s[2:3]\nglobal_load_lds_dword v4, s[2:3]\ns_mov_b32 m0, 0x200\nv_mov_b32 "
      "v4, 0\n"
      "s_mov_b64 exec, -1\ns_mov_b64 s[2:3], 0\ns_waitcnt vmcnt(0)",
      in);
  REQUIRE(!out.fault);
  for (u32 d = 0; d < 8; ++d) CHECK(out.lds_dword(d) == 1000);  // the earlier store of the same wave is seen
  CHECK(out.lds_dword(8) == 9);
  CHECK(out.lds_dword(128) == 9);
}

TEST_CASE("narrow loads to LDS write an extended dword, or only the element where the option says so") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(64, {.name = "data"});
  buffer.set_dword(0, 0x0000fe80);
  Input in;
  in.lds_dwords(512, [](u32) { return 0x33333333; });
  in.v(4, 0u).s64(2, buffer.address);
  const auto first = [&](const std::string& one) {
    return snippets.run(one + "\ns_waitcnt vmcnt(0)", in).lds_dword(5);
  };
  CHECK(first("global_load_lds_sbyte v4, s[2:3]") == 0xffffff80);
  CHECK(first("global_load_lds_ubyte v4, s[2:3]") == 0x80);
  CHECK(first("global_load_lds_sshort v4, s[2:3]") == 0xfffffe80);
  in.options.lds_dma_narrow = LdsDmaNarrow::element;
  CHECK(first("global_load_lds_sbyte v4, s[2:3]") == 0x33333380);
  CHECK(first("global_load_lds_ushort v4, s[2:3]") == 0x3333fe80);
}
