// The table of targets against LLVM: wait encodings for every count, which instructions exist, and how much
// LDS a workgroup may have.
#include "lowering/target.h"

#include <algorithm>
#include <map>
#include <regex>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

// Assembles one instruction a line; the first dword of each.
std::vector<std::uint32_t> assembled(std::string_view processor, const std::string& source) {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("k.s"), source);
  const std::string listing = test::run(fmt::format("{} -triple=amdgcn-amd-amdhsa -mcpu={} -show-encoding {}",
                                                    WAVESMITH_MC, processor, folder.file("k.s")));
  std::vector<std::uint32_t> words;
  const std::regex encoding(R"(encoding: \[0x(..),0x(..),0x(..),0x(..))");
  for (const std::string& line : split_lines(listing)) {
    std::smatch bytes;
    if (!std::regex_search(line, bytes, encoding)) continue;
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i)
      word |= static_cast<std::uint32_t>(std::stoul(bytes[i + 1].str(), nullptr, 16)) << (8 * i);
    words.push_back(word);
  }
  return words;
}

bool assembles(std::string_view processor, std::string_view instruction) {
  try {
    return assembled(processor, std::string(instruction) + "\n").size() == 1;
  } catch (const std::exception&) {
    return false;
  }
}

TEST_CASE("target: s_waitcnt immediates are what llvm-mc encodes, for every pair of counts and each alone") {
  for (const TargetFacts& target : all_targets()) {
    CAPTURE(target.processor);
    REQUIRE(target.vmcnt.max() == 63);
    REQUIRE(target.lgkmcnt.max() == 15);
    std::string source;
    std::vector<std::uint32_t> expected;
    for (unsigned vmcnt = 0; vmcnt <= 63; ++vmcnt) {
      for (unsigned lgkmcnt = 0; lgkmcnt <= 15; ++lgkmcnt) {
        source += fmt::format("s_waitcnt vmcnt({}) lgkmcnt({})\n", vmcnt, lgkmcnt);
        expected.push_back(encode_waitcnt(target, vmcnt, lgkmcnt));
      }
      source += fmt::format("s_waitcnt vmcnt({})\n", vmcnt);
      expected.push_back(encode_waitcnt(target, vmcnt, std::nullopt));
    }
    for (unsigned lgkmcnt = 0; lgkmcnt <= 15; ++lgkmcnt) {
      source += fmt::format("s_waitcnt lgkmcnt({})\n", lgkmcnt);
      expected.push_back(encode_waitcnt(target, std::nullopt, lgkmcnt));
    }
    // What the counter cannot hold is clamped: it never has more in flight.
    source += "s_waitcnt vmcnt(63) lgkmcnt(15)\ns_waitcnt vmcnt(63)\n";
    expected.push_back(encode_waitcnt(target, 200, 16));
    expected.push_back(encode_waitcnt(target, 64, std::nullopt));

    const std::vector<std::uint32_t> words = assembled(target.processor, source);
    REQUIRE(words.size() == expected.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      CAPTURE(i);
      if ((words[i] & 0xffff) != expected[i]) CHECK((words[i] & 0xffff) == expected[i]);
    }
  }
}

TEST_CASE("target: an instruction is in the table exactly when LLVM assembles it for the processor") {
  const std::map<unsigned, std::string> dma{
      {1, "ubyte"}, {2, "ushort"}, {4, "dword"}, {12, "dwordx3"}, {16, "dwordx4"}};
  REQUIRE(all_targets().size() >= 2);
  for (const TargetFacts& target : all_targets()) {
    CAPTURE(target.processor);
    const auto has = [&](std::string_view instruction) { return assembles(target.processor, instruction); };
    REQUIRE(has("s_nop 0"));
    CHECK(target.mfma_32x32x16 == has("v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]"));
    CHECK(target.mfma_32x32x16 == has("v_mfma_f32_32x32x16_f16 v[0:15], v[16:19], v[20:23], v[0:15]"));
    CHECK(target.lds_transpose_read == has("ds_read_b64_tr_b16 v[0:1], v2"));
    CHECK(target.permlane32_swap == has("v_permlane32_swap_b32 v0, v1"));
    for (const auto& [bytes, suffix] : dma) {
      CAPTURE(bytes);
      const auto& widths = target.lds_dma_bytes;
      CHECK((std::ranges::find(widths, bytes) != widths.end()) ==
            has(fmt::format("buffer_load_{} v0, s[8:11], s3 offen lds", suffix)));
    }
    CHECK(target.lds_dma_bytes.size() <= dma.size());
  }
}

TEST_CASE("target: wave size and LDS limit are those of LLVM's backend") {
  for (const TargetFacts& target : all_targets()) {
    CAPTURE(target.processor);
    const auto compile = [&](unsigned bytes) {
      return assembly(fmt::format("target triple = \"amdgcn-amd-amdhsa\"\n"
                                  "@lds = internal addrspace(3) global [{} x i8] poison, align 16\n"
                                  "define amdgpu_kernel void @k(i32 %i) {{\n"
                                  "  %p = getelementptr i8, ptr addrspace(3) @lds, i32 %i\n"
                                  "  store volatile i8 1, ptr addrspace(3) %p\n  ret void\n}}\n",
                                  bytes),
                      target.processor);
    };
    const std::string text = compile(target.lds_bytes);
    CHECK(text.find(fmt::format(".wavefront_size: {}", target.wave_size)) != std::string::npos);
    CHECK(text.find(fmt::format(".group_segment_fixed_size: {}", target.lds_bytes)) != std::string::npos);
    CHECK_THROWS(compile(target.lds_bytes + 1));
  }
}

TEST_CASE("target: the descriptor's last dword says 32-bit floats, raw") {
  // CDNA ISA, buffer resource descriptor, dword 3: NUM_FORMAT [14:12] = 7 (float), DATA_FORMAT [18:15] = 4
  // (32).
  for (const TargetFacts& target : all_targets()) CHECK(target.buffer_word3 == (7U << 12 | 4U << 15));
}

TEST_CASE("target: what is not in the table is not found") {
  CHECK(find_target("gfx950")->processor == "gfx950");
  CHECK(find_target("gfx90a") == nullptr);
  CHECK(find_target("") == nullptr);
  CHECK(find_target("gfx950:xnack+") == nullptr);
}

}  // namespace
}  // namespace wavesmith::lowering::testing
