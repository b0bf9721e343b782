// Occupancy: the published figures of the attention kernels, the steps at which LLVM's own estimate changes,
// and the hand-computed effect of LDS, scalar registers, barriers and whole workgroups.
#include "runtime/occupancy.h"

#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "runtime/occupancy_limits.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

OccupancyRequest gfx950_request(std::uint32_t vgprs, std::uint32_t lds_bytes, std::uint32_t workgroup_size) {
  return {.processor = "gfx950",
          .vgprs = vgprs,
          .sgprs = 46,
          .lds_bytes = lds_bytes,
          .workgroup_size = workgroup_size,
          .wavefront_size = 64,
          .wgp_mode = false};
}

OccupancyRequest gfx1100_request(std::uint32_t vgprs, std::uint32_t lds_bytes, std::uint32_t workgroup_size) {
  return {.processor = "gfx1100",
          .vgprs = vgprs,
          .sgprs = 30,
          .lds_bytes = lds_bytes,
          .workgroup_size = workgroup_size,
          .wavefront_size = 32,
          .wgp_mode = true};
}

/// llc's "; Occupancy: N" for kernels that use exactly so many VGPRs, in the same order.
std::vector<std::uint32_t> llc_occupancy(std::string_view processor, std::string_view attributes,
                                         const std::vector<std::uint32_t>& vgprs) {
  std::string ir;
  for (const std::uint32_t count : vgprs) {
    ir += fmt::format(
        "define amdgpu_kernel void @k{0}() #0 {{\n  call void asm sideeffect \"; use\", \"~{{v{1}}}\"()\n  "
        "ret void\n}}\n",
        count, count - 1);
  }
  ir += "attributes #0 = { \"amdgpu-flat-work-group-size\"=\"1,64\" }\n";
  const test::TemporaryFolder folder;
  test::write_text(folder.file("k.ll"), ir);
  std::istringstream assembly(
      test::run(fmt::format("{} -mtriple=amdgcn-amd-amdhsa -mcpu={} -mattr={} {} -o -", WAVESMITH_LLC,
                            processor, attributes, folder.file("k.ll"))));
  std::vector<std::uint32_t> result;
  for (std::string line; std::getline(assembly, line);) {
    constexpr std::string_view kPrefix = "; Occupancy: ";
    if (line.starts_with(kPrefix))
      result.push_back(static_cast<std::uint32_t>(std::stoul(line.substr(kPrefix.size()))));
  }
  return result;
}

std::uint32_t waves_per_simd(std::string_view processor, std::uint32_t vgprs, std::uint32_t wavefront_size) {
  return occupancy({.processor = processor,
                    .vgprs = vgprs,
                    .sgprs = 16,
                    .lds_bytes = 0,
                    .workgroup_size = 64,
                    .wavefront_size = wavefront_size,
                    .wgp_mode = false})
      ->waves_per_simd;
}

}  // namespace

TEST_CASE("the published kernels: 12, 12 and 8 waves per CU, limited by VGPRs") {
  struct Published {
    std::uint32_t vgprs, lds_bytes, waves_per_cu;
  };
  for (const auto& [vgprs, lds_bytes, waves] :
       {Published{141, 32768, 12}, Published{145, 33792, 12}, Published{197, 33792, 8}}) {
    for (const std::uint32_t workgroup_size : {256U, 512U}) {
      const auto result = occupancy(gfx950_request(vgprs, lds_bytes, workgroup_size));
      REQUIRE(result);
      CHECK(result->waves_per_cu == waves);
      CHECK(result->waves_per_simd == waves / 4);
      CHECK(name_of(result->limiter) == "VGPR");
    }
  }
}

