// Which lane each DPP control reads, on gfx950 with the destination elsewhere and in the source's register,
// and that the controls whose names or codes are near each other are told apart.
#include "simulator/groups/dpp.h"

#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "assembler.h"
#include "simulator/assembly_text.h"
#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator;
using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::vector<std::string> controls_of_gfx950() {
  std::vector<std::string> controls{"row_mirror", "row_half_mirror", "row_bcast:15", "row_bcast:31",
                                    "wave_shl:1", "wave_rol:1",      "wave_shr:1",   "wave_ror:1"};
  for (unsigned n = 0; n < 16; ++n) {
    controls.push_back(fmt::format("row_newbcast:{}", n));
    if (n == 0) continue;
    for (const char* name : {"row_shl", "row_shr", "row_ror"})
      controls.push_back(fmt::format("{}:{}", name, n));
  }
  for (unsigned code = 0; code < 256; ++code) {
    controls.push_back(
        fmt::format("quad_perm:[{},{},{},{}]", code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6));
  }
  return controls;
}

/// The lanes that a control reads on a processor, by the simulator's table; -1 where there is none.
std::vector<int> lanes_read(std::string_view processor, std::string_view modifier) {
  Instruction instruction;
  instruction.form = Form::dpp;
  instruction.has_dpp = true;
  if (!parse_modifier(modifier, instruction)) return {};
  Wave wave;
  wave.processor = find_processor(processor);
  wave.set_scalar64(kExec, ~u64{0});
  const groups::DppLanes lanes = groups::dpp_lanes(wave, instruction);
  std::vector<int> result;
  for (u32 l = 0; l < 64; ++l) result.push_back((lanes.valid >> l & 1) != 0 ? lanes.source[l] : -1);
  return result;
}

std::vector<int> told(int (*source)(int)) {
  std::vector<int> result;
  for (int l = 0; l < 64; ++l) result.push_back(source(l));
  return result;
}

}  // namespace

TEST_CASE("DPP: every control of gfx950, with all masks and EXEC patterns") {
  Snippets gfx950("gfx950");
  for (const std::string& control : controls_of_gfx950()) {
    for (const bool in_place : {false, true}) {
      for (const bool bound : {false, true}) {
        const u32 rows = bound ? 0xf : 0xb, banks = in_place ? 0xf : 0xd;
        const std::string text =
            fmt::format("v_mov_b32_dpp {}, v0 {} row_mask:{:#x} bank_mask:{:#x}{}", in_place ? "v0" : "v1",
                        control, rows, banks, bound ? " bound_ctrl:1" : "");
        for (const u64 exec : {~u64{0}, u64{0x0123456789abcdef}, u64{0}}) {
          Input in;
          in.exec = exec;
          in.v(0, lanes([](u32 l) { return 100 + l; })).v(1, lanes([](u32 l) { return 900 + l; }));
          const Lanes32 expected = lanes([&](u32 l) -> u32 {
            const u32 before = in_place ? 100 + l : 900 + l;
            const bool enabled = (rows >> (l / 16) & 1) != 0 && (banks >> (l % 16 / 4) & 1) != 0;
            if ((exec >> l & 1) == 0 || !enabled) return before;
            const int from = dpp_source(control, static_cast<int>(l));
            if (from < 0 || (exec >> from & 1) == 0) return bound ? 0 : before;
            return 100 + static_cast<u32>(from);
          });
          INFO(text << std::hex << " exec " << exec);
          CHECK(gfx950.run(text, in).v(in_place ? 0 : 1) == expected);
        }
      }
    }
  }
}

