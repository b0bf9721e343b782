// DS reads and writes: every implemented form against a byte-wise reference, offsets at their limits, the end
// of the workgroup's LDS, alignment, and the forms with two addresses.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"
#include "simulator/warnings.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kLds = 65536 + 8192;

bool is_read(std::string_view mnemonic) {
  return mnemonic.starts_with("ds_read");
}

/// Lane addresses that do not overlap: a shuffled slot of 16 bytes for each, at any byte of it that fits.
Lanes32 scattered(Random& random, u32 first, u32 bytes, u32 alignment) {
  std::vector<u32> slots(256);
  for (u32 s = 0; s < slots.size(); ++s) slots[s] = s;
  std::ranges::shuffle(slots, random);
  return lanes(
      [&](u32 l) { return first + 16 * slots[l] + below(random, (16 - bytes) / alignment + 1) * alignment; });
}

std::vector<std::byte> stored_lane(Element element, const std::array<Lanes32, 4>& data, u32 lane) {
  const u32 source[] = {data[0][lane], data[1][lane], data[2][lane], data[3][lane]};
  return stored(element, source);
}

}  // namespace

TEST_CASE("every DS read and write of one address moves the bytes its name says") {
  Random random(21);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    std::size_t driven = 0;
    for (const std::string prefix : {"ds_read_", "ds_write_"}) {
      for (const ImplementedForm& form : forms_of(processor, prefix)) {
        if (form.mnemonic.find("_tr_") != std::string::npos ||
            form.mnemonic.find("addtid") != std::string::npos)
          continue;
        ++driven;
        const bool read = is_read(form.mnemonic);
        const Element element = element_named(std::string_view(form.mnemonic).substr(prefix.size()));
        const std::string data_text = registers(8, element.registers());
        for (const u32 offset : {0u, 1u, 4096u, 65535u}) {
          const std::string text = fmt::format("{} {} offset:{}\ns_waitcnt lgkmcnt(0)", form.mnemonic,
                                               read ? data_text + ", v4" : "v4, " + data_text, offset);
          for (const u64 exec : exec_patterns()) {
            INFO(text << " exec " << std::hex << exec);
            // Places from 65535 on, so that every offset can reach them.
            const Lanes32 place = scattered(random, 65536, element.bytes, 1);
            Input in;
            in.exec = exec;
            in.lds = random_bytes(random, kLds);
            in.v(4, lanes([&](u32 l) { return place[l] - offset; }));
            std::array<Lanes32, 4> data;
            for (u32 d = 0; d < 4; ++d) in.v(8 + d, data[d] = random_lanes(random));
            const Output out = snippets.run(text, in);
            if (out.fault) FAIL(out.fault->message());
            std::vector<std::byte> lds = in.lds;
            for (u32 l = 0; l < 64; ++l) {
              for (u32 d = 0; d < element.registers(); ++d) {
                const u32 expected = read && active(exec, l)
                                         ? loaded(element, std::span(lds).subspan(place[l]), d, 0, false)
                                         : data[d][l];
                REQUIRE(out.v(8 + d)[l] == expected);
              }
              if (!read && active(exec, l))
                std::ranges::copy(stored_lane(element, data, l), lds.begin() + place[l]);
            }
            REQUIRE(out.lds == lds);
            CHECK(out.counters[0].bytes == static_cast<u64>(std::popcount(exec)) * element.bytes);
            CHECK(out.counters[0].cache_lines == 0);
          }
        }
      }
    }
    CHECK(driven == 14 + 8);
  }
}

