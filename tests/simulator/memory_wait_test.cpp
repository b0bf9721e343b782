// When memory operations take effect: each wait proves exactly the oldest, in order, for mixes of every
// group; stores and LDS writes reach others only when proven; misuse across waves is seen.
#include <algorithm>
#include <cstring>
#include <ranges>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "assembler.h"
#include "memory_cases.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kPending = 0xfff5fff5;

/// Runs `issue`, waits, and gives lane 5 of each register as it was then. LDS writes take their data at
/// issue.
std::vector<u32> registers_after(Snippets& snippets, Input in, const std::string& issue,
                                 const std::string& wait, std::span<const unsigned> watched) {
  constexpr u32 log = 4096;
  in.lds.resize(log + 64 * 256);
  in.v(90, lanes([](u32 l) { return log + 4 * l; }));
  std::string text = issue + wait + "\n";
  for (std::size_t k = 0; k < watched.size(); ++k)
    text += fmt::format("ds_write_b32 v90, v{} offset:{}\n", watched[k], 256 * k);
  const Output out = snippets.run(text + "s_waitcnt vmcnt(0) lgkmcnt(0)", in);
  if (out.fault) FAIL(out.fault->message());
  std::vector<u32> values;
  for (std::size_t k = 0; k < watched.size(); ++k) values.push_back(out.lds_dword((log + 256 * k) / 4 + 5));
  return values;
}

}  // namespace

TEST_CASE("vmcnt(n) proves all but the newest n, across GLOBAL, MUBUF, SCRATCH, stores and atomics") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, 100 + d);
  Input in;
  in.scratch_bytes = 16;
  in.lds.resize(64);
  in.v(4, lanes([](u32 l) { return 4 * l; })).v(5, 7u).s64(2, buffer.address);
  in.s64(8, buffer.address).s(10, 4096).s(11, 0x20000);
  const std::string issue =
      "global_load_dword v20, v4, s[2:3]\n"
      "buffer_load_dword v21, v4, s[8:11], 0 offen offset:256\n"
      "scratch_store_dword off, v5, off\n"
      "scratch_load_dword v22, off, off\n"
      "global_store_dword v4, v5, s[2:3] offset:1024\n"
      "global_load_dword v23, v4, s[2:3] offset:1024\n"
      "global_atomic_add v24, v4, v5, s[2:3] offset:2048 sc0\n"
      "global_load_lds_dword v4, s[2:3]\n";
  const unsigned watched[] = {20, 21, 22, 23, 24};
  const unsigned position[] = {0, 1, 3, 5, 6};  // among the eight operations
  const u32 landed[] = {105, 100 + 64 + 5, 7, 7, 100 + 512 + 5};
  for (unsigned left = 0; left <= 8; ++left) {
    INFO("vmcnt(" << left << ")");
    std::ranges::for_each(std::views::iota(0u, 1024u), [&](u32 d) { buffer.set_dword(d, 100 + d); });
    const auto values =
        registers_after(snippets, in, issue, fmt::format("s_waitcnt vmcnt({})", left), watched);
    for (std::size_t k = 0; k < 5; ++k) CHECK(values[k] == (position[k] < 8 - left ? landed[k] : kPending));
  }
}

TEST_CASE("lgkmcnt(n) proves all but the newest n, across reads, pairs, permutes, transposes and atomics") {
  Snippets snippets("gfx950");
  Input in;
  in.lds_dwords(4096, [](u32 d) { return 100 + d; });
  in.v(4, lanes([](u32 l) { return 8 * l; })).v(5, 1u).v(6, 3000u);
  const std::string issue =
      "ds_read_b64 v[20:21], v4\n"
      "ds_write_b32 v4, v6\n"
      "ds_read2_b32 v[22:23], v4 offset0:0 offset1:1\n"
      "ds_bpermute_b32 v24, v4, v6\n"
      "ds_read_b64_tr_b16 v[26:27], v4\n"
      "ds_add_rtn_u32 v28, v4, v5\n"
      "ds_read_u16_d16_hi v30, v4\n";
  const unsigned watched[] = {20, 22, 24, 26, 28, 30};
  const unsigned position[] = {0, 2, 3, 4, 5, 6};
  // Lane 5: dword 10 of LDS, later 3000 and 3001; the transpose's column 5 of rows 0 and 1 are the halves of
  // lanes 1 and 5, dwords 2 + 0 and 10, whose second element is the upper half of their first dword.
  const u32 landed[] = {110, 3000, 3000, 0, 3000, 3001u << 16};
  for (unsigned left = 0; left <= 7; ++left) {
    INFO("lgkmcnt(" << left << ")");
    const auto values =
        registers_after(snippets, in, issue, fmt::format("s_waitcnt lgkmcnt({})", left), watched);
    for (std::size_t k = 0; k < 6; ++k) {
      const bool proven = position[k] < 7 - left;
      // A pending high half is poison in its half only where the other is kept; here it is zeroed.
      CHECK(values[k] == (proven ? landed[k] : kPending));
    }
  }
}

