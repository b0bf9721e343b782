// SCRATCH and FLAT: every implemented form against a byte-wise reference. FLAT lanes of one instruction go to
// global memory, LDS and scratch at once.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"
#include "simulator/wave.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kLaneBytes = 4 * kScratchDwords;

bool is_load(std::string_view mnemonic) {
  return mnemonic.find("_load_") != std::string_view::npos;
}
bool is_plain(std::string_view mnemonic) {
  return mnemonic.find("_lds_") == std::string_view::npos &&
         mnemonic.find("_atomic_") == std::string_view::npos;
}
Element element_of(std::string_view mnemonic) {
  const std::size_t at = is_load(mnemonic) ? mnemonic.find("_load_") + 6 : mnemonic.find("_store_") + 7;
  return element_named(mnemonic.substr(at));
}

/// The private memory of 64 lanes.
using Private = std::array<std::array<std::byte, kLaneBytes>, 64>;

Private set_scratch(Random& random, Input& in) {
  Private memory;
  in.scratch_bytes = kLaneBytes;
  for (unsigned d = 0; d < kScratchDwords; ++d) {
    const Lanes32 values = random_lanes(random);
    in.v(kScratchIn + d, values);
    for (u32 l = 0; l < 64; ++l) std::memcpy(&memory[l][4 * d], &values[l], 4);
  }
  return memory;
}

void check_scratch(const Output& out, const Private& expected) {
  for (unsigned d = 0; d < kScratchDwords; ++d) {
    Lanes32 values{};
    for (u32 l = 0; l < 64; ++l) std::memcpy(&values[l], &expected[l][4 * d], 4);
    REQUIRE(out.v(kScratchOut + d) == values);
  }
}

/// Puts one lane's store into memory, or checks its load; `at` are the lane's bytes.
void move_lane(const Output& out, const std::string& mnemonic, Element element,
               const std::array<Lanes32, 4>& data, u64 exec, u32 lane, std::byte* at) {
  const bool on = active(exec, lane);
  for (u32 d = 0; d < element.registers(); ++d) {
    const u32 expected = on && is_load(mnemonic)
                             ? loaded(element, std::span(at, element.bytes), d, data[d][lane], false)
                             : data[d][lane];
    REQUIRE(out.v(8 + d)[lane] == expected);
  }
  if (!on || is_load(mnemonic)) return;
  const u32 source[] = {data[0][lane], data[1][lane], data[2][lane], data[3][lane]};
  std::ranges::copy(stored(element, source), at);
}

/// Returns whether the offset could be used with the form.
bool run_scratch(Snippets& snippets, Random& random, const ImplementedForm& form, int offset, u64 exec) {
  const Element element = element_of(form.mnemonic);
  const std::string data_text = registers(8, element.registers());
  const bool vector = form.form == "vaddr" || form.form == "svs",
             scalar = form.form == "saddr" || form.form == "svs";
  const std::string v = vector ? "v4" : "off", s = scalar ? "s4" : "off";
  const std::string text =
      fmt::format("{} {}, {}, {} offset:{}", form.mnemonic, is_load(form.mnemonic) ? data_text : v,
                  is_load(form.mnemonic) ? v : data_text, s, offset);
  INFO(text << " exec " << std::hex << exec);
  Input in;
  in.s64(10, exec);
  Private memory = set_scratch(random, in);
  std::array<Lanes32, 4> data;
  for (u32 d = 0; d < 4; ++d) in.v(8 + d, data[d] = random_lanes(random));
  // The sum of the terms has to be a place in the lane's bytes, and no register may hold a negative one.
  const int last = static_cast<int>(kLaneBytes - element.bytes);
  const int scalar_part = scalar ? std::max(0, -offset) : 0;
  const int known = scalar_part + offset;
  if (known > last || (!vector && known < 0)) return false;
  const int lowest = std::max(known, 0);
  const Lanes32 place = lanes([&](u32) {
    return vector ? lowest + static_cast<int>(below(random, static_cast<u32>(last - lowest + 1))) : known;
  });
  if (scalar) in.s(4, static_cast<u32>(scalar_part));
  if (vector) in.v(4, lanes([&](u32 l) { return static_cast<int>(place[l]) - known; }));
  const Output out = snippets.run(with_scratch(text), in);
  if (out.fault) FAIL(out.fault->message());
  for (u32 l = 0; l < 64; ++l) {
    move_lane(out, form.mnemonic, element, data, exec, l, &memory[l][place[l]]);
  }
  check_scratch(out, memory);
  const auto lanes_active = static_cast<u64>(std::popcount(exec));
  CHECK(out.counters[kScratchDwords + 2].bytes == lanes_active * element.bytes);
  return true;
}

}  // namespace

