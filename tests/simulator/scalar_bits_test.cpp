// SALU logic, shifts, bit fields, counts and EXEC saves against bit-by-bit reference functions written from
// the ISA text.
#include <array>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kEdges[] = {0,
                          1,
                          2,
                          0x80,
                          0xff,
                          0x8000,
                          0x7fffffff,
                          0x80000000,
                          0xffffffff,
                          0x12345678,
                          u64{1} << 32,
                          0x8000000000000000,
                          0x7fffffffffffffff,
                          0xffffffffffffffff,
                          0xfffffffffffffffe,
                          0x0123456789abcdef,
                          0xf0f0f0f00f0f0f0f,
                          0xffff0000ffff0000};
constexpr u32 kCounts[] = {0, 1, 4, 15, 31, 32, 33, 63, 64, 0xffffffff};

CdnaSnippets& cdna() {
  static CdnaSnippets snippets;
  return snippets;
}

bool bit(u64 value, unsigned index) {
  return (value / (index == 0 ? 1 : u64{2} << (index - 1))) % 2 == 1;
}
u64 from_bits(unsigned width, const std::function<bool(unsigned)>& f) {
  u64 value = 0;
  for (unsigned i = width; i-- > 0;) value = value * 2 + (f(i) ? 1 : 0);
  return value;
}

enum class Flag { keep, nonzero };

/// Runs `mnemonic dst, a` in width bits (registers s0, s2) and compares.
void check_one(const std::string& mnemonic, unsigned to, unsigned from, Flag flag,
               const std::function<u64(u64)>& f) {
  for (u64 a : kEdges) {
    if (from == 32) a &= 0xffffffff;
    Input in;
    in.s64(0, 0xdeadbeefdeadbeef).s64(2, a);
    in.scc = a % 2 == 0;
    const std::string text = mnemonic + (to == 64 ? " s[0:1], " : " s0, ") + (from == 64 ? "s[2:3]" : "s2");
    const Output out = cdna().run(text, in);
    const u64 expected = f(a);
    INFO(text << " of " << a);
    CHECK((to == 64 ? out.s64(0) : out.s(0)) == expected);
    CHECK(out.scc == (flag == Flag::nonzero ? expected != 0 : in.scc));
  }
}

template <class Values>
void check_two(const std::string& mnemonic, unsigned to, unsigned from, const Values& second,
               unsigned second_width, Flag flag, const std::function<u64(u64, u64)>& f) {
  for (u64 a : kEdges) {
    if (from == 32) a &= 0xffffffff;
    for (u64 b : second) {
      if (second_width == 32) b &= 0xffffffff;
      Input in;
      in.s64(0, 0xdeadbeefdeadbeef).s64(2, a).s64(4, b);
      in.scc = a % 2 == 0;
      const std::string text = mnemonic + (to == 64 ? " s[0:1], " : " s0, ") +
                               (from == 64 ? "s[2:3], " : "s2, ") + (second_width == 64 ? "s[4:5]" : "s4");
      const Output out = cdna().run(text, in);
      const u64 expected = f(a, b);
      INFO(text << " of " << a << ", " << b);
      CHECK((to == 64 ? out.s64(0) : out.s(0)) == expected);
      CHECK(out.scc == (flag == Flag::nonzero ? expected != 0 : in.scc));
    }
  }
}

/// The bits of a field, from bit `offset` on, `width` of them as far as the value reaches.
u64 field(u64 a, unsigned bits, u64 control, bool is_signed) {
  const unsigned offset = static_cast<unsigned>(control % bits);
  const unsigned width = static_cast<unsigned>(control >> 16) % 128;
  if (width == 0) return 0;
  const unsigned kept = std::min(width, bits - offset);
  return from_bits(bits, [&](unsigned i) {
    if (i < kept) return bit(a, offset + i);
    return is_signed && bit(a, offset + kept - 1);
  });
}

struct Logic {
  const char* name;
  bool (*f)(bool, bool);
};
constexpr Logic kLogic[] = {
    {"and", [](bool a, bool b) { return a && b; }},    {"or", [](bool a, bool b) { return a || b; }},
    {"xor", [](bool a, bool b) { return a != b; }},    {"andn2", [](bool a, bool b) { return a && !b; }},
    {"orn2", [](bool a, bool b) { return a || !b; }},  {"nand", [](bool a, bool b) { return !(a && b); }},
    {"nor", [](bool a, bool b) { return !(a || b); }}, {"xnor", [](bool a, bool b) { return a == b; }},
};

}  // namespace