TEST_CASE("the counter stalls when it is full: the oldest lands although nobody waited") {
  Snippets snippets("gfx950");
  Input in;
  in.lds_dwords(1024, [](u32 d) { return d; });
  in.v(4, lanes([](u32 l) { return 4 * l; }));
  std::string issue;
  for (unsigned k = 0; k < 17; ++k) issue += fmt::format("ds_read_b32 v{}, v4\n", 20 + k);
  const unsigned watched[] = {20, 21, 22, 36};
  // 15 outstanding at most; the LDS writes that look push out one more each.
  const auto values = registers_after(snippets, in, issue, "", watched);
  CHECK(values[0] == 5);
  CHECK(values[1] == 5);
  CHECK(values[3] == kPending);
}

TEST_CASE("a store reaches memory when it is proven, as a scalar load sees") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(256, {.name = "data"});
  Input in;
  in.exec = 1;
  in.v(4, 0u).v(5, 7u).s64(2, buffer.address).s64(4, buffer.address).s(6, 256).s(7, 0x20000);
  for (const std::string store :
       {"global_store_dword v4, v5, s[2:3]", "buffer_store_dword v5, off, s[4:7], 0",
        "global_atomic_add v4, v5, s[2:3]"}) {
    buffer.set_dword(0, 1);
    const Output out =
        snippets.run(store +
                         "\ns_load_dword s20, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\n"
                         "s_waitcnt vmcnt(0)\ns_load_dword s21, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)",
                     in);
    CHECK(out.s(20) == 1);
    CHECK(out.s(21) == (store.starts_with("global_atomic") ? 8 : 7));
  }
}

TEST_CASE("LDS that another wave wrote is there after the barrier only if the writer waited before it") {
  // Each wave fills its 256 bytes with its lanes' ids + 1000 and reads those of the other one.
  const auto run = [](const std::string& fill, const std::string& wait) {
    KernelTraits traits;
    traits.lds_bytes = 512;
    traits.arguments = {8, 8};
    traits.body =
        "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\nv_add_u32 v2, 0x3e8, v0\n"
        "v_readfirstlane_b32 s8, v1\ns_mov_b32 m0, s8\ns_waitcnt lgkmcnt(0)\n" +
        fill + "\n" + wait +
        "\ns_barrier\nv_xor_b32 v3, 0x100, v1\nds_read_b32 v4, v3\ns_waitcnt lgkmcnt(0)\n"
        "global_store_dword v1, v4, s[4:5]";
    const std::string source = kernel_source(traits, "gfx950");
    const auto bytes = link_code_object(source, "gfx950");
    REQUIRE(bytes);
    auto device = Device::create("gfx950");
    REQUIRE(device);
    const auto module = device->load(*bytes);
    REQUIRE(module);
    const auto out = device->allocate(512), from = device->allocate(512);
    REQUIRE(out);
    REQUIRE(from);
    std::vector<u32> values(128);
    for (u32 d = 0; d < 128; ++d) values[d] = 1000 + d;
    REQUIRE(device->write(*from, std::as_bytes(std::span(values))));
    Launch launch{.kernel = "kernel", .block = {128, 1, 1}};
    launch.arguments = {Argument::of(*out), Argument::of(*from)};
    const auto report = device->launch(*module, launch);
    if (!report) FAIL(report.error().message);
    if (report->fault) FAIL(report->fault->message());
    REQUIRE(device->read(*out, std::as_writable_bytes(std::span(values))));
    return values;
  };
  const std::string write = "ds_write_b32 v1, v2", dma = "global_load_lds_dword v1, s[6:7]";
  for (const auto& [fill, right, wrong] : {std::tuple{write, "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"},
                                           std::tuple{dma, "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"}}) {
    INFO(fill);
    const std::vector<u32> good = run(fill, right), bad = run(fill, wrong);
    for (u32 d = 0; d < 128; ++d) CHECK(good[d] == 1000 + (d ^ 64));
    // The wave that reads first; what the other one reads has landed with the first one's later waits.
    for (u32 d = 0; d < 64; ++d) CHECK(bad[d] == (fill == write ? 0xffd5ffd5 : kPending));
  }
}
