// SALU arithmetic, comparisons, selects and moves against reference functions written from the ISA text, on
// edge values.
#include <functional>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

constexpr u32 kEdges[] = {0,          1,          2,          5,          31,         32,
                          0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
                          0x10000,    0x12345678, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
                          0x87654321, 0xfffffffe, 0xffffffff, 0xaaaaaaaa};

CdnaSnippets& cdna() {
  static CdnaSnippets snippets;
  return snippets;
}

/// What an instruction does to its destination and SCC, computed in 128-bit or 64-bit arithmetic.
struct Expectation {
  u32 result;
  bool scc;
};
using Reference = std::function<Expectation(u32, u32, bool)>;

i64 wide(u32 value) {
  return static_cast<i32>(value);
}
bool fits(i64 value) {
  return value >= std::numeric_limits<i32>::min() && value <= std::numeric_limits<i32>::max();
}

void check_two_sources(const std::string& mnemonic, const Reference& reference) {
  for (const u32 a : kEdges) {
    for (const u32 b : kEdges) {
      for (const bool scc : {false, true}) {
        Input in;
        in.s(1, a).s(2, b).s(0, 0xdeadbeef);
        in.scc = scc;
        const Output out = cdna().run(mnemonic + " s0, s1, s2", in);
        const Expectation expected = reference(a, b, scc);
        INFO(mnemonic << ' ' << a << ", " << b << ", scc " << scc);
        CHECK(out.s(0) == expected.result);
        CHECK(out.scc == expected.scc);
        CHECK(out.s(1) == a);
      }
    }
  }
}

}  // namespace

TEST_CASE("scalar additions and subtractions set SCC to carry, borrow or overflow") {
  check_two_sources("s_add_u32", [](u32 a, u32 b, bool) {
    const u64 sum = u64{a} + b;
    return Expectation{static_cast<u32>(sum), sum > 0xffffffff};
  });
  check_two_sources("s_addc_u32", [](u32 a, u32 b, bool scc) {
    const u64 sum = u64{a} + b + u64{scc};
    return Expectation{static_cast<u32>(sum), sum > 0xffffffff};
  });
  check_two_sources("s_sub_u32", [](u32 a, u32 b, bool) {
    const i64 difference = i64{a} - i64{b};
    return Expectation{static_cast<u32>(difference), difference < 0};
  });
  check_two_sources("s_subb_u32", [](u32 a, u32 b, bool scc) {
    const i64 difference = i64{a} - i64{b} - i64{scc};
    return Expectation{static_cast<u32>(difference), difference < 0};
  });
  check_two_sources("s_add_i32", [](u32 a, u32 b, bool) {
    const i64 sum = wide(a) + wide(b);
    return Expectation{static_cast<u32>(sum), !fits(sum)};
  });
  check_two_sources("s_sub_i32", [](u32 a, u32 b, bool) {
    const i64 difference = wide(a) - wide(b);
    return Expectation{static_cast<u32>(difference), !fits(difference)};
  });
  for (u32 shift = 1; shift <= 4; ++shift) {
    check_two_sources("s_lshl" + std::to_string(shift) + "_add_u32", [shift](u32 a, u32 b, bool) {
      const u64 sum = u64{a} * (u64{1} << shift) + b;
      return Expectation{static_cast<u32>(sum), sum > 0xffffffff};
    });
  }
}

TEST_CASE("scalar minimum and maximum say which operand was chosen") {
  check_two_sources("s_min_i32", [](u32 a, u32 b, bool) {
    return Expectation{wide(a) < wide(b) ? a : b, wide(a) < wide(b)};
  });
  check_two_sources("s_max_i32", [](u32 a, u32 b, bool) {
    return Expectation{wide(a) > wide(b) ? a : b, wide(a) > wide(b)};
  });
  check_two_sources("s_min_u32", [](u32 a, u32 b, bool) { return Expectation{a < b ? a : b, a < b}; });
  check_two_sources("s_max_u32", [](u32 a, u32 b, bool) { return Expectation{a > b ? a : b, a > b}; });
}

