// DS atomics: every implemented mnemonic, lanes meeting at the same addresses, edge values, MODE's denormal
// fields; ds_append and ds_consume; alignment.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "atomic_reference.h"
#include "memory_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kSlots = 12;

struct Named {
  std::string mnemonic;
  AtomicCase atomic;
  bool returns;
};

/// The DS mnemonics that are atomics of this kind: ds_<operation>[_rtn]_<type>.
std::vector<Named> atomics_of(const std::string& processor) {
  static constexpr std::string_view operations[] = {"add",   "sub",   "rsub",   "inc",    "dec",
                                                    "min",   "max",   "and",    "or",     "xor",
                                                    "mskor", "cmpst", "wrxchg", "pk_add", "wrap"};
  static constexpr std::string_view types[] = {"u32", "i32", "b32", "f32", "u64",
                                               "i64", "b64", "f64", "f16", "bf16"};
  std::vector<Named> found;
  for (const ImplementedForm& form : forms_of(processor, "ds_")) {
    for (const std::string_view operation : operations) {
      for (const std::string_view type : types) {
        const bool returns = form.mnemonic == fmt::format("ds_{}_rtn_{}", operation, type);
        if (returns || form.mnemonic == fmt::format("ds_{}_{}", operation, type))
          found.push_back({form.mnemonic, {operation, type}, returns});
      }
    }
  }
  return found;
}

void run(Snippets& snippets, Random& random, const Named& named, u64 exec, u32 mode) {
  const AtomicCase atomic = named.atomic;
  const unsigned bytes = atomic.bytes(), dwords = bytes / 4;
  const std::string text =
      fmt::format("{} {}v4, {}{} offset:8\ns_waitcnt lgkmcnt(0)", named.mnemonic,
                  named.returns ? registers(16, dwords) + ", " : "", registers(8, dwords),
                  atomic.two_values() ? ", " + registers(12, dwords) : "");
  INFO(text << " exec " << std::hex << exec << " mode " << mode);
  Input in;
  in.exec = exec;
  in.mode = mode;
  const u64 mask = bytes == 8 ? ~u64{0} : 0xffffffff;
  std::array<u64, kSlots> memory{};
  for (u64& value : memory) value = edge_value(random, atomic) & mask;
  std::array<u64, 64> first{}, second{};
  std::array<Lanes32, 2> data0{}, data1{};
  for (u32 l = 0; l < 64; ++l) {
    first[l] = edge_value(random, atomic) & mask;
    second[l] = edge_value(random, atomic) & mask;
    for (unsigned d = 0; d < dwords; ++d) {
      data0[d][l] = static_cast<u32>(first[l] >> (32 * d));
      data1[d][l] = static_cast<u32>(second[l] >> (32 * d));
    }
  }
  for (unsigned d = 0; d < 2; ++d) in.v(8 + d, data0[d]).v(12 + d, data1[d]).v(16 + d, 3u);
  const Lanes32 slot = lanes([&](u32) { return below(random, kSlots); });
  in.v(4, lanes([&](u32 l) { return bytes * slot[l]; }));
  in.lds.resize(8 + bytes * kSlots);
  for (u32 s = 0; s < kSlots; ++s) std::memcpy(&in.lds[8 + bytes * s], &memory[s], bytes);
  const Output out = snippets.run(text, in);
  if (out.fault) FAIL(out.fault->message());
  const bool flush = (mode >> (atomic.type == "f32" ? 4 : 6) & 3) == 0;
  for (u32 l = 0; l < 64; ++l) {
    u64 old = bytes == 8 ? 3 | u64{3} << 32 : 3;
    if (active(exec, l)) {
      old = memory[slot[l]];
      memory[slot[l]] = atomic_result(atomic, old, first[l], second[l], flush) & mask;
    }
    if (!named.returns) continue;
    const u64 got = bytes == 8 ? out.v64(16, l) : out.v(16)[l];
    REQUIRE(same_result(atomic, got, old));
  }
  for (u32 s = 0; s < kSlots; ++s) {
    u64 got = 0;
    std::memcpy(&got, &out.lds[8 + bytes * s], bytes);
    INFO("memory " << std::hex << got << " expected " << memory[s]);
    REQUIRE(same_result(atomic, got, memory[s]));
  }
  CHECK(out.counters[0].bytes == static_cast<u64>(std::popcount(exec)) * bytes);
}

}  // namespace