TEST_CASE("DPP: the destination may be source 0, source 1 or both") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, lanes([](u32 l) { return 100 + l; })).v(1, lanes([](u32 l) { return 1000 * l; }));
  const auto from = [](u32 l) { return l / 16 * 16 + (l + 12) % 16; };  // row_ror:4
  const std::string suffix = " row_ror:4 row_mask:0xf bank_mask:0xf";
  CHECK(gfx950.run("v_add_u32_dpp v0, v0, v1" + suffix, in).v(0) ==
        lanes([&](u32 l) { return 100 + from(l) + 1000 * l; }));
  CHECK(gfx950.run("v_add_u32_dpp v1, v0, v1" + suffix, in).v(1) ==
        lanes([&](u32 l) { return 100 + from(l) + 1000 * l; }));
  CHECK(gfx950.run("v_add_u32_dpp v0, v0, v0" + suffix, in).v(0) ==
        lanes([&](u32 l) { return 200 + from(l) + l; }));
  // v_fmac reads its destination too, in the lane's own place.
  in.v(2, lanes([](u32 l) { return rounded(exact_integer(l), {kF32}); })).v(3, 0x40000000);
  CHECK(gfx950.run("v_fmac_f32_dpp v2, v2, v3" + suffix, in).v(2) ==
        lanes([&](u32 l) { return rounded(exact_integer(2 * from(l) + l), {kF32}); }));
}

TEST_CASE("DPP: row_newbcast, row_share, row_xmask and row_bcast are told apart") {
  CHECK(lanes_read("gfx950", "row_newbcast:3") == told([](int l) { return l / 16 * 16 + 3; }));
  CHECK(lanes_read("gfx1030", "row_share:3") == told([](int l) { return l / 16 * 16 + 3; }));
  CHECK(lanes_read("gfx1030", "row_xmask:3") == told([](int l) { return l ^ 3; }));
  CHECK(lanes_read("gfx1201", "row_xmask:12") == told([](int l) { return l ^ 12; }));
  CHECK(lanes_read("gfx950", "row_bcast:15") == told([](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }));
  CHECK(lanes_read("gfx950", "row_bcast:31") == told([](int l) { return l < 32 ? -1 : 31; }));
  // On gfx950 a code in the place of row_xmask reads nothing.
  CHECK(lanes_read("gfx950", "row_xmask:3") == told([](int) { return -1; }));
}

TEST_CASE("DPP: gfx950 has no row_xmask and calls the other broadcast row_newbcast") {
  Snippets gfx950("gfx950");
  CHECK(!gfx950.try_run("v_mov_b32_dpp v1, v0 row_xmask:1 row_mask:0xf bank_mask:0xf", Input{}));
  CHECK(!gfx950.try_run("v_mov_b32_dpp v1, v0 row_share:1 row_mask:0xf bank_mask:0xf", Input{}));
  const auto bytes = assemble("v_mov_b32_dpp v1, v0 row_newbcast:1 row_mask:0xf bank_mask:0xf", "gfx950");
  REQUIRE(bytes);
  u32 words[2];
  REQUIRE(bytes->size() >= sizeof words);
  std::memcpy(words, bytes->data(), sizeof words);
  REQUIRE((words[1] >> 8 & 0x1ff) == 0x151);
  Input in;
  in.v(0, lanes([](u32 l) { return l; }));
  const auto with_control = [&](u32 control) {
    return gfx950.try_run(
        fmt::format(".long {:#x}, {:#x}", words[0], (words[1] & ~(0x1ffu << 8)) | control << 8), in);
  };
  const auto same = with_control(0x151);
  REQUIRE(same);
  CHECK(same->v(1) == lanes([](u32 l) { return l / 16 * 16 + 1; }));
  CHECK(!with_control(0x161));  // where later processors have row_xmask
  CHECK(!with_control(0x100));
}

TEST_CASE("DPP: a disabled lane of a comparison or a carry") {
  // v_cmp has no DPP form on gfx9; a carry is 0 for a lane that is not written.
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0xffffffff).v(1, 1).v(2, 5);
  in.vcc = ~u64{0};
  const Output out = gfx950.run("v_add_co_u32_dpp v2, vcc, v0, v1 row_shr:1 row_mask:0x3 bank_mask:0xf", in);
  const u64 written = 0xfffefffe;  // rows 0 and 1, less their first lanes
  CHECK(out.vcc == written);
  CHECK(out.v(2) == lanes([&](u32 l) { return (written >> l & 1) != 0 ? 0u : 5u; }));
}
