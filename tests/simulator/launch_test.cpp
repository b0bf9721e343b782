// Dispatches of whole code objects: the state a kernel starts in, arguments, barriers, schedules, threads,
// faults.
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "wavesmith/simulator.h"

#include "assembler.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::simulator;
using testing::KernelTraits;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
T take(Expected<T> value) {
  INFO((value ? std::string() : value.error().message + value.error().log));
  REQUIRE(value);
  return std::move(*value);
}

struct Loaded {
  Device device;
  Module module;
};

Loaded load(const KernelTraits& traits, std::string_view processor = "gfx950", unsigned version = 5) {
  const std::string source = testing::kernel_source(traits, processor, version);
  const auto bytes = take(testing::link_code_object(source, processor, traits.wave_size, version));
  Device device = take(Device::create(processor));
  const Module module = take(device.load(bytes, "test kernel"));
  return {std::move(device), module};
}

/// A buffer of dwords, all `fill` at first.
DeviceAddress dwords(Device& device, u64 count, u32 fill = 0xcccccccc) {
  const DeviceAddress address = take(device.allocate(4 * count, {.name = "out"}));
  const auto view = take(device.view(address, 4 * count));
  for (u64 i = 0; i < count; ++i) std::memcpy(view.data() + 4 * i, &fill, 4);
  return address;
}

std::vector<u32> read(Device& device, DeviceAddress address, u64 count) {
  std::vector<u32> values(count);
  REQUIRE(device.read(address, std::as_writable_bytes(std::span(values))));
  return values;
}

/// out[((z * gy + y) * gx + x) * items + flat id] gets v1. s[0:1] is the kernarg pointer, s2, s3, s4 the
/// workgroup ids. The arguments begin with the buffer, gx, gy and the work-items of a workgroup. v0 must
/// still hold the packed ids of a one-dimensional block.
constexpr const char* kStoreV1 =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_load_dwordx2 s[10:11], s[0:1], 0x8\ns_load_dword s12, s[0:1], "
    "0x10\n"
    "s_waitcnt lgkmcnt(0)\ns_mul_i32 s13, s4, s11\ns_add_u32 s13, s13, s3\ns_mul_i32 s13, s13, s10\n"
    "s_add_u32 s13, s13, s2\ns_mul_i32 s13, s13, s12\nv_add_u32 v30, s13, v0\nv_lshlrev_b32 v30, 2, v30\n"
    "global_store_dword v30, v1, s[8:9]\n";

std::vector<Argument> store_arguments(DeviceAddress out, u32 gx, u32 gy, u32 items) {
  return {Argument::of(out), Argument::of(gx), Argument::of(gy), Argument::of(items)};
}
const std::vector<unsigned> kStoreArguments = {8, 4, 4, 4};

}  // namespace

TEST_CASE("workgroup ids, kernel arguments and partial last waves, in code object versions 5 and 6") {
  const unsigned version = GENERATE(5u, 6u);
  KernelTraits traits;
  traits.body = std::string("v_lshlrev_b32 v1, 8, v0\nv_or_b32 v1, s2, v1\n") + kStoreV1;
  traits.arguments = kStoreArguments;
  Loaded loaded = load(traits, "gfx950", version);
  const DeviceAddress out = dwords(loaded.device, 4 * 3 * 2 * 100 + 1);
  Launch launch{.kernel = "kernel",
                .grid = {4, 3, 2},
                .block = {100, 1, 1},
                .arguments = store_arguments(out, 4, 3, 100)};
  const Report report = take(loaded.device.launch(loaded.module, launch));
  REQUIRE(!report.fault);
  const auto values = read(loaded.device, out, 2401);
  for (u32 i = 0; i < 2400; ++i) CHECK(values[i] == (i / 100 % 4 | i % 100 << 8));
  CHECK(values[2400] == 0xcccccccc);
  CHECK(report.counters.at("SQ_WAVES") == 48);
  // 64 + 36 lanes of each workgroup.
  for (const InstructionReport& i : report.instructions) {
    if (i.mnemonic == "global_store_dword") {
      CHECK(i.counters.executions == 48);
      CHECK(i.counters.active_lanes == 2400);
      CHECK(i.counters.bytes == 9600);
    }
  }
}

