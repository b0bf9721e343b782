// LDS cycles and conflicts: published counts, closed formulas, the bank table of attention layouts, and a
// model written from the rule (distinct dwords of a bank in a phase) on random addresses. Lane groups are
// given here as formulas on the lane number.
#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"
#include "simulator/lds_conflicts.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// How a processor serves one kind of access: the phase of a lane, and how many banks there are.
struct Service {
  u32 (*phase)(u32 lane);
  u32 phases, banks;
};
u32 halves(u32 lane) {
  return lane / 32;
}
u32 quarters(u32 lane) {
  return lane / 16;
}
u32 eighths(u32 lane) {
  return lane / 8;
}
/// Lane bits 5 and 4 ^ 3 ^ 2.
u32 keyed(u32 lane) {
  return lane / 32 * 2 + ((lane / 16 ^ lane / 8 ^ lane / 4) & 1);
}
/// Of each eight groups of four lanes, the first goes with the sixth, the second with the fifth, the third
/// with the eighth, the fourth with the seventh.
u32 paired(u32 lane) {
  constexpr u32 partner[8] = {0, 1, 2, 3, 1, 0, 3, 2};
  return lane / 32 * 4 + partner[lane / 4 % 8];
}

Service service_of(Gfx gfx, LdsAccess access) {
  const bool gfx950 = gfx == Gfx::gfx950;
  switch (access) {
    case LdsAccess::read_b32:
    case LdsAccess::write_b32:
      return {halves, 2, 32};
    case LdsAccess::read_b64:
      return gfx950 ? Service{halves, 2, 64} : Service{quarters, 4, 32};
    case LdsAccess::read_b96:
      return {paired, 8, 32};
    case LdsAccess::read_b128:
      return gfx950 ? Service{keyed, 4, 64} : Service{paired, 8, 32};
    case LdsAccess::read_tr_b64:
      return gfx950 ? Service{halves, 2, 64} : Service{quarters, 4, 32};
    case LdsAccess::write_b64:
      return {quarters, 4, 32};
    case LdsAccess::write_b96:
    case LdsAccess::write_b128:
      return {eighths, 8, 32};
  }
  return {halves, 2, 32};
}

LdsCost modelled(Service service, const Lanes32& address, u64 exec, u32 bytes, bool serialize) {
  LdsCost cost;
  for (u32 phase = 0; phase < service.phases; ++phase) {
    std::map<u32, std::multiset<u32>> wanted;
    for (u32 l = 0; l < 64; ++l) {
      if (!active(exec, l) || service.phase(l) != phase) continue;
      std::set<u32> dwords;
      for (u32 b = 0; b < bytes; ++b) dwords.insert((address[l] + b) / 4);
      for (const u32 dword : dwords) {
        auto& bank = wanted[dword % service.banks];
        if (serialize || !bank.contains(dword)) bank.insert(dword);
      }
    }
    u32 most = 0;
    for (const auto& [bank, dwords] : wanted) most = std::max(most, static_cast<u32>(dwords.size()));
    cost.cycles += std::max(most, 1u);
    cost.conflict_cycles += most > 1 ? most - 1 : 0;
    cost.max_lanes_per_bank = std::max(cost.max_lanes_per_bank, most);
  }
  return cost;
}

InstructionCounters count(Snippets& snippets, const std::string& text, const Lanes32& address,
                          u64 exec = ~u64{0}, const Options& options = {}) {
  Input in;
  in.exec = exec;
  in.options = options;
  in.lds.resize(32768);
  in.v(4, address);
  for (u32 r = 8; r < 12; ++r) in.v(r, 0u);
  const Output out = snippets.run(text, in);
  if (out.fault) FAIL(out.fault->message());
  return out.counters[0];
}

Lanes32 strided(u32 stride) {
  return lanes([&](u32 l) { return l * stride; });
}

}  // namespace

TEST_CASE("conflict counts that were measured on a part with 32 banks") {
  // MI300X, SQ_LDS_BANK_CONFLICT for one instruction.
  Snippets snippets("gfx942");
  CHECK(count(snippets, "ds_read_b32 v8, v4", strided(4)).lds_conflict_cycles == 0);
  CHECK(count(snippets, "ds_read_b32 v8, v4", strided(8)).lds_conflict_cycles == 2);
  CHECK(count(snippets, "ds_read_b32 v8, v4", strided(128)).lds_conflict_cycles == 62);
  CHECK(count(snippets, "ds_read_b64 v[8:9], v4", strided(8)).lds_conflict_cycles == 0);
  CHECK(count(snippets, "ds_read_b64 v[8:9], v4", strided(128)).lds_conflict_cycles == 60);
  CHECK(count(snippets, "ds_read_b128 v[8:11], v4", strided(16)).lds_conflict_cycles == 0);
  CHECK(count(snippets, "ds_read_b128 v[8:11], v4", strided(128)).lds_conflict_cycles == 56);
  CHECK(count(snippets, "ds_write_b32 v4, v8", strided(128)).lds_conflict_cycles == 62);
  CHECK(count(snippets, "ds_write_b64 v4, v[8:9]", strided(128)).lds_conflict_cycles == 60);
  CHECK(count(snippets, "ds_write_b128 v4, v[8:11]", strided(128)).lds_conflict_cycles == 56);
}