TEST_CASE("every DS instruction with two addresses serves both, and exchanges return what was there") {
  Random random(22);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    std::size_t driven = 0;
    for (const std::string kind : {"read", "write", "wrxchg"}) {
      for (const ImplementedForm& form : forms_of(processor, "ds_" + kind + "2")) {
        ++driven;
        const bool stride64 = form.mnemonic.find("st64") != std::string::npos;
        const u32 bytes = form.mnemonic.ends_with("b64") ? 8 : 4, dwords = bytes / 4;
        const u32 unit = bytes * (stride64 ? 64 : 1);
        for (const auto& [first, second] : {std::pair{0u, 1u}, std::pair{255u, 0u}, std::pair{17u, 200u}}) {
          const std::string result = registers(16, 2 * dwords), a = registers(8, dwords),
                            b = registers(12, dwords);
          const std::string operands = kind == "read"    ? result + ", v4"
                                       : kind == "write" ? "v4, " + a + ", " + b
                                                         : result + ", v4, " + a + ", " + b;
          const std::string text = fmt::format("{} {} offset0:{} offset1:{}\ns_waitcnt lgkmcnt(0)",
                                               form.mnemonic, operands, first, second);
          for (const u64 exec : exec_patterns()) {
            INFO(text << " exec " << std::hex << exec);
            Input in;
            in.exec = exec;
            in.lds = random_bytes(random, 255 * 512 + 64 * 16);
            in.v(4, lanes([&](u32 l) { return 8 * (63 - l); }));
            std::array<Lanes32, 4> data, old;
            for (u32 d = 0; d < 4; ++d) {
              in.v(8 + (d / 2) * 4 + d % 2, data[d] = random_lanes(random));
              in.v(16 + d, old[d] = random_lanes(random));
            }
            const Output out = snippets.run(text, in);
            if (out.fault) FAIL(out.fault->message());
            // A read sees everything before; a write stores all first elements, then all second ones; an
            // exchange goes lane by lane and reads both elements first.
            std::vector<std::byte> lds = in.lds;
            const auto element_at = [&](u32 lane, u32 element) {
              return lds.begin() + 8 * (63 - lane) + unit * (element == 0 ? first : second);
            };
            const auto put = [&](u32 lane, u32 element) {
              for (u32 d = 0; d < dwords; ++d)
                std::memcpy(&element_at(lane, element)[4 * d], &data[2 * element + d][lane], 4);
            };
            std::array<Lanes32, 4> expected = old;
            const auto get = [&](u32 lane, u32 element) {
              for (u32 d = 0; d < dwords; ++d)
                std::memcpy(&expected[element * dwords + d][lane], &element_at(lane, element)[4 * d], 4);
            };
            for (u32 pass = 0; pass < 2; ++pass) {
              for (u32 l = 0; l < 64; ++l) {
                if (!active(exec, l)) continue;
                if (kind == "read") get(l, pass);
                if (kind == "write") put(l, pass);
                if (kind == "wrxchg" && pass == 0) get(l, 0), get(l, 1), put(l, 0), put(l, 1);
              }
            }
            REQUIRE(out.lds == lds);
            for (u32 d = 0; kind != "write" && d < 2 * dwords; ++d) REQUIRE(out.v(16 + d) == expected[d]);
            CHECK(out.counters[0].bytes == 2 * static_cast<u64>(std::popcount(exec)) * bytes);
          }
        }
      }
    }
    CHECK(driven == 12);
  }
}

TEST_CASE("the addtid forms address by M0 and lane, the lane counting inactive ones") {
  Random random(23);
  CdnaSnippets snippets;
  for (const u64 exec : exec_patterns()) {
    Input in;
    in.exec = exec;
    in.m0 = 0xabcd0100;  // bits 31:16 do not count
    in.lds = random_bytes(random, 2048);
    const Lanes32 data = random_lanes(random), old = random_lanes(random);
    in.v(1, data).v(2, old);
    const Output out = snippets.run(
        "ds_read_addtid_b32 v2 offset:8\nds_write_addtid_b32 v1 offset:1024\ns_waitcnt lgkmcnt(0)", in);
    REQUIRE(!out.fault);
    std::vector<std::byte> lds = in.lds;
    for (u32 l = 0; l < 64; ++l) {
      u32 read = 0;
      std::memcpy(&read, &in.lds[0x100 + 8 + 4 * l], 4);
      CHECK(out.v(2)[l] == (active(exec, l) ? read : old[l]));
      if (active(exec, l)) std::memcpy(&lds[0x100 + 1024 + 4 * l], &data[l], 4);
    }
    CHECK(out.lds == lds);
  }
}

TEST_CASE("ds_nop takes a place in the counter and does nothing") {
  CdnaSnippets snippets;
  Input in;
  in.lds_dwords(256, [](u32 d) { return d; });
  in.v(0, lanes([](u32 l) { return 4 * l; }));
  const Output out = snippets.run("ds_read_b32 v1, v0\nds_nop\ns_waitcnt lgkmcnt(1)", in);
  REQUIRE(!out.fault);
  CHECK(out.v(1) == lanes([](u32 l) { return l; }));
}

