// `wavesmith inspect` on code objects of this and other compilers, and on what is none.
#include <algorithm>
#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

#include "support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::kernel_words;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::run;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;
using wavesmith::test::operator+;

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("inspect says of a code object what compile said") {
  const TemporaryFolder folder;
  const auto compiled =
      document(cli(Words{"compile"} + kernel_words() + Words{"-o", "k.hsaco", "--json"}, folder.path()).out);
  const Outcome outcome = cli({"inspect", "k.hsaco", "--json"}, folder.path());
  CHECK(outcome.status == 0);
  const auto inspected = document(outcome.out);
  for (const auto& [key, value] : compiled["kernels"][0].items())
    CHECK(inspected["kernels"][0][key] == value);

  const Outcome piped = cli({"inspect", "-", "--json"}, {}, read_file(folder / "k.hsaco"));
  CHECK(document(piped.out)["kernels"] == inspected["kernels"]);
}

TEST_CASE("inspect shows the arguments that llvm-readelf reads") {
  const TemporaryFolder folder;
  REQUIRE(cli(Words{"compile"} + kernel_words() + Words{"-o", "k.hsaco"}, folder.path()).status == 0);
  const std::string notes = run({WAVESMITH_READELF, "--notes", folder / "k.hsaco"}).out;
  const auto kernel = document(cli({"inspect", "k.hsaco", "--json"}, folder.path()).out)["kernels"][0];
  CHECK(kernel["arguments"].size() == count(notes, ".value_kind:"));
  const std::string text = cli({"inspect", "k.hsaco"}, folder.path()).out;
  for (const auto& argument : kernel["arguments"]) {
    CHECK(notes.find(".name:           " + std::string(argument["name"])) != std::string::npos);
    CHECK(text.find(std::string(argument["name"])) != std::string::npos);
  }
  CHECK(notes.find(".kernarg_segment_size: " + std::to_string(kernel["kernarg_bytes"].get<int>())) !=
        std::string::npos);
}

TEST_CASE("inspect reads code objects of other compilers") {
  const fs::path peers = WAVESMITH_PEERS;
  if (peers.empty() || !fs::is_directory(peers)) SKIP("no code objects of other compilers here");
  std::size_t read = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(peers)) {
    if (entry.path().extension() != ".hsaco") continue;
    INFO(entry.path());
    const Outcome outcome = cli({"inspect", entry.path().string(), "--json"});
    CHECK(outcome.status == 0);
    const std::string notes = run({WAVESMITH_READELF, "--notes", entry.path().string()}).out;
    const auto json = document(outcome.out);
    CHECK(json["kernels"].size() == count(notes, ".kernarg_segment_size:"));
    for (const auto& kernel : json["kernels"])
      CHECK(notes.find(".vgpr_count:     " + std::to_string(kernel["vgpr"].get<int>())) != std::string::npos);
    CHECK(cli({"inspect", entry.path().string()}).status == 0);
    ++read;
  }
  CHECK(read > 0);
}

TEST_CASE("a processor whose limits are not known is inspected all the same") {
  const TemporaryFolder folder;
  // LLVM knows gfx906; the occupancy table does not.
  write_file(folder / "k.ll",
             "target triple = \"amdgcn-amd-amdhsa\"\n"
             "define amdgpu_kernel void @k() { ret void }\n");
  REQUIRE(run({WAVESMITH_LLC, "-mcpu=gfx906", "-filetype=obj", "k.ll", "-o", "k.o"}, folder.path()).status ==
          0);
  REQUIRE(run({WAVESMITH_LD_LLD, "-shared", "k.o", "-o", "k.hsaco"}, folder.path()).status == 0);
  const Outcome outcome = cli({"inspect", "k.hsaco", "--json"}, folder.path());
  CHECK(outcome.status == 0);
  const auto kernel = document(outcome.out)["kernels"][0];
  CHECK(kernel["name"] == "k");
  CHECK(kernel["waves_per_cu"].is_null());
  CHECK(kernel["limiter"].is_null());
  CHECK(cli({"inspect", "k.hsaco"}, folder.path()).status == 0);
}