TEST_CASE("work-item ids are packed into v0") {
  KernelTraits traits;
  traits.arguments = {8};
  traits.directives = ".amdhsa_system_vgpr_workitem_id 2";
  // The flat id of a wave64 workgroup of one wave is the lane; the store goes there.
  traits.body =
      "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshrrev_b32 v2, 10, v0\nv_and_b32 v2, 0x3ff, v2\nv_lshrrev_b32 "
      "v3, 20, v0\n"
      "v_and_b32 v1, 0x3ff, v0\nv_lshlrev_b32 v4, 2, v2\nv_lshlrev_b32 v5, 3, v3\nv_add_u32 v1, v1, v4\n"
      "v_add_u32 v1, v1, v5\nv_lshlrev_b32 v1, 2, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v0, "
      "s[8:9]";
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 24);
  const Report report = take(loaded.device.launch(
      loaded.module, {.kernel = "kernel", .block = {4, 2, 3}, .arguments = {Argument::of(out)}}));
  REQUIRE(!report.fault);
  const auto values = read(loaded.device, out, 24);
  for (u32 z = 0; z < 3; ++z) {
    for (u32 y = 0; y < 2; ++y) {
      for (u32 x = 0; x < 4; ++x) CHECK(values[x + 4 * y + 8 * z] == (x | y << 10 | z << 20));
    }
  }
}

TEST_CASE("MODE is seeded from the descriptor, and undefined registers are poison") {
  KernelTraits traits;
  traits.body = std::string("s_getreg_b32 s20, hwreg(HW_REG_MODE)\nv_mov_b32 v1, s20\n") + kStoreV1;
  traits.arguments = kStoreArguments;
  traits.directives =
      ".amdhsa_float_round_mode_32 2\n.amdhsa_float_round_mode_16_64 1\n.amdhsa_float_denorm_mode_32 0\n"
      ".amdhsa_float_denorm_mode_16_64 3\n.amdhsa_dx10_clamp 1\n.amdhsa_ieee_mode 0\n.amdhsa_fp16_overflow 1";
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 64);
  Launch launch{.kernel = "kernel", .block = {64, 1, 1}, .arguments = store_arguments(out, 1, 1, 64)};
  REQUIRE(!take(loaded.device.launch(loaded.module, launch)).fault);
  CHECK(read(loaded.device, out, 1)[0] == (2u | 1u << 2 | 0u << 4 | 3u << 6 | 1u << 8 | 1u << 23));

  traits.body = std::string("v_mov_b32 v1, v7\n") + kStoreV1;
  Loaded undefined = load(traits);
  const DeviceAddress stored = dwords(undefined.device, 64);
  launch.arguments = store_arguments(stored, 1, 1, 64);
  REQUIRE(!take(undefined.device.launch(undefined.module, launch)).fault);
  CHECK(read(undefined.device, stored, 1)[0] == 0xffe5ffe5);
  launch.options.poison = false;
  REQUIRE(!take(undefined.device.launch(undefined.module, launch)).fault);
  CHECK(read(undefined.device, stored, 1)[0] == 0);
}

TEST_CASE("user SGPRs come in the order the descriptor enables them") {
  KernelTraits traits;
  traits.directives =
      ".amdhsa_user_sgpr_dispatch_ptr 1\n.amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_dispatch_id 1\n"
      ".amdhsa_user_sgpr_private_segment_size 1";
  traits.arguments = {8};
  // dispatch s[0:1], queue s[2:3], kernarg s[4:5], id s[6:7], private size s8, workgroup ids s9, s10, s11.
  traits.body =
      "s_load_dwordx2 s[20:21], s[4:5], 0x0\ns_load_dword s22, s[0:1], 0x4\ns_load_dword s23, s[0:1], 0xc\n"
      "s_load_dword s24, s[2:3], 0x40\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, 0\n"
      "v_mov_b32 v2, s22\nglobal_store_dword v1, v2, s[20:21]\nv_mov_b32 v2, s23\nglobal_store_dword v1, v2, "
      "s[20:21] offset:4\n"
      "v_mov_b32 v2, s24\nglobal_store_dword v1, v2, s[20:21] offset:8\nv_mov_b32 v2, s8\n"
      "global_store_dword v1, v2, s[20:21] offset:12\nv_mov_b32 v2, s9\nglobal_store_dword v1, v2, s[20:21] "
      "offset:16";
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 5);
  const Report report = take(loaded.device.launch(loaded.module, {.kernel = "kernel",
                                                                  .grid = {3, 1, 1},
                                                                  .block = {64, 2, 1},
                                                                  .arguments = {Argument::of(out)},
                                                                  .options = {.threads = 1}}));
  REQUIRE(!report.fault);
  const auto values = read(loaded.device, out, 5);
  CHECK(values[0] == (64u | 2u << 16));  // packet: workgroup size x, y
  CHECK(values[1] == 192);               // packet: grid size x in work-items
  CHECK(values[2] == 0x10000);           // queue: high half of the LDS aperture
  CHECK(values[3] == 0);                 // private segment size
  CHECK(values[4] == 2);                 // workgroup id x of the last workgroup
}

