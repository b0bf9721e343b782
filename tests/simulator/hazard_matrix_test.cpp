// MFMA: inactive lanes, and the wait states that its results need. Numbers: the CDNA guides' tables of
// required independent instructions.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "hazard_cases.h"

using wavesmith::simulator::testing::found;
using wavesmith::simulator::testing::HazardCase;

namespace {

using Texts = std::vector<std::string>;

/// All factors and accumulators are zero; written long before.
std::string zeros() {
  std::string text;
  for (int reg = 1; reg < 64; ++reg) text += fmt::format("v_mov_b32 v{}, 0\n", reg);
  return text + "s_nop 7\n";
}

std::string wait_states(unsigned count) {
  std::string text;
  for (; count > 8; count -= 8) text += "s_nop 7\n";
  return count == 0 ? text : text + fmt::format("s_nop {}\n", count - 1);
}

/// `wanted` wait states between the two are enough, one less is not.
void check_needs(const char* producer, const char* consumer, unsigned wanted,
                 const char* processor = "gfx950") {
  CAPTURE(producer, consumer, processor);
  const auto run = [&](unsigned count) {
    return found({.body = zeros() + producer + "\n" + wait_states(count) + consumer + "\n" + wait_states(20),
                  .lds_bytes = 256,
                  .processor = processor});
  };
  CHECK(run(wanted).empty());
  if (wanted == 0) return;
  const Texts texts = run(wanted - 1);
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].starts_with("matrix_wait_states: "));
  CHECK(texts[0].substr(20, 6) == std::string(consumer).substr(0, 6));
}

}  // namespace

TEST_CASE("hazards: MFMA with inactive lanes") {
  const std::string mfma = "v_mfma_f32_32x32x16_bf16 v[16:31], v[4:7], v[8:11], v[16:31]\n";
  CHECK(found({.body = zeros() + mfma}).empty());
  CHECK(found({.body = zeros() + "s_mov_b64 exec, 0xffff\n" + mfma}) ==
        Texts{"matrix_partial_exec: v_mfma_f32_32x32x16_bf16 v[16:31], v[4:7], v[8:11], v[16:31]"});
}

TEST_CASE("hazards: wait states after an MFMA of 8 passes on gfx950") {
  const char* mfma = "v_mfma_f32_32x32x16_bf16 v[16:31], v[4:7], v[8:11], v[16:31]";
  check_needs(mfma, "v_add_f32 v1, v31, v31", 12);
  check_needs(mfma, "v_mov_b32 v16, 0", 12);
  check_needs(mfma, "ds_write_b32 v1, v20", 12);
  check_needs(mfma, "v_mfma_f32_32x32x16_bf16 v[32:47], v[16:19], v[8:11], 0", 12);
  check_needs(mfma, "v_mfma_f32_32x32x16_bf16 v[16:31], v[8:11], v[4:7], v[16:31]", 0);
  check_needs(mfma, "v_mfma_f32_32x32x16_bf16 v[40:55], v[8:11], v[4:7], v[24:39]", 10);
  check_needs(mfma, "v_mfma_f32_32x32x2_f32 v[16:31], v4, v5, v[16:31]", 10);
}

TEST_CASE("hazards: wait states after MFMAs of other lengths") {
  const char* four = "v_mfma_f32_16x16x32_bf16 v[16:19], v[4:7], v[8:11], v[16:19]";
  check_needs(four, "v_add_f32 v1, v17, v17", 8);
  check_needs(four, "v_mfma_f32_16x16x32_bf16 v[16:19], v[4:7], v[8:11], v[16:19]", 0);
  const char* two = "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[8:9], v[16:19]";
  check_needs(two, "v_add_f32 v1, v17, v17", 5);
  check_needs(two, "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[8:9], v[16:19]", 2);
  const char* sixteen = "v_mfma_f32_32x32x2_f32 v[16:31], v4, v5, v[16:31]";
  check_needs(sixteen, "v_add_f32 v1, v17, v17", 18);
  check_needs("v_mfma_f64_16x16x4_f64 v[16:23], v[4:5], v[8:9], v[16:23]", "v_add_f32 v1, v17, v17", 19);
}

TEST_CASE("hazards: gfx942 needs fewer wait states") {
  const char* mfma = "v_mfma_f32_32x32x8_bf16 v[16:31], v[4:5], v[8:9], v[16:31]";
  check_needs(mfma, "v_add_f32 v1, v31, v31", 11, "gfx942");
  check_needs(mfma, "v_add_f32 v1, v31, v31", 12, "gfx950");
  check_needs("v_mfma_f64_16x16x4_f64 v[16:23], v[4:5], v[8:9], v[16:23]", "v_add_f32 v1, v17, v17", 11,
              "gfx942");
}

// Numbers: what LLVM 22's hazard recogniser inserts.
TEST_CASE("hazards: wait states after MFMAs with f64 factors") {
  const char* large = "v_mfma_f64_16x16x4_f64 v[16:23], v[4:5], v[8:9], v[16:23]";
  const char* onto = "v_mfma_f64_16x16x4_f64 v[32:39], v[4:5], v[8:9], v[18:25]";
  check_needs(large, "ds_write_b32 v1, v17", 18);
  check_needs(large, "ds_write_b32 v1, v17", 18, "gfx942");
  check_needs(large, "v_mov_b32 v17, 0", 11);
  check_needs(large, large, 0);
  check_needs(large, onto, 17);
  check_needs(large, onto, 9, "gfx942");
  const char* small = "v_mfma_f64_4x4x4_4b_f64 v[16:17], v[4:5], v[8:9], 0";
  check_needs(small, "v_add_f32 v1, v17, v17", 6);
  check_needs(small, "ds_write_b32 v1, v17", 9);
  check_needs(small, "v_mfma_f64_4x4x4_4b_f64 v[32:33], v[16:17], v[8:9], 0", 6);
  check_needs(small, "v_mfma_f64_4x4x4_4b_f64 v[32:33], v[4:5], v[8:9], v[16:17]", 4);
}

TEST_CASE("hazards: a VALU result needs two wait states before an MFMA reads it") {
  const char* mfma = "v_mfma_f32_32x32x16_bf16 v[16:31], v[4:7], v[8:11], v[16:31]";
  check_needs("v_mov_b32 v5, 0", mfma, 2);
  check_needs("v_mov_b32 v31, 0", mfma, 2);
}

TEST_CASE("hazards: what an MFMA accumulates onto is overwritten too early") {
  check_needs("v_mfma_f32_32x32x16_bf16 v[16:31], v[4:7], v[8:11], v[32:47]", "v_mov_b32 v40, 0", 7);
}