TEST_CASE("whole workgroups: 12 waves of 8-wave workgroups are one workgroup of 8") {
  const auto eight_waves = occupancy(gfx950_request(145, 33792, 512));
  REQUIRE(eight_waves);
  CHECK(eight_waves->waves_per_workgroup == 8);
  CHECK(eight_waves->workgroups_per_cu() == 1);
  CHECK(eight_waves->resident_waves == 8);
  CHECK(eight_waves->resident_limiter == Limiter::vgpr);

  // Two such workgroups need 4 waves per SIMD, that is 128 registers.
  CHECK(occupancy(gfx950_request(128, 33792, 512))->resident_waves == 16);
  CHECK(occupancy(gfx950_request(129, 33792, 512))->resident_waves == 8);

  const auto four_waves = occupancy(gfx950_request(145, 33792, 256));
  CHECK(four_waves->workgroups_per_cu() == 3);
  CHECK(four_waves->resident_waves == 12);
}

TEST_CASE("LDS is handed out in granules of 1280 bytes on gfx950 and 512 on gfx942") {
  // 160 KiB are 128 granules. 33792 bytes take 27 of them: 4 workgroups. 32 granules: 4; 33: 3.
  CHECK(occupancy(gfx950_request(32, 33792, 256))->workgroups == 4);
  CHECK(occupancy(gfx950_request(32, 32 * 1280, 256))->workgroups == 4);
  CHECK(occupancy(gfx950_request(32, 32 * 1280 + 1, 256))->workgroups == 3);
  CHECK(occupancy(gfx950_request(32, 25 * 1280, 256))->workgroups == 5);
  CHECK(occupancy(gfx950_request(32, 25 * 1280 + 1, 256))->workgroups ==
        4);  // 63 * 512 would still fit five times
  CHECK(occupancy(gfx950_request(32, 163840, 256))->workgroups == 1);
  const auto too_much = occupancy(gfx950_request(32, 163841, 256));
  CHECK(too_much->workgroups == 0);
  CHECK(too_much->limiter == Limiter::lds);
  CHECK(occupancy(gfx950_request(32, 33792, 256))->limiter == Limiter::lds);
  CHECK(occupancy(gfx950_request(32, 33792, 256))->waves_per_cu == 16);

  OccupancyRequest gfx942 = gfx950_request(32, 21504, 256);
  gfx942.processor = "gfx942";
  CHECK(occupancy(gfx942)->workgroups == 3);  // 64 KiB are 128 granules, 42 each
  gfx942.lds_bytes = 21505;                   // 43 granules: 2
  CHECK(occupancy(gfx942)->workgroups == 2);
}

TEST_CASE("scalar registers limit CDNA from 97 on and RDNA never") {
  OccupancyRequest request = gfx950_request(16, 0, 256);
  for (const auto& [sgprs, waves] : {std::pair{96U, 8U}, {97U, 7U}, {107U, 7U}, {112U, 7U}}) {
    request.sgprs = sgprs;
    const auto result = occupancy(request);
    CHECK(result->waves_per_simd == waves);
    CHECK(result->limiter == (waves == 8 ? Limiter::waves : Limiter::sgpr));
  }
  OccupancyRequest rdna = gfx1100_request(16, 0, 256);
  rdna.sgprs = 107;
  CHECK(occupancy(rdna)->waves_per_simd == 16);
}

TEST_CASE("barriers limit small workgroups, a single wave needs none") {
  // 32 waves per CU: 16 workgroups of two waves fill it, workgroups of one wave come 32 at a time.
  const auto two_waves = occupancy(gfx950_request(16, 0, 128));
  CHECK(two_waves->workgroups == 16);
  CHECK(two_waves->resident_limiter == Limiter::waves);  // both limits are 16; the first is named
  CHECK(occupancy(gfx950_request(16, 0, 64))->workgroups == 32);
  OccupancyRequest rdna = gfx1100_request(16, 0, 64);
  rdna.wgp_mode = false;
  CHECK(occupancy(rdna)->workgroups == 16);  // 32 slots per CU hold 16 two-wave workgroups
  rdna.workgroup_size = 1;
  CHECK(occupancy(rdna)->workgroups == 32);
}