TEST_CASE("every SCRATCH load and store moves the bytes its name says, in all four address forms") {
  Random random(11);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    std::size_t driven = 0;
    for (const ImplementedForm& form : forms_of(processor, "scratch_")) {
      if (!is_plain(form.mnemonic)) continue;
      std::size_t runs = 0;
      for (const int offset : {0, 5, 48, -7, -4096}) {
        for (const u64 exec : exec_patterns())
          runs += run_scratch(snippets, random, form, offset, exec) ? 1 : 0;
      }
      // ST has no register to outweigh a negative immediate.
      CHECK(runs == (form.form == "st" ? 3 : 5) * exec_patterns().size());
      ++driven;
    }
    CHECK(driven == 4 * 22);
  }
}

TEST_CASE("scratch is private to a lane, starts as poison and ends where the kernel says") {
  Snippets snippets("gfx950");
  Input in;
  in.scratch_bytes = 20;
  in.v(4, lanes([](u32 l) { return l; })).v(5, lanes([](u32 l) { return 100 + l; }));
  const Output out = snippets.run(
      "scratch_load_dword v6, off, off\nscratch_store_dword off, v5, off offset:16\n"
      "scratch_load_dword v7, off, off offset:16\ns_waitcnt vmcnt(0)",
      in);
  REQUIRE(!out.fault);
  for (u32 l = 0; l < 64; ++l) {
    CHECK(out.v(6)[l] == 0xffc5ffc5);
    CHECK(out.v(7)[l] == 100 + l);
  }
  const auto beyond = [&](const std::string& text, u64 exec = ~u64{0}) {
    in.exec = exec;
    in.s(4, 4).v(8, 0u);
    return snippets.run(text + "\ns_waitcnt vmcnt(0)", in).fault;
  };
  const auto end = beyond("scratch_load_dword v6, off, off offset:17");
  REQUIRE(end);
  CHECK(end->lane == 0);
  CHECK(end->memory_address == 17);
  CHECK(end->what == "scratch load of 4 bytes at byte 17 of the 20 that a work-item has");
  const auto lane = beyond("scratch_store_dword v4, v5, off offset:0");  // lane l at byte l
  REQUIRE(lane);
  CHECK(lane->lane == 17);
  CHECK(!beyond("scratch_store_dword v4, v5, off offset:0", (u64{1} << 17) - 1));
  const auto negative = beyond("scratch_load_ubyte v6, off, s4 offset:-5");
  REQUIRE(negative);
  CHECK(negative->what.find("at byte -1 of") != std::string::npos);
  // 32-bit wrapping is not an address: v8 = 0 and s4 = 4 give 0 with offset -4, but never with v8 = 2^32 - 4.
  CHECK(!beyond("scratch_load_ubyte v6, v8, s4 offset:-4"));
  in.v(8, 0xfffffffcu);
  CHECK(snippets.run("scratch_load_ubyte v6, v8, s4", in).fault);
}

TEST_CASE("every FLAT load and store finds LDS, scratch or global memory for each lane") {
  Random random(12);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    constexpr u32 global_bytes = 8192, lds_bytes = 4096;
    const auto buffer = snippets.allocate(global_bytes, {.name = "data"});
    std::size_t driven = 0;
    for (const ImplementedForm& form : forms_of(processor, "flat_")) {
      if (!is_plain(form.mnemonic)) continue;
      ++driven;
      const Element element = element_of(form.mnemonic);
      for (const u32 offset : {0u, 8u, 4095u}) {
        const std::string data_text = registers(8, element.registers());
        const std::string text = fmt::format("{} {}, {} offset:{}\ns_waitcnt vmcnt(0) lgkmcnt(0)",
                                             form.mnemonic, is_load(form.mnemonic) ? data_text : "v[4:5]",
                                             is_load(form.mnemonic) ? "v[4:5]" : data_text, offset);
        for (const u64 exec : exec_patterns()) {
          INFO(text << " exec " << std::hex << exec);
          Input in;
          in.s64(10, exec);
          Private scratch = set_scratch(random, in);
          std::vector<std::byte> lds = random_bytes(random, lds_bytes),
                                 global = random_bytes(random, global_bytes);
          in.lds = lds;
          std::ranges::copy(global, buffer.bytes.begin());
          std::array<Lanes32, 4> data;
          for (u32 d = 0; d < 4; ++d) in.v(8 + d, data[d] = random_lanes(random));
          std::array<u64, 64> address{};
          std::array<std::byte*, 64> place{};
          u64 lds_lanes = 0;
          Lines lines;
          for (u32 l = 0; l < 64; ++l) {
            const u32 shift = below(random, 16 - element.bytes + 1);
            switch (below(random, 3)) {
              case 0:
                address[l] = buffer.address + 4096 + 32 * l + shift;
                place[l] = &global[4096 + 32 * l + shift];
                if (active(exec, l)) lines.add(address[l], element.bytes);
                break;
              case 1:
                address[l] = kSharedAperture + 32 * l + shift;
                place[l] = &lds[32 * l + shift];
                if (active(exec, l)) ++lds_lanes;
                break;
              default:
                address[l] = kPrivateAperture + shift;
                place[l] = &scratch[l][shift];
            }
            address[l] -= offset;
          }
          in.v64(4, address);
          const Output out = snippets.run(with_scratch(text), in);
          if (out.fault) FAIL(out.fault->message());
          for (u32 l = 0; l < 64; ++l) move_lane(out, form.mnemonic, element, data, exec, l, place[l]);
          check_scratch(out, scratch);
          REQUIRE(out.lds == lds);
          REQUIRE(std::ranges::equal(global, buffer.bytes));
          const InstructionCounters& counters = out.counters[kScratchDwords + 2];
          CHECK(counters.bytes == static_cast<u64>(std::popcount(exec)) * element.bytes);
          CHECK(counters.cache_lines == lines.count());
          CHECK((counters.lds_cycles != 0) == (lds_lanes != 0));
        }
      }
    }
    CHECK(driven == 22);
  }
}