TEST_CASE("the banks that paddings of a K tile leave on gfx950") {
  // ds_read_b128 of a bf16 K tile: lane l reads eight elements of row l % 32 from column 8 * (l / 32).
  Snippets snippets("gfx950");
  const auto k_read = [&](u32 head_size, u32 pad) {
    return count(snippets, "ds_read_b128 v[8:11], v4", lanes([&](u32 l) {
                   const u32 row = l % 32, column = 8 * (l / 32);
                   // Rows of 64 lie in pairs; a pad follows each 128 elements.
                   const u32 element = head_size == 128 ? row * (128 + pad) + column
                                                        : row / 2 * (128 + pad) + row % 2 * 64 + column;
                   return 2 * element;
                 }));
  };
  const struct {
    u32 head_size, pad, cycles;
  } table[] = {{128, 0, 64}, {128, 8, 4}, {64, 0, 32}, {64, 8, 4}, {64, 16, 8}, {64, 24, 4}, {64, 32, 16}};
  for (const auto& row : table) {
    INFO("head size " << row.head_size << " pad " << row.pad);
    const InstructionCounters counters = k_read(row.head_size, row.pad);
    CHECK(counters.lds_cycles == row.cycles);
    CHECK(counters.lds_conflict_cycles == row.cycles - 4);
    CHECK(counters.max_lanes_per_bank == row.cycles / 4);
  }
}

TEST_CASE("equal addresses are one delivery, and phases pass with few lanes or none") {
  Snippets snippets("gfx950");
  const Lanes32 same{};
  for (const auto& [text, phases] :
       {std::pair{"ds_read_b32 v8, v4", 2u}, std::pair{"ds_read_b64 v[8:9], v4", 2u},
        std::pair{"ds_read_b96 v[8:10], v4", 8u}, std::pair{"ds_read_b128 v[8:11], v4", 4u},
        std::pair{"ds_write_b64 v4, v[8:9]", 4u}, std::pair{"ds_write_b96 v4, v[8:10]", 8u},
        std::pair{"ds_write_b128 v4, v[8:11]", 8u}, std::pair{"ds_read_u8 v8, v4", 2u},
        std::pair{"ds_write_b16 v4, v8", 2u}, std::pair{"ds_read_b64_tr_b16 v[8:9], v4", 2u}}) {
    INFO(text);
    CHECK(count(snippets, text, same).lds_cycles == phases);
    CHECK(count(snippets, text, same).lds_conflict_cycles == 0);
    CHECK(count(snippets, text, same).max_lanes_per_bank == 1);
    if (std::string_view(text).find("_tr_") != std::string_view::npos) continue;
    CHECK(count(snippets, text, same, 0).lds_cycles == phases);
    CHECK(count(snippets, text, same, 0).max_lanes_per_bank == 0);
    CHECK(count(snippets, text, same, 1).lds_cycles == phases);
  }
  // One lane: 2 cycles; two lanes that conflict: 3.
  CHECK(count(snippets, "ds_read_b32 v8, v4", strided(128), 0b11).lds_cycles == 3);
  CHECK(count(snippets, "ds_read_b32 v8, v4", strided(128), 0b11).lds_conflict_cycles == 1);
  // Lanes of different phases do not meet.
  CHECK(count(snippets, "ds_read_b32 v8, v4", strided(128), u64{1} | u64{1} << 32).lds_conflict_cycles == 0);
  // Two bytes of one dword are the same dword; bytes of two dwords of one bank are not.
  CHECK(count(snippets, "ds_read_u8 v8, v4", strided(1)).lds_conflict_cycles == 0);
  CHECK(count(snippets, "ds_read_u8 v8, v4", strided(129), 0b11).lds_conflict_cycles == 1);
}

TEST_CASE("a stride of s dwords costs gcd(s, banks) deliveries: ds_read_b32 and ds_write_b32") {
  Snippets snippets("gfx950");
  for (u32 stride = 1; stride <= 64; ++stride) {
    u32 a = stride, b = 32;
    while (b != 0) a = std::exchange(b, a % b);  // 32 lanes of a phase fall on 32 / gcd banks, gcd on each
    INFO("stride " << stride);
    CHECK(count(snippets, "ds_read_b32 v8, v4", strided(4 * stride)).lds_conflict_cycles == 2 * (a - 1));
    CHECK(count(snippets, "ds_write_b32 v4, v8", strided(4 * stride)).lds_conflict_cycles == 2 * (a - 1));
    Options wide;
    wide.lds_read_b32 = LdsReadB32::one_phase_of_64_banks;
    u32 c = stride, d = 64;
    while (d != 0) c = std::exchange(d, c % d);
    const auto counters = count(snippets, "ds_read_b32 v8, v4", strided(4 * stride), ~u64{0}, wide);
    CHECK(counters.lds_cycles == c);
    CHECK(counters.lds_conflict_cycles == c - 1);
  }
}