TEST_CASE("names out of code objects cannot write to the terminal") {
  const TemporaryFolder folder;
  write_file(folder / "k.ll",
             "target triple = \"amdgcn-amd-amdhsa\"\n"
             "define amdgpu_kernel void @\"k\\1B[31m\"() { ret void }\n");
  REQUIRE(run({WAVESMITH_LLC, "-mcpu=gfx950", "-filetype=obj", "k.ll", "-o", "k.o"}, folder.path()).status ==
          0);
  REQUIRE(run({WAVESMITH_LD_LLD, "-shared", "k.o", "-o", "k.hsaco"}, folder.path()).status == 0);
  const Outcome outcome = cli({"inspect", "k.hsaco"}, folder.path());
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  CHECK(outcome.out.find("k\\x1b[31m") != std::string::npos);
  CHECK(document(cli({"inspect", "k.hsaco", "--json"}, folder.path()).out)["kernels"].size() == 1);
}

TEST_CASE("each resource is shown under its own name") {
  const TemporaryFolder folder;
  // Every number is another one: 128 registers, 8 accumulation registers behind them, 5 and 3 spills.
  write_file(folder / "k.s", R"(.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_private_segment_fixed_size 64
  .amdhsa_next_free_vgpr 136
  .amdhsa_next_free_sgpr 33
  .amdhsa_accum_offset 128
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 4
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 64
    .wavefront_size: 64
    .sgpr_count: 39
    .vgpr_count: 136
    .agpr_count: 8
    .vgpr_spill_count: 5
    .sgpr_spill_count: 3
    .max_flat_workgroup_size: 256
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.version: [1, 2]
...
.end_amdgpu_metadata
)");
  REQUIRE(run({WAVESMITH_MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950", "--amdhsa-code-object-version=5",
               "-filetype=obj", "k.s", "-o", "k.o"},
              folder.path())
              .status == 0);
  REQUIRE(run({WAVESMITH_LD_LLD, "-shared", "k.o", "-o", "k.hsaco"}, folder.path()).status == 0);
  const auto kernel = document(cli({"inspect", "k.hsaco", "--json"}, folder.path()).out)["kernels"][0];
  const nlohmann::json expected{
      {"vgpr", 136},
      {"agpr", 8},
      {"sgpr", 39},
      {"vgpr_spills", 5},
      {"sgpr_spills", 3},
      {"lds_bytes", 4096},
      {"scratch_bytes", 64},
      {"workgroup_size", 256},
      // 512 registers of a SIMD hold three waves of 136; a workgroup has one on each.
      {"waves_per_cu", 12},
      {"workgroups_per_cu", 3},
      {"limiter", "VGPR"}};
  for (const auto& [key, value] : expected.items()) {
    INFO(key);
    CHECK(kernel[key] == value);
  }
  // The table: each number stands where the line above names it.
  const std::string text = cli({"inspect", "k.hsaco"}, folder.path()).out;
  const std::size_t head_at = text.find("target  VGPR");
  REQUIRE(head_at != std::string::npos);
  const std::size_t row_at = text.find('\n', head_at) + 1;
  const std::vector<std::pair<std::string, std::string>> columns{
      {"VGPR", "136"}, {"AGPR", "8"},     {"SGPR", "39"},       {"VGPR spills", "5"}, {"SGPR spills", "3"},
      {"LDS", "4096"}, {"scratch", "64"}, {"workgroup", "256"}, {"waves/CU", "12"},   {"workgroups/CU", "3"}};
  std::size_t from = head_at;
  for (const auto& [title, number] : columns) {
    INFO(title);
    const std::size_t end = text.find(title, from) + title.size() - head_at;
    CHECK(text.substr(row_at + end - number.size(), number.size()) == number);
    CHECK(text[row_at + end - number.size() - 1] == ' ');
    from = head_at + end;
  }
}

TEST_CASE("what is no code object is refused") {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  write_file(folder / "text", "not a code object\n");
  REQUIRE(cli(Words{"compile"} + kernel_words() + Words{"-o", "k.hsaco"}, folder.path()).status == 0);
  const std::string whole = read_file(folder / "k.hsaco");
  write_file(folder / "half", whole.substr(0, whole.size() / 2));
  for (const std::string& file : {std::string("empty"), std::string("text"), std::string("half"),
                                  std::string("nosuch"), std::string("."), std::string(WAVESMITH_PROGRAM)}) {
    INFO(file);
    const Outcome outcome = cli({"inspect", file, "--json"}, folder.path());
    CHECK(outcome.status == 2);
    const auto json = document(outcome.out);
    CHECK(json["refusals"][0]["field"] == "file");
    CHECK(json["refusals"][0]["value"] == file);
    CHECK(outcome.err.find(file) != std::string::npos);
  }
}