TEST_CASE("FLAT strays are faults of the memory they address") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(64, {.name = "data"});
  const auto fault = [&](u64 address) {
    Input in;
    in.scratch_bytes = 16;
    in.lds.resize(32);
    std::array<u64, 64> addresses{};
    addresses.fill(buffer.address);
    addresses[9] = address;
    in.v64(4, addresses);
    return snippets.run("flat_load_dword v8, v[4:5]\ns_waitcnt vmcnt(0) lgkmcnt(0)", in).fault;
  };
  CHECK(!fault(buffer.address + 60));
  CHECK(!fault(kSharedAperture + 28));
  CHECK(!fault(kPrivateAperture + 12));
  REQUIRE(fault(buffer.address + 61));
  CHECK(fault(buffer.address + 61)->lane == 9);
  const auto lds = fault(kSharedAperture + 29);
  REQUIRE(lds);
  CHECK(lds->what.find("32 bytes of LDS") != std::string::npos);
  CHECK(lds->memory_address == 29);
  const auto scratch = fault(kPrivateAperture + 13);
  REQUIRE(scratch);
  CHECK(scratch->what.find("scratch load of 4 bytes at byte 13 of the 16") != std::string::npos);
  CHECK(fault(0));
  CHECK(fault(~u64{0}));
  CHECK(fault(kSharedAperture - 4));
  // The apertures are 4 GiB each: what lies behind them is global memory that nobody has.
  for (const u64 behind :
       {kSharedAperture + (u64{1} << 32), kPrivateAperture + (u64{1} << 32), u64{3} << 48}) {
    REQUIRE(fault(behind));
    CHECK(fault(behind)->what.find("outside every allocation") != std::string::npos);
  }
}

TEST_CASE("FLAT is proven only by a wait for zero on both counters") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(64, {.name = "data"});
  buffer.set_dword(0, 5);
  buffer.set_dword(1, 6);
  Input in;
  std::array<u64, 64> address{};
  address.fill(buffer.address);
  in.v64(4, address).v(6, 0u).s64(2, buffer.address);
  const std::string issue = "flat_load_dword v8, v[4:5]\nglobal_load_dword v9, v6, s[2:3] offset:4\n";
  const auto seen = [&](const std::string& wait) {
    return snippets.run(issue + wait + "\nv_mov_b32 v10, v8\nv_mov_b32 v11, v9", in);
  };
  constexpr u32 pending = 0xfff5fff5;
  CHECK(seen("s_waitcnt vmcnt(1)").v(10)[0] == pending);
  CHECK(seen("s_waitcnt vmcnt(0)").v(10)[0] == pending);  // lgkmcnt may still be outstanding
  CHECK(seen("s_waitcnt lgkmcnt(0)").v(10)[0] == pending);
  CHECK(seen("s_waitcnt vmcnt(1) lgkmcnt(0)").v(10)[0] == pending);
  const Output both = seen("s_waitcnt vmcnt(0) lgkmcnt(0)");
  CHECK(both.v(10)[0] == 5);
  CHECK(both.v(11)[0] == 6);
}