TEST_CASE("scalar logic") {
  for (const Logic& op : kLogic) {
    for (const unsigned width : {32u, 64u}) {
      check_two(std::string("s_") + op.name + "_b" + std::to_string(width), width, width, kEdges, width,
                Flag::nonzero, [&](u64 a, u64 b) {
                  return from_bits(width, [&](unsigned i) { return op.f(bit(a, i), bit(b, i)); });
                });
    }
  }
  for (const unsigned width : {32u, 64u}) {
    check_one("s_not_b" + std::to_string(width), width, width, Flag::nonzero,
              [&](u64 a) { return from_bits(width, [&](unsigned i) { return !bit(a, i); }); });
  }
}

TEST_CASE("scalar shifts use as many bits of the count as the width needs") {
  for (const unsigned width : {32u, 64u}) {
    const std::string b = std::to_string(width);
    check_two("s_lshl_b" + b, width, width, kCounts, 32, Flag::nonzero, [&](u64 a, u64 n) {
      return from_bits(
          width, [&](unsigned i) { return i >= n % width && bit(a, static_cast<unsigned>(i - n % width)); });
    });
    check_two("s_lshr_b" + b, width, width, kCounts, 32, Flag::nonzero, [&](u64 a, u64 n) {
      return from_bits(width, [&](unsigned i) {
        return i + n % width < width && bit(a, static_cast<unsigned>(i + n % width));
      });
    });
    check_two("s_ashr_i" + b, width, width, kCounts, 32, Flag::nonzero, [&](u64 a, u64 n) {
      return from_bits(width, [&](unsigned i) {
        return bit(a, static_cast<unsigned>(std::min<u64>(i + n % width, width - 1)));
      });
    });
  }
}

TEST_CASE("scalar bit fields end at the top of the value") {
  std::vector<u64> controls;
  for (const u32 offset : {0u, 1u, 7u, 31u, 32u, 40u, 63u}) {
    for (const u32 width : {0u, 1u, 8u, 31u, 32u, 33u, 63u, 64u, 127u})
      controls.push_back(offset | width << 16);
  }
  for (const unsigned width : {32u, 64u}) {
    const std::string b = std::to_string(width);
    check_two("s_bfe_u" + b, width, width, controls, 32, Flag::nonzero,
              [&](u64 a, u64 c) { return field(a, width, c, false); });
    check_two("s_bfe_i" + b, width, width, controls, 32, Flag::nonzero,
              [&](u64 a, u64 c) { return field(a, width, c, true); });
    check_two("s_bfm_b" + b, width, 32, kCounts, 32, Flag::keep, [&](u64 size, u64 offset) {
      return from_bits(width,
                       [&](unsigned i) { return i >= offset % width && i - offset % width < size % width; });
    });
  }
}

TEST_CASE("scalar counts and searches") {
  for (const unsigned width : {32u, 64u}) {
    const std::string b = std::to_string(width);
    const auto count = [width](u64 a, bool value) {
      u64 n = 0;
      for (unsigned i = 0; i < width; ++i) n += bit(a, i) == value ? 1 : 0;
      return n;
    };
    const auto first = [width](u64 a, bool value) -> u64 {
      for (unsigned i = 0; i < width; ++i) {
        if (bit(a, i) == value) return i;
      }
      return 0xffffffff;
    };
    check_one("s_bcnt0_i32_b" + b, 32, width, Flag::nonzero, [&](u64 a) { return count(a, false); });
    check_one("s_bcnt1_i32_b" + b, 32, width, Flag::nonzero, [&](u64 a) { return count(a, true); });
    check_one("s_ff0_i32_b" + b, 32, width, Flag::keep, [&](u64 a) { return first(a, false); });
    check_one("s_ff1_i32_b" + b, 32, width, Flag::keep, [&](u64 a) { return first(a, true); });
    check_one("s_flbit_i32_b" + b, 32, width, Flag::keep, [&](u64 a) -> u64 {
      for (unsigned i = 0; i < width; ++i) {
        if (bit(a, width - 1 - i)) return i;
      }
      return 0xffffffff;
    });
    check_one(width == 32 ? "s_flbit_i32" : "s_flbit_i32_i64", 32, width, Flag::keep, [&](u64 a) -> u64 {
      for (unsigned i = 1; i < width; ++i) {
        if (bit(a, width - 1 - i) != bit(a, width - 1)) return i;
      }
      return 0xffffffff;
    });
    check_one("s_brev_b" + b, width, width, Flag::keep,
              [&](u64 a) { return from_bits(width, [&](unsigned i) { return bit(a, width - 1 - i); }); });
    const auto quad = [](u64 a, unsigned q) {
      return bit(a, 4 * q) || bit(a, 4 * q + 1) || bit(a, 4 * q + 2) || bit(a, 4 * q + 3);
    };
    check_one("s_wqm_b" + b, width, width, Flag::nonzero,
              [&](u64 a) { return from_bits(width, [&](unsigned i) { return quad(a, i / 4); }); });
    check_one("s_quadmask_b" + b, width, width, Flag::nonzero,
              [&](u64 a) { return from_bits(width / 4, [&](unsigned i) { return quad(a, i); }); });
  }
}