TEST_CASE("the exact size of the workgroup's LDS is the limit of every access") {
  Snippets snippets("gfx950");
  const auto fault = [&](const std::string& text, u32 address, std::size_t size, u64 exec = ~u64{0}) {
    Input in;
    in.exec = exec;
    in.lds.resize(size);
    Lanes32 at{};
    at[41] = address;
    in.v(4, at);
    for (u32 r = 8; r < 12; ++r) in.v(r, 0u);
    return snippets.run(text + "\ns_waitcnt lgkmcnt(0)", in).fault;
  };
  for (const auto& [text, bytes] :
       {std::pair{"ds_read_u8 v8, v4", 1u}, std::pair{"ds_read_u16_d16_hi v8, v4", 2u},
        std::pair{"ds_read_b32 v8, v4", 4u}, std::pair{"ds_read_b64 v[8:9], v4", 8u},
        std::pair{"ds_read_b96 v[8:10], v4", 12u}, std::pair{"ds_read_b128 v[8:11], v4", 16u},
        std::pair{"ds_write_b8 v4, v8", 1u}, std::pair{"ds_write_b128 v4, v[8:11]", 16u}}) {
    INFO(text);
    constexpr std::size_t size = 160 * 1024;
    const auto last = static_cast<u32>(size - bytes);
    CHECK(!fault(text, last, size));
    const auto past = fault(text, last + 1, size);
    REQUIRE(past);
    CHECK(past->lane == 41);
    CHECK(past->memory_address == last + 1);
    CHECK(past->what == fmt::format("LDS access of {} bytes at byte {} of the 163840 that the workgroup has",
                                    bytes, last + 1));
    CHECK(!fault(text, last + 1, size, ~(u64{1} << 41)));  // the lane is inactive
    CHECK(fault(text, 0xffffffffu, size));
    CHECK(fault(text, 0x80000000u, size));
    CHECK(!fault(text, bytes - 1, 2 * bytes - 1));  // a size that is no multiple of anything
    CHECK(fault(text, bytes, 2 * bytes - 1));
    CHECK(fault(text, 0, bytes - 1));
    CHECK(fault(text, 0, 0));
    CHECK(!fault(text, 0, 0, 0));
    // The sum of address and offset does not wrap at 32 bits.
    CHECK(fault(std::string(text) + " offset:65535", 0xffff0001u, size));
  }
  CHECK(!fault("ds_read2_b32 v[8:9], v4 offset0:0 offset1:3", 0, 16));
  const auto second = fault("ds_read2_b32 v[8:9], v4 offset0:0 offset1:3", 1, 16);
  REQUIRE(second);
  CHECK(second->memory_address == 13);
  CHECK(fault("ds_read2_b32 v[8:9], v4 offset0:3 offset1:0", 1, 16)->memory_address == 13);
  CHECK(fault("ds_write2st64_b64 v4, v[8:9], v[10:11] offset0:255 offset1:0", 0, 255 * 512 + 7));
  CHECK(!fault("ds_write2st64_b64 v4, v[8:9], v[10:11] offset0:255 offset1:0", 0, 255 * 512 + 8));
}

TEST_CASE("misaligned wide LDS accesses work and are warned of") {
  Snippets snippets("gfx950");
  Random random(24);
  const auto run = [&](const std::string& text, u32 address, u64 exec = ~u64{0}) {
    Input in;
    in.exec = exec;
    in.lds = random_bytes(random, 1024);
    Lanes32 at{};
    at[3] = address;
    in.v(4, at);
    for (u32 r = 8; r < 12; ++r) in.v(r, 7u);
    const Output out = snippets.run(text + "\ns_waitcnt lgkmcnt(0)", in);
    REQUIRE(!out.fault);
    return out;
  };
  for (const auto& [text, alignment] :
       {std::pair{"ds_read_b32 v8, v4", 4u}, std::pair{"ds_read_b64 v[8:9], v4", 8u},
        std::pair{"ds_read_b96 v[8:10], v4", 16u}, std::pair{"ds_read_b128 v[8:11], v4", 16u},
        std::pair{"ds_write_b64 v4, v[8:9]", 8u}, std::pair{"ds_write_b128 v4, v[8:11]", 16u},
        std::pair{"ds_read2_b64 v[8:11], v4 offset0:1 offset1:2", 8u}}) {
    INFO(text);
    CHECK(run(text, 2 * alignment).warnings.empty());
    const Output out = run(text, 2 * alignment + alignment / 2);
    REQUIRE(out.warnings.size() == 1);
    CHECK(out.warnings[0].first.lane == 3);
    CHECK(out.warnings[0].first.text.starts_with(std::string_view(text).substr(0, 10)));
    CHECK(out.warnings[0].count >= 1);
    CHECK(run(text, 1, ~u64{8}).warnings.empty());
  }
}

TEST_CASE("warnings of several threads add up, and the lowest workgroup's place stays") {
  const WarningLog::Key lds{3, WarningKind::misaligned_lds}, buffer{3, WarningKind::misaligned_buffer};
  const auto place = [](u32 lane) {
    Fault fault;
    fault.lane = lane;
    return fault;
  };
  const auto log = [&](u64 workgroup, u32 lane, int times) {
    WarningLog one;
    for (int k = 0; k < times; ++k) {
      if (one.note(lds)) one.describe(lds, workgroup, place(lane));
    }
    return one;
  };
  WarningLog all = log(9, 90, 2);
  all.merge(log(4, 40, 3));
  all.merge(log(6, 60, 1));
  WarningLog other;
  CHECK(other.note(buffer));
  other.describe(buffer, 1, place(7));
  all.merge(other);
  const std::vector<Warning> list = all.list();
  REQUIRE(list.size() == 2);
  CHECK(list[0].count == 6);
  CHECK(list[0].first.lane == 40);
  CHECK(list[1].count == 1);
  CHECK(list[1].first.lane == 7);
}
