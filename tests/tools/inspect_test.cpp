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