TEST_CASE("scalar extensions, packing and single bits") {
  check_one("s_sext_i32_i8", 32, 32, Flag::keep,
            [](u64 a) { return from_bits(32, [&](unsigned i) { return bit(a, std::min(i, 7u)); }); });
  check_one("s_sext_i32_i16", 32, 32, Flag::keep,
            [](u64 a) { return from_bits(32, [&](unsigned i) { return bit(a, std::min(i, 15u)); }); });
  check_one("s_bitreplicate_b64_b32", 64, 32, Flag::keep,
            [](u64 a) { return from_bits(64, [&](unsigned i) { return bit(a, i / 2); }); });
  check_two("s_pack_ll_b32_b16", 32, 32, kEdges, 32, Flag::keep,
            [](u64 a, u64 b) { return a % 65536 + b % 65536 * 65536; });
  check_two("s_pack_lh_b32_b16", 32, 32, kEdges, 32, Flag::keep,
            [](u64 a, u64 b) { return a % 65536 + b / 65536 * 65536; });
  check_two("s_pack_hh_b32_b16", 32, 32, kEdges, 32, Flag::keep,
            [](u64 a, u64 b) { return a / 65536 + b / 65536 * 65536; });
  for (const unsigned width : {32u, 64u}) {
    for (const u64 a : kEdges) {
      for (const u32 n : kCounts) {
        const std::string registers = width == 64 ? " s[0:1], s2" : " s0, s2";
        const std::string b = std::to_string(width);
        const Input in = Input().s64(0, a).s(2, n);
        const bool set = bit(a, n % width);
        INFO(width << " bits, " << a << ", bit " << n);
        CHECK(cdna().run("s_bitcmp0_b" + b + registers, in).scc == !set);
        CHECK(cdna().run("s_bitcmp1_b" + b + registers, in).scc == set);
        const auto changed = [&](bool value) {
          return from_bits(64, [&](unsigned i) { return i == n % width ? value : bit(a, i); });
        };
        CHECK(cdna().run("s_bitset0_b" + b + registers, in).s64(0) == changed(false));
        CHECK(cdna().run("s_bitset1_b" + b + registers, in).s64(0) == changed(true));
      }
    }
  }
}

TEST_CASE("EXEC is saved and combined with a mask") {
  struct Case {
    const char* name;
    bool (*f)(bool source, bool exec);
  };
  constexpr Case saves[] = {
      {"and", [](bool s, bool e) { return s && e; }},    {"or", [](bool s, bool e) { return s || e; }},
      {"xor", [](bool s, bool e) { return s != e; }},    {"andn2", [](bool s, bool e) { return s && !e; }},
      {"orn2", [](bool s, bool e) { return s || !e; }},  {"nand", [](bool s, bool e) { return !(s && e); }},
      {"nor", [](bool s, bool e) { return !(s || e); }}, {"xnor", [](bool s, bool e) { return s == e; }},
      {"andn1", [](bool s, bool e) { return !s && e; }}, {"orn1", [](bool s, bool e) { return !s || e; }},
  };
  for (const u64 source : kEdges) {
    for (const u64 exec : kEdges) {
      Input in;
      in.s64(2, source);
      in.exec = exec;
      for (const Case& c : saves) {
        INFO(c.name << " of " << source << " and EXEC " << exec);
        const u64 expected = from_bits(64, [&](unsigned i) { return c.f(bit(source, i), bit(exec, i)); });
        const Output out = cdna().run(std::string("s_") + c.name + "_saveexec_b64 s[0:1], s[2:3]", in);
        CHECK(out.exec == expected);
        CHECK(out.s64(0) == exec);
        CHECK(out.scc == (expected != 0));
        // Source and destination may be the same registers.
        CHECK(cdna().run(std::string("s_") + c.name + "_saveexec_b64 s[2:3], s[2:3]", in).s64(2) == exec);
      }
      const Output first = cdna().run("s_andn1_wrexec_b64 s[0:1], s[2:3]", in);
      CHECK(first.exec == (~source & exec));
      CHECK(first.s64(0) == (~source & exec));
      CHECK(first.scc == ((~source & exec) != 0));
      const Output second = cdna().run("s_andn2_wrexec_b64 s[0:1], s[2:3]", in);
      CHECK(second.exec == (source & ~exec));
      CHECK(second.s64(0) == (source & ~exec));
    }
  }
}