TEST_CASE("in WGP mode two CUs share their LDS and barriers") {
  OccupancyRequest request = gfx1100_request(48, 40 * 1024, 128);
  const auto together = occupancy(request);
  CHECK(together->compute_units == 2);
  CHECK(together->workgroups == 3);  // 128 KiB hold three times 40
  CHECK(together->workgroups_per_cu() == 1);
  CHECK(together->resident_limiter == Limiter::lds);
  CHECK(together->waves_per_cu == 6);
  request.wgp_mode = false;
  CHECK(occupancy(request)->compute_units == 1);
  CHECK(occupancy(request)->workgroups == 1);
  CHECK(occupancy(request)->waves_per_cu == 4);
}

TEST_CASE("VGPR steps of every processor are those of llc") {
  struct Case {
    std::string_view processor;
    std::uint32_t wavefront_size;
    std::string_view attributes;
  };
  for (const auto& [processor, wave, attributes] : {Case{"gfx942", 64, ""},
                                                    {"gfx950", 64, ""},
                                                    {"gfx1030", 32, ""},
                                                    {"gfx1100", 32, ""},
                                                    {"gfx1151", 32, ""},
                                                    {"gfx1201", 32, ""},
                                                    {"gfx1030", 64, "+wavefrontsize64"},
                                                    {"gfx1100", 64, "+wavefrontsize64"}}) {
    std::vector<std::uint32_t> vgprs;
    for (std::uint32_t count = 1; count <= 256; ++count) vgprs.push_back(count);
    const std::vector<std::uint32_t> expected = llc_occupancy(processor, attributes, vgprs);
    REQUIRE(expected.size() == vgprs.size());
    for (std::size_t index = 0; index < vgprs.size(); ++index) {
      INFO(processor << " wave" << wave << ", " << vgprs[index] << " VGPRs");
      CHECK(waves_per_simd(processor, vgprs[index], wave) == expected[index]);
    }
  }
}

TEST_CASE("a kernel's occupancy uses its own numbers") {
  const auto object = read_code_object(test::compile_with_llc(test::two_kernels(5), "gfx950"));
  REQUIRE(object);
  const Kernel* first = object->find_kernel("first");  // 64 x 2 x 1 work-items, 512 bytes of LDS
  const auto result = occupancy(*object, *first);
  REQUIRE(result);
  CHECK(result->waves_per_workgroup == 2);
  CHECK(result->waves_per_simd == 8);
  CHECK(occupancy(*object, *first, 163840 - 512)->workgroups == 1);
  CHECK(occupancy(*object, *first, 163840 - 511)->workgroups == 0);
  CHECK(occupancy(*object, *object->find_kernel("second"))->waves_per_workgroup == 16);  // 1024 by default

  const auto rdna = read_code_object(test::compile_with_llc(test::two_kernels(5), "gfx1100"));
  CHECK(occupancy(*rdna, rdna->kernels[0])->compute_units == 2);  // LLVM's default is WGP mode
}

TEST_CASE("numbers no kernel can have are refused by field") {
  const auto refused_field = [](const OccupancyRequest& request) {
    const auto result = occupancy(request);
    return result || result.error().refusals.size() != 1 ? std::string("accepted")
                                                         : result.error().refusals[0].field;
  };
  OccupancyRequest request = gfx950_request(16, 0, 256);
  CHECK(refused_field(request) == "accepted");
  CHECK(refused_field(gfx950_request(513, 0, 256)) == "vgprs");
  CHECK(refused_field(gfx950_request(16, 0, 0)) == "workgroup_size");
  CHECK(refused_field(gfx950_request(16, 0, 1025)) == "workgroup_size");
  CHECK(refused_field(gfx950_request(16, 0xffffffff, 256)) == "lds_bytes");
  CHECK(refused_field(gfx1100_request(257, 0, 256)) == "vgprs");
  request.wavefront_size = 32;
  CHECK(refused_field(request) == "wavefront_size");
  request.wavefront_size = 64;
  request.wgp_mode = true;
  CHECK(refused_field(request) == "wgp_mode");
  request.wgp_mode = false;
  request.sgprs = 129;
  CHECK(refused_field(request) == "sgprs");
  request.processor = "gfx90a";
  CHECK(refused_field(request) == "target");
}