TEST_CASE("system SGPRs follow the count of user SGPRs, whether or not all of these are used") {
  KernelTraits traits;
  traits.arguments = {8};
  traits.directives = ".amdhsa_user_sgpr_count 6";
  traits.body =
      "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, 0\nv_mov_b32 v2, s7\n"
      "global_store_dword v1, v2, s[8:9]\nv_mov_b32 v2, s6\nglobal_store_dword v1, v2, s[8:9] offset:4";
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 2);
  Launch launch{.kernel = "kernel", .grid = {3, 5, 1}, .block = {64, 1, 1}, .arguments = {Argument::of(out)}};
  launch.options.threads = 1;
  REQUIRE(!take(loaded.device.launch(loaded.module, launch)).fault);
  CHECK(read(loaded.device, out, 2) == std::vector<u32>{4, 2});  // y, x of the last workgroup
}

TEST_CASE("kernel arguments can be preloaded into SGPRs; execution then starts behind the prologue") {
  KernelTraits traits;
  traits.directives =
      ".amdhsa_user_sgpr_kernarg_preload_length 2\n.amdhsa_user_sgpr_kernarg_preload_offset 1";
  traits.arguments = {4, 4, 4, 8};
  // s[0:1] kernarg, s[2:3] dwords 1 and 2. The 256 bytes in front would trap.
  traits.body =
      "s_trap 1\n.fill 63, 4, 0xbf800000\ns_load_dwordx2 s[8:9], s[0:1], 0x10\nv_mov_b32 v1, 0\ns_waitcnt "
      "lgkmcnt(0)\n"
      "v_mov_b32 v2, s2\nglobal_store_dword v1, v2, s[8:9]\nv_mov_b32 v2, s3\nglobal_store_dword v1, v2, "
      "s[8:9] offset:4";
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 2);
  const Report report =
      take(loaded.device.launch(loaded.module, {.kernel = "kernel",
                                                .block = {64, 1, 1},
                                                .arguments = {Argument::of(u32{11}), Argument::of(u32{22}),
                                                              Argument::of(u32{33}), Argument::of(out)}}));
  REQUIRE(!report.fault);
  CHECK(read(loaded.device, out, 2) == std::vector<u32>{22, 33});
}

TEST_CASE("hidden arguments are filled in") {
  KernelTraits traits;
  traits.arguments = {8};
  traits.hidden = {"hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z",
                   "hidden_group_size_x",  "hidden_group_size_y",  "hidden_group_size_z",
                   "hidden_remainder_x",   "hidden_grid_dims",     "hidden_dynamic_lds_size"};
  traits.body = "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_mov_b32 v1, 0\n";
  for (const u32 offset : {0u, 4u, 8u, 12u, 16u, 64u, 120u}) {
    traits.body += "s_load_dword s10, s[0:1], " + std::to_string(8 + offset) +
                   "\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s10\n" +
                   "global_store_dword v1, v2, s[8:9] offset:" + std::to_string(offset) + "\n";
  }
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 64);
  const Report report = take(loaded.device.launch(loaded.module, {.kernel = "kernel",
                                                                  .grid = {5, 6, 7},
                                                                  .block = {8, 4, 2},
                                                                  .dynamic_lds_bytes = 4096,
                                                                  .arguments = {Argument::of(out)}}));
  REQUIRE(!report.fault);
  const auto values = read(loaded.device, out, 64);
  CHECK(values[0] == 5);
  CHECK(values[1] == 6);
  CHECK(values[2] == 7);
  CHECK(values[3] == (8u | 4u << 16));
  CHECK(values[4] == (2u | 0u << 16));
  CHECK((values[16] & 0xffff) == 3);
  CHECK(values[30] == 4096);
}