TEST_CASE("the phases of transposing reads are an option") {
  Snippets snippets("gfx950");
  // Lanes 16 apart meet in a bank in phases of 32, not in phases of 16.
  const Lanes32 address = lanes([](u32 l) { return l % 16 * 8 + l / 16 * 256; });
  CHECK(count(snippets, "ds_read_b64_tr_b16 v[8:9], v4", address).lds_cycles == 4);
  Options four;
  four.lds_read_transpose = LdsReadTranspose::four_phases_of_16_lanes;
  const auto counters = count(snippets, "ds_read_b64_tr_b16 v[8:9], v4", address, ~u64{0}, four);
  CHECK(counters.lds_cycles == 4);
  CHECK(counters.lds_conflict_cycles == 0);
}

TEST_CASE("two addresses cost twice, atomics serialise equal addresses") {
  Snippets snippets("gfx950");
  const auto pair = count(snippets, "ds_read2_b64 v[8:11], v4 offset0:0 offset1:3", strided(256));
  CHECK(pair.lds_cycles == 2 * 64);  // 32 lanes of a phase in one bank, two phases, two accesses
  CHECK(pair.lds_conflict_cycles == 2 * 62);
  const auto st64 = count(snippets, "ds_write2st64_b32 v4, v8, v9 offset0:0 offset1:1", strided(4));
  CHECK(st64.lds_cycles == 4);
  CHECK(st64.lds_conflict_cycles == 0);
  const auto atomic = count(snippets, "ds_add_u32 v4, v8", Lanes32{});
  CHECK(atomic.lds_cycles == 64);
  CHECK(atomic.lds_conflict_cycles == 62);
  CHECK(count(snippets, "ds_add_u32 v4, v8", strided(4)).lds_cycles == 2);
  CHECK(count(snippets, "ds_add_u64 v4, v[8:9]", Lanes32{}).lds_cycles == 64);
}

TEST_CASE("any addresses: the counter equals the rule, whatever it counted before") {
  Random random(91);
  for (const Gfx gfx : {Gfx::gfx950, Gfx::gfx942}) {
    LdsCounter counter(kLdsAccesses);
    for (int round = 0; round < 400; ++round) {
      const u32 shape = below(random, 6), step = 4u << below(random, 8);
      const u32 base = 4 * below(random, 1000) + (round % 7 == 0 ? below(random, 4) : 0);
      const Lanes32 address = lanes([&](u32 l) {
        switch (shape) {
          case 0:
            return base + l * step;
          case 1:
            return base + (l % 16) * step;
          case 2:
            return base + 16 * below(random, 2000);
          case 3:
            return base + 8 * below(random, 50);
          case 4:
            return below(random, 30000);
          default:
            return base + ((l ^ l >> 3) % 32) * 16 + l / 32 * 512;
        }
      });
      const u64 exec = below(random, 3) == 0 ? random() : exec_patterns()[below(random, 8)];
      const u32 access = below(random, kLdsAccesses);
      static constexpr u32 kSizes[kLdsAccesses] = {4, 8, 12, 16, 8, 4, 8, 12, 16};
      u32 bytes = kSizes[access];
      if (bytes == 4 && below(random, 2) == 0) bytes = 1 + below(random, 2);
      const bool serialize = access >= 5 && below(random, 3) == 0;
      const auto kind = static_cast<LdsAccess>(access);
      const LdsPhaseRow& row = find_lds_phases(gfx, kind, LdsReadB32::two_phases_of_32_banks,
                                               LdsReadTranspose::two_phases_of_32_lanes);
      const LdsCost expected = modelled(service_of(gfx, kind), address, exec, bytes, serialize);
      LdsArithmetic fresh;
      REQUIRE(fresh.count(row, address, {exec, ~u64{0}}, bytes, serialize) == expected);
      if (serialize) continue;  // an instruction either is an atomic or is not
      REQUIRE(counter.count(access, row, address, {exec, ~u64{0}}, bytes, false) == expected);
      // The same again, all addresses moved by dwords: the remembered answer.
      Lanes32 moved = address;
      for (u32& at : moved) at += step;
      REQUIRE(counter.count(access, row, moved, {exec, ~u64{0}}, bytes, false) == expected);
      // Moved by a byte it may reach into other dwords.
      for (u32& at : moved) at += 1;
      REQUIRE(counter.count(access, row, moved, {exec, ~u64{0}}, bytes, false) ==
              modelled(service_of(gfx, kind), moved, exec, bytes, false));
    }
  }
}