TEST_CASE("scalar multiplications leave SCC alone") {
  check_two_sources("s_mul_i32",
                    [](u32 a, u32 b, bool scc) { return Expectation{static_cast<u32>(u64{a} * b), scc}; });
  check_two_sources("s_mul_hi_u32", [](u32 a, u32 b, bool scc) {
    return Expectation{static_cast<u32>((u64{a} * b) / (u64{1} << 32)), scc};
  });
  check_two_sources("s_mul_hi_i32", [](u32 a, u32 b, bool scc) {
    return Expectation{static_cast<u32>((wide(a) * wide(b)) >> 32), scc};
  });
}

TEST_CASE("scalar select, absolute value and absolute difference") {
  check_two_sources("s_cselect_b32", [](u32 a, u32 b, bool scc) { return Expectation{scc ? a : b, scc}; });
  check_two_sources("s_absdiff_i32", [](u32 a, u32 b, bool) {
    // The difference wraps to 32 bits before its sign is looked at.
    const i64 wrapped = static_cast<i32>(static_cast<u32>(wide(a) - wide(b)));
    const u32 result = static_cast<u32>(wrapped < 0 ? -wrapped : wrapped);
    return Expectation{result, result != 0};
  });
  for (const u32 a : kEdges) {
    const Output out = cdna().run("s_abs_i32 s0, s1", Input().s(1, a));
    const u32 expected = static_cast<u32>(wide(a) < 0 ? -wide(a) : wide(a));
    CHECK(out.s(0) == expected);
    CHECK(out.scc == (expected != 0));
  }
  for (const bool scc : {false, true}) {
    Input in;
    in.s64(2, 0x1111222233334444).s64(4, 0x5555666677778888);
    in.scc = scc;
    CHECK(cdna().run("s_cselect_b64 s[0:1], s[2:3], s[4:5]", in).s64(0) ==
          (scc ? 0x1111222233334444u : 0x5555666677778888u));
  }
}

TEST_CASE("scalar moves, and what constants are worth in them") {
  Input in;
  in.s64(2, 0x0123456789abcdef);
  CHECK(cdna().run("s_mov_b32 s0, s3", in).s(0) == 0x01234567);
  CHECK(cdna().run("s_mov_b64 s[0:1], s[2:3]", in).s64(0) == 0x0123456789abcdef);
  CHECK(cdna().run("s_mov_b32 s0, -16", in).s(0) == 0xfffffff0);
  CHECK(cdna().run("s_mov_b32 s0, 64", in).s(0) == 64);
  CHECK(cdna().run("s_mov_b32 s0, 1.0", in).s(0) == 0x3f800000);
  CHECK(cdna().run("s_mov_b32 s0, -4.0", in).s(0) == 0xc0800000);
  CHECK(cdna().run("s_mov_b32 s0, 0.15915494", in).s(0) == 0x3e22f983);
  CHECK(cdna().run("s_mov_b32 s0, 0xdeadbeef", in).s(0) == 0xdeadbeef);
  CHECK(cdna().run("s_mov_b64 s[0:1], -1", in).s64(0) == ~u64{0});
  CHECK(cdna().run("s_mov_b64 s[0:1], -0.5", in).s64(0) == 0xbfe0000000000000);
  CHECK(cdna().run("s_mov_b64 s[0:1], 0xfffffff0", in).s64(0) == 0xfffffff0);
  CHECK(cdna().run("s_mov_b64 vcc, 7", in).vcc == 7);
  CHECK(cdna().run("s_mov_b32 m0, 9", in).m0 == 9);
  CHECK(cdna().run("s_mov_b64 exec, 3", in).exec == 3);
  CHECK(cdna().run("s_mov_b32 exec_hi, 0", in).exec == 0xffffffff);
  in.scc = true;
  CHECK(cdna().run("s_mov_b32 s0, src_scc", in).s(0) == 1);
  CHECK(cdna().run("s_mov_b32 s0, src_execz", in).s(0) == 0);
  CHECK(cdna().run("s_mov_b32 s0, src_vccz", in).s(0) == 1);
  CHECK(cdna().run("s_mov_b64 s[0:1], src_shared_base", in).s64(0) == u64{1} << 48);

  for (const bool scc : {false, true}) {
    Input conditional;
    conditional.s64(0, 0x1122334455667788).s64(2, 0x99aabbccddeeff00);
    conditional.scc = scc;
    CHECK(cdna().run("s_cmov_b32 s0, s2", conditional).s(0) == (scc ? 0xddeeff00u : 0x55667788u));
    CHECK(cdna().run("s_cmov_b64 s[0:1], s[2:3]", conditional).s64(0) ==
          (scc ? 0x99aabbccddeeff00u : 0x1122334455667788u));
    CHECK(cdna().run("s_cmovk_i32 s0, 0x8000", conditional).s(0) == (scc ? 0xffff8000u : 0x55667788u));
  }
}