TEST_CASE("a barrier holds every wave, under every schedule and on any number of threads") {
  // Each wave writes its lanes into LDS, then reads what the next wave wrote: a rotation by 64 work-items.
  KernelTraits traits;
  traits.lds_bytes = 1024;
  traits.arguments = kStoreArguments;
  traits.body =
      std::string(
          "v_lshlrev_b32 v2, 2, v0\nv_lshlrev_b32 v3, 1, v0\nv_add_u32 v3, s2, v3\nds_write_b32 v2, v3\n"
          "s_waitcnt lgkmcnt(0)\ns_barrier\nv_add_u32 v4, 0x100, v2\nv_and_b32 v4, 0x3ff, v4\n"
          "ds_read_b32 v1, v4\ns_waitcnt lgkmcnt(0)\n") +
      kStoreV1;
  Loaded loaded = load(traits);
  std::optional<Report> first;
  for (const Schedule schedule : {Schedule::wave_by_wave, Schedule::to_wait_rising, Schedule::to_wait_falling,
                                  Schedule::round_robin, Schedule::random}) {
    for (const unsigned threads : {1u, 3u}) {
      const DeviceAddress out = dwords(loaded.device, 16 * 256);
      Launch launch{.kernel = "kernel",
                    .grid = {16, 1, 1},
                    .block = {256, 1, 1},
                    .arguments = store_arguments(out, 16, 1, 256)};
      launch.options.schedule = schedule;
      launch.options.threads = threads;
      const Report report = take(loaded.device.launch(loaded.module, launch));
      REQUIRE(!report.fault);
      const auto values = read(loaded.device, out, 16 * 256);
      u32 wrong = 0;
      for (u32 i = 0; i < values.size(); ++i) wrong += values[i] == 2 * ((i + 64) % 256) + i / 256 ? 0 : 1;
      CHECK(wrong == 0);
      if (!first) first = report;
      CHECK(report.counters == first->counters);
      for (std::size_t i = 0; i < report.instructions.size(); ++i) {
        CHECK(report.instructions[i].counters == first->instructions[i].counters);
      }
    }
  }
  CHECK(first->counters.at("SQ_INSTS_LDS") == 16 * 4 * 2);
  CHECK(first->counters.at("SQ_LDS_IDX_ACTIVE") == 16 * 4 * 2 * 2);
}

TEST_CASE("without the wait before the barrier the other wave's data is not there") {
  KernelTraits traits;
  traits.lds_bytes = 1024;
  traits.arguments = kStoreArguments;
  traits.body = std::string(
                    "v_lshlrev_b32 v2, 2, v0\nds_write_b32 v2, v0\ns_barrier\nv_add_u32 v4, 0x100, v2\n"
                    "v_and_b32 v4, 0x3ff, v4\nds_read_b32 v1, v4\ns_waitcnt lgkmcnt(0)\n") +
                kStoreV1;
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 256);
  const Report report = take(loaded.device.launch(
      loaded.module,
      {.kernel = "kernel", .block = {256, 1, 1}, .arguments = store_arguments(out, 1, 1, 256)}));
  REQUIRE(!report.fault);
  // Wave 0 runs on from the barrier first: what wave 1 wrote is still in flight, and LDS is poison.
  CHECK(read(loaded.device, out, 1)[0] == 0xffd5ffd5);
}

TEST_CASE("a wave that has ended no longer counts for the barrier") {
  KernelTraits traits;
  traits.arguments = kStoreArguments;
  traits.body = std::string(
                    "v_readfirstlane_b32 s20, v0\ns_cmp_lt_u32 s20, 64\ns_cbranch_scc1 leave\ns_barrier\n"
                    "v_mov_b32 v1, 5\n") +
                kStoreV1 + "leave:";
  Loaded loaded = load(traits);
  const DeviceAddress out = dwords(loaded.device, 192, 0);
  for (const Schedule schedule : {Schedule::wave_by_wave, Schedule::to_wait_falling}) {
    Launch launch{.kernel = "kernel", .block = {192, 1, 1}, .arguments = store_arguments(out, 1, 1, 192)};
    launch.options.schedule = schedule;
    REQUIRE(!take(loaded.device.launch(loaded.module, launch)).fault);
    const auto values = read(loaded.device, out, 192);
    CHECK(values[0] == 0);
    CHECK(values[64] == 5);
    CHECK(values[191] == 5);
  }
}