TEST_CASE("every DS atomic computes what its name says, lane after lane, and returns what was there") {
  Random random(81);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    const std::vector<Named> all = atomics_of(processor);
    CHECK(all.size() == 2 * 38 + 3);  // wrap and the exchanges exist only with a result
    for (const Named& named : all) {
      for (const u64 exec : exec_patterns()) {
        for (const u32 mode : {0xf0u, 0x00u, 0xc0u, 0x30u}) run(snippets, random, named, exec, mode);
      }
    }
  }
}

TEST_CASE("DS compare-and-store takes the value to compare with first and the new one second") {
  Snippets snippets("gfx950");
  Input in;
  in.exec = 1;
  in.lds_dwords(64, [](u32) { return 100; });
  in.v(4, 0u).v(8, 100u).v(9, 200u);
  CHECK(snippets.run("ds_cmpst_b32 v4, v8, v9", in).lds_dword(0) == 200);
  CHECK(snippets.run("ds_cmpst_b32 v4, v9, v8", in).lds_dword(0) == 100);
}

TEST_CASE("denormals in ds_add_f32 go by MODE at issue") {
  Snippets snippets("gfx950");
  Input in;
  in.exec = 1;
  in.lds_dwords(64, [](u32) { return 0x00000003; });
  in.v(4, 0u).v(8, 0x80000001u);
  CHECK(snippets.run("ds_add_f32 v4, v8", in).lds_dword(0) == 2);
  in.mode = 0xc0;
  CHECK(snippets.run("ds_add_f32 v4, v8", in).lds_dword(0) == 0);
  // A result below the normal numbers from normal inputs: bit 5 of MODE keeps or flushes it.
  in.lds_dwords(64, [](u32) { return 0x00800001; });
  in.v(8, 0x80800000u).mode = 0xd0;
  CHECK(snippets.run("ds_add_f32 v4, v8", in).lds_dword(0) == 0);
  in.mode = 0xe0;
  CHECK(snippets.run("ds_add_f32 v4, v8", in).lds_dword(0) == 1);
  // Changing MODE behind the instruction changes nothing.
  CHECK(
      snippets
          .run("ds_add_f32 v4, v8\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\ns_waitcnt lgkmcnt(0)", in)
          .lds_dword(0) == 1);
}

TEST_CASE("ds_append and ds_consume move one counter by the number of active lanes") {
  CdnaSnippets snippets;
  for (const u64 exec : exec_patterns()) {
    Input in;
    in.exec = exec;
    in.m0 = 0xffff0010;  // bits 15:0 count
    in.lds_dwords(64, [](u32 d) { return 1000 * d; });
    in.v(1, 7u).v(2, 7u);
    const Output out =
        snippets.run("ds_append v1 offset:4\nds_consume v2 offset:8\ns_waitcnt lgkmcnt(0)", in);
    REQUIRE(!out.fault);
    const auto count = static_cast<u32>(std::popcount(exec));
    CHECK(out.lds_dword(5) == 5000 + count);
    CHECK(out.lds_dword(6) == 6000 - count);
    for (u32 l = 0; l < 64; ++l) {
      CHECK(out.v(1)[l] == (active(exec, l) ? 5000 : 7));
      CHECK(out.v(2)[l] == (active(exec, l) ? 6000 : 7));
    }
  }
}

TEST_CASE("DS atomics demand alignment to their size") {
  Snippets snippets("gfx950");
  const auto fault = [&](const std::string& text, u32 address) {
    Input in;
    in.lds.resize(64);
    Lanes32 at{};
    at[13] = address;
    in.v(4, at).v(8, 1u).v(9, 1u).v(10, 1u).v(11, 1u);
    return snippets.run(text, in).fault;
  };
  for (const auto& [text, bytes] :
       {std::pair{"ds_add_u32 v4, v8", 4u}, std::pair{"ds_max_rtn_f64 v[12:13], v4, v[8:9]", 8u},
        std::pair{"ds_pk_add_bf16 v4, v8", 4u},
        std::pair{"ds_wrxchg2_rtn_b64 v[12:15], v4, v[8:9], v[10:11]", 8u}}) {
    INFO(text);
    CHECK(!fault(text, 64 - bytes));
    const auto misaligned = fault(text, bytes / 2);
    REQUIRE(misaligned);
    CHECK(misaligned->lane == 13);
    CHECK(fault(text, 64));
  }
}