TEST_CASE("immediates of SOPK are sign-extended except in unsigned comparisons") {
  for (const u32 immediate : {0u, 1u, 0x7fffu, 0x8000u, 0xfffeu, 0xffffu}) {
    const std::string text = std::to_string(static_cast<std::int16_t>(immediate));
    const i64 extended = static_cast<std::int16_t>(immediate);
    CHECK(cdna().run("s_movk_i32 s0, " + text, Input()).s(0) == static_cast<u32>(extended));
    for (const u32 a : kEdges) {
      INFO(a << ", " << extended);
      const Output sum = cdna().run("s_addk_i32 s0, " + text, Input().s(0, a));
      CHECK(sum.s(0) == static_cast<u32>(wide(a) + extended));
      CHECK(sum.scc == !fits(wide(a) + extended));
      CHECK(cdna().run("s_mulk_i32 s0, " + text, Input().s(0, a)).s(0) ==
            static_cast<u32>(wide(a) * extended));

      const std::string hex = std::to_string(immediate);
      const auto flag = [&](const char* mnemonic, const std::string& operand) {
        return cdna().run(std::string(mnemonic) + " s0, " + operand, Input().s(0, a)).scc;
      };
      CHECK(flag("s_cmpk_eq_i32", text) == (wide(a) == extended));
      CHECK(flag("s_cmpk_lg_i32", text) == (wide(a) != extended));
      CHECK(flag("s_cmpk_gt_i32", text) == (wide(a) > extended));
      CHECK(flag("s_cmpk_ge_i32", text) == (wide(a) >= extended));
      CHECK(flag("s_cmpk_lt_i32", text) == (wide(a) < extended));
      CHECK(flag("s_cmpk_le_i32", text) == (wide(a) <= extended));
      CHECK(flag("s_cmpk_eq_u32", hex) == (a == immediate));
      CHECK(flag("s_cmpk_lg_u32", hex) == (a != immediate));
      CHECK(flag("s_cmpk_gt_u32", hex) == (a > immediate));
      CHECK(flag("s_cmpk_ge_u32", hex) == (a >= immediate));
      CHECK(flag("s_cmpk_lt_u32", hex) == (a < immediate));
      CHECK(flag("s_cmpk_le_u32", hex) == (a <= immediate));
    }
  }
}

TEST_CASE("scalar comparisons") {
  for (const u32 a : kEdges) {
    for (const u32 b : kEdges) {
      INFO(a << ", " << b);
      const auto flag = [&](const char* mnemonic) {
        return cdna().run(std::string(mnemonic) + " s0, s1", Input().s(0, a).s(1, b)).scc;
      };
      CHECK(flag("s_cmp_eq_i32") == (a == b));
      CHECK(flag("s_cmp_lg_i32") == (a != b));
      CHECK(flag("s_cmp_gt_i32") == (wide(a) > wide(b)));
      CHECK(flag("s_cmp_ge_i32") == (wide(a) >= wide(b)));
      CHECK(flag("s_cmp_lt_i32") == (wide(a) < wide(b)));
      CHECK(flag("s_cmp_le_i32") == (wide(a) <= wide(b)));
      CHECK(flag("s_cmp_eq_u32") == (a == b));
      CHECK(flag("s_cmp_lg_u32") == (a != b));
      CHECK(flag("s_cmp_gt_u32") == (a > b));
      CHECK(flag("s_cmp_ge_u32") == (a >= b));
      CHECK(flag("s_cmp_lt_u32") == (a < b));
      CHECK(flag("s_cmp_le_u32") == (a <= b));
    }
  }
  const u64 values[] = {0, 1, u64{1} << 32, ~u64{0}, 0xffffffff};
  for (const u64 a : values) {
    for (const u64 b : values) {
      const Input in = Input().s64(0, a).s64(2, b);
      CHECK(cdna().run("s_cmp_eq_u64 s[0:1], s[2:3]", in).scc == (a == b));
      CHECK(cdna().run("s_cmp_lg_u64 s[0:1], s[2:3]", in).scc == (a != b));
    }
  }
}