TEST_CASE("the fault of the lowest workgroup is reported on any number of threads") {
  KernelTraits traits;
  traits.arguments = kStoreArguments;
  traits.body = std::string("v_mov_b32 v1, 1\n") + kStoreV1;
  Loaded loaded = load(traits);
  for (const unsigned threads : {1u, 2u, 4u}) {
    const DeviceAddress out = dwords(loaded.device, 10 * 64);
    Launch launch{.kernel = "kernel",
                  .grid = {64, 1, 1},
                  .block = {64, 1, 1},
                  .arguments = store_arguments(out, 64, 1, 64)};
    launch.options.threads = threads;
    const Report report = take(loaded.device.launch(loaded.module, launch));
    REQUIRE(report.fault);
    CHECK(report.fault->workgroup == std::array<u32, 3>{10, 0, 0});
    CHECK(report.fault->lane == 0);
    CHECK(report.fault->memory_address == out + 2560);
    CHECK(report.fault->message().find("0 bytes after the end of 'out'") != std::string::npos);
  }
}

TEST_CASE("which workgroup's fault is reported does not depend on which fails first") {
  for (const char* slow : {"10", "11"}) {
    // One workgroup counts for a while before its store, which fails like those of all from 10 on.
    KernelTraits traits;
    traits.arguments = kStoreArguments;
    traits.body = std::string("s_mov_b32 s20, 0\ns_cmp_lg_u32 s2, ") + slow +
                  "\ns_cbranch_scc1 store\nwait:\ns_add_u32 s20, s20, 1\ns_cmp_lt_u32 s20, 0x200000\n"
                  "s_cbranch_scc1 wait\nstore:\nv_mov_b32 v1, 1\n" +
                  kStoreV1;
    Loaded loaded = load(traits);
    const DeviceAddress out = dwords(loaded.device, 10 * 64);
    Launch launch{.kernel = "kernel",
                  .grid = {12, 1, 1},
                  .block = {64, 1, 1},
                  .arguments = store_arguments(out, 12, 1, 64)};
    launch.options.threads = 4;
    const Report report = take(loaded.device.launch(loaded.module, launch));
    REQUIRE(report.fault);
    CHECK(report.fault->workgroup[0] == 10);
  }
}

TEST_CASE("a trace sees every instruction and the registers behind it") {
  KernelTraits traits;
  traits.body = "s_mov_b32 s20, 7\nv_add_u32 v1, s20, v0\n";
  Loaded loaded = load(traits);
  std::vector<std::string> seen;
  u32 v1 = 0, s20 = 0;
  Launch launch{.kernel = "kernel", .grid = {2, 1, 1}, .block = {64, 1, 1}};
  launch.options.trace = [&](const TraceEvent& event) {
    seen.emplace_back(event.text);
    if (event.text.starts_with("s_mov")) s20 = event.sgpr(20);
    if (event.text.starts_with("v_add")) v1 = event.vgpr(1, 5);
    CHECK(event.agpr(0, 0) == 0);
  };
  REQUIRE(!take(loaded.device.launch(loaded.module, launch)).fault);
  CHECK(seen == std::vector<std::string>{"s_mov_b32 s20, 7", "v_add_u32_e32 v1, s20, v0", "s_endpgm",
                                         "s_mov_b32 s20, 7", "v_add_u32_e32 v1, s20, v0", "s_endpgm"});
  CHECK(s20 == 7);
  CHECK(v1 == 12);
}

TEST_CASE("launches that cannot be right are refused with field, value and what is allowed") {
  KernelTraits traits;
  traits.arguments = {8, 4};
  traits.max_work_items = 256;
  traits.lds_bytes = 1024;
  Loaded loaded = load(traits);
  const std::vector<Argument> arguments = {Argument::of(u64{0}), Argument::of(u32{0})};
  const auto refused = [&](const Launch& launch) {
    const auto report = loaded.device.launch(loaded.module, launch);
    REQUIRE(!report);
    CHECK(report.error().kind == ErrorKind::invalid_request);
    REQUIRE(!report.error().refusals.empty());
    return report.error().refusals[0].field;
  };
  CHECK(refused({.kernel = "other", .arguments = arguments}) == "kernel");
  CHECK(refused({.kernel = "kernel", .arguments = {arguments[0]}}) == "args");
  CHECK(refused({.kernel = "kernel", .arguments = {arguments[1], arguments[1]}}) == "args[0]");
  CHECK(refused({.kernel = "kernel", .grid = {1, 0, 1}, .arguments = arguments}) == "grid.y");
  CHECK(refused({.kernel = "kernel", .block = {257, 1, 1}, .arguments = arguments}) == "block");
  CHECK(refused({.kernel = "kernel", .dynamic_lds_bytes = 160 * 1024, .arguments = arguments}) ==
        "dynamic_lds_bytes");
  CHECK(loaded.device.launch(loaded.module,
                             {.kernel = "kernel", .dynamic_lds_bytes = 159 * 1024, .arguments = arguments}));
  CHECK(!loaded.device.launch(Module{99}, {.kernel = "kernel"}));
  CHECK(!Device::create("gfx90a"));

  const auto bytes = take(testing::link_code_object(testing::kernel_source(traits, "gfx942"), "gfx942"));
  CHECK(!loaded.device.load(bytes));
}

TEST_CASE("code that names more registers than the descriptor reserves is refused") {
  KernelTraits traits;
  traits.vgprs = 8;
  traits.body = "v_mov_b32 v40, 0";
  Loaded loaded = load(traits);
  const auto report = loaded.device.launch(loaded.module, {.kernel = "kernel", .block = {64, 1, 1}});
  REQUIRE(!report);
  CHECK(report.error().message.find("v40") != std::string::npos);
}

TEST_CASE("data of the code object is relocated and readable") {
  KernelTraits traits;
  traits.arguments = {8};
  traits.body =
      "s_getpc_b64 s[4:5]\n.Lhere:\ns_add_u32 s4, s4, table-.Lhere\ns_addc_u32 s5, s5, (table-.Lhere)>>32\n"
      "s_load_dwordx2 s[6:7], s[4:5], 0x0\ns_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
      "s_load_dword s10, s[6:7], 0x4\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, 0\nv_mov_b32 v2, s10\n"
      "global_store_dword v1, v2, s[8:9]";
  std::string source = testing::kernel_source(traits, "gfx950");
  const std::string data =
      "\n.section .data.rel.ro,\"aw\",@progbits\n.globl table\n.hidden table\n.p2align 3\n.type "
      "table,@object\n"
      "table:\n.quad numbers\n.size table, 8\n.data\n.globl numbers\n.p2align 3\n.type "
      "numbers,@object\nnumbers:\n"
      ".long 10, 20, 30\n.size numbers, 12\n";
  // A PC-relative difference across sections needs a relocation, which the assembler makes of `@rel32`.
  const auto replace = [&](const std::string& from, const std::string& to) {
    source.replace(source.find(from), from.size(), to);
  };
  replace("table-.Lhere\n", "table@rel32@lo+4\n");
  replace("(table-.Lhere)>>32", "table@rel32@hi+12");
  const auto bytes = take(testing::link_code_object(source + data, "gfx950"));
  Device device = take(Device::create("gfx950"));
  const Module module = take(device.load(bytes));
  const DeviceAddress out = dwords(device, 1);
  const Report report = take(
      device.launch(module, {.kernel = "kernel", .block = {64, 1, 1}, .arguments = {Argument::of(out)}}));
  REQUIRE(!report.fault);
  CHECK(read(device, out, 1)[0] == 20);
  const auto numbers = take(device.symbol(module, "numbers"));
  CHECK(numbers.second == 12);
  CHECK(read(device, numbers.first, 3) == std::vector<u32>{10, 20, 30});
  CHECK(device.unload(module));
  CHECK(!device.view(numbers.first, 4));
}

TEST_CASE("a load that is not waited for gives poison when it arrives at the latest, else mostly its value") {
  KernelTraits traits;
  traits.arguments = {8};
  traits.body =
      "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"
      "global_load_dword v2, v1, s[8:9]\n";
  for (int i = 0; i < 200; ++i) traits.body += "s_nop 0\n";
  traits.body += "v_add_u32 v3, 1, v2\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v3, s[8:9]\n";
  for (const Arrival arrival : {Arrival::latest, Arrival::random}) {
    Loaded loaded = load(traits);
    const DeviceAddress buffer = dwords(loaded.device, 64, 41);
    Launch launch{.kernel = "kernel", .block = {64, 1, 1}, .arguments = {Argument::of(buffer)}};
    launch.options.arrival = arrival;
    launch.options.seed = 7;
    REQUIRE(!take(loaded.device.launch(loaded.module, launch)).fault);
    CHECK(read(loaded.device, buffer, 1)[0] == (arrival == Arrival::latest ? 0xfff5fff5u + 1 : 42u));
  }
}
