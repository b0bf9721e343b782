// `wavesmith compile` as a user runs it; LLVM's own tools judge the code objects.
#include <set>

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

Outcome compile(const TemporaryFolder& folder, const Words& more, int head_size = 64) {
  return cli(Words{"compile"} + kernel_words(head_size) + Words{"-o", "kernel.hsaco"} + more, folder.path());
}

// The number behind "  .key:  " in the metadata that llvm-readelf prints.
unsigned noted(const std::string& notes, const std::string& key) {
  const std::string line = "." + key + ":";
  const std::size_t at = notes.find(line);
  INFO(key);
  REQUIRE(at != std::string::npos);
  REQUIRE(notes.find(line, at + 1) == std::string::npos);
  return static_cast<unsigned>(std::stoul(notes.substr(at + line.size())));
}

// A copy of the program with another worker beside it.
class WithWorker {
 public:
  WithWorker() { fs::copy_file(WAVESMITH_PROGRAM, folder_ / "wavesmith"); }
  void worker(const std::string& identity) {
    fs::copy_file(WAVESMITH_DYING_WORKER, folder_ / "wavesmith-compiler");
    write_file(folder_ / "identity", identity + "\n");
  }
  [[nodiscard]] Outcome run(const Words& words) const {
    return wavesmith::test::run(Words{folder_ / "wavesmith"} + words, folder_.path());
  }
  [[nodiscard]] const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("compile reports the resources that llvm-readelf reads") {
  for (const int head_size : {64, 128}) {
    const TemporaryFolder folder;
    const Outcome outcome = compile(folder, {"--json"}, head_size);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.err.empty());
    const auto json = document(outcome.out);
    REQUIRE(json["kernels"].size() == 1);
    const auto& kernel = json["kernels"][0];
    const std::string notes = run({WAVESMITH_READELF, "--notes", folder / "kernel.hsaco"}).out;
    CHECK(kernel["vgpr"] == noted(notes, "vgpr_count"));
    CHECK(kernel["agpr"] == noted(notes, "agpr_count"));
    CHECK(kernel["sgpr"] == noted(notes, "sgpr_count"));
    CHECK(kernel["vgpr_spills"] == noted(notes, "vgpr_spill_count"));
    CHECK(kernel["sgpr_spills"] == noted(notes, "sgpr_spill_count"));
    CHECK(kernel["lds_bytes"] == noted(notes, "group_segment_fixed_size"));
    CHECK(kernel["scratch_bytes"] == noted(notes, "private_segment_fixed_size"));
    CHECK(kernel["workgroup_size"] == noted(notes, "max_flat_workgroup_size"));
    CHECK(notes.find(".name:           " + std::string(kernel["name"])) != std::string::npos);
    CHECK(kernel["target"] == "gfx950");
  }
}

TEST_CASE("compile's document has the keys that other programs rely on") {
  const TemporaryFolder folder;
  const auto json = document(compile(folder, {"--json"}).out);
  for (const std::string key : {"kernels", "ir_sha256", "flavour", "compiler", "milliseconds"})
    CHECK(json.contains(key));
  std::set<std::string> keys;
  for (const auto& [key, value] : json["kernels"][0].items()) keys.insert(key);
  CHECK(keys == std::set<std::string>{"name", "target", "vgpr", "agpr", "sgpr", "vgpr_spills", "sgpr_spills",
                                      "lds_bytes", "scratch_bytes", "workgroup_size", "waves_per_cu",
                                      "workgroups_per_cu", "limiter"});
  for (const std::string key : {"emit", "compile", "link"}) CHECK(json["milliseconds"][key] > 0.0);
  CHECK(json["flavour"] == "llvm22");
  CHECK(std::string(json["compiler"]).starts_with("LLVM 22."));
  // 8 waves of at most 168 registers: three on a SIMD of 512, so one workgroup of 8 and half of another.
  CHECK(json["kernels"][0]["waves_per_cu"] == 12);
  CHECK(json["kernels"][0]["workgroups_per_cu"] == 1);
  CHECK(json["kernels"][0]["limiter"] == "VGPR");
}

TEST_CASE("compile saves the text that emit prints and whose hash it reports") {
  const TemporaryFolder folder;
  const auto json =
      document(compile(folder, {"--json", "--save-ir", "kernel.ll", "--save-asm", "kernel.s"}).out);
  const std::string text = read_file(folder / "kernel.ll");
  CHECK(text == cli(Words{"emit"} + kernel_words()).out);
  CHECK(json["ir_sha256"] == run({"sha256sum", folder / "kernel.ll"}).out.substr(0, 64));
  // The assembly is the kernel's: assembled and disassembled, it is the code of the code object.
  REQUIRE(run({WAVESMITH_MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-filetype=obj", "-o", "kernel.o",
               "kernel.s"},
              folder.path())
              .status == 0);
  for (const std::string file : {"kernel.o", "kernel.hsaco"})
    CHECK(run({WAVESMITH_OBJCOPY, "--dump-section", ".text=" + file + ".text", file}, folder.path()).status ==
          0);
  const std::string code = read_file(folder / "kernel.hsaco.text");
  CHECK(code.size() > 1000);
  CHECK(read_file(folder / "kernel.o.text").starts_with(code));
}

TEST_CASE("compile -o - puts the code object alone on standard output") {
  const TemporaryFolder folder;
  REQUIRE(compile(folder, {}).status == 0);
  const Outcome outcome = cli(Words{"compile"} + kernel_words() + Words{"-o", "-"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out == read_file(folder / "kernel.hsaco"));
  CHECK(outcome.err.find("VGPR") != std::string::npos);
}

TEST_CASE("compile's table has one aligned line for the kernel") {
  const TemporaryFolder folder;
  const Outcome outcome = compile(folder, {});
  const std::string head = outcome.out.substr(0, outcome.out.find('\n'));
  const std::string row =
      outcome.out.substr(head.size() + 1, outcome.out.find('\n', head.size() + 1) - head.size() - 1);
  CHECK(head.starts_with("target  VGPR"));
  CHECK(row.find("wavesmith_attention_dense") == head.find("kernel"));
  CHECK(row.find("VGPR") == head.find("limiter"));
}

TEST_CASE("the code object version is the one that was asked for") {
  const TemporaryFolder folder;
  const auto abi_version = [&](const Words& more) {
    REQUIRE(compile(folder, more).status == 0);
    return static_cast<int>(read_file(folder / "kernel.hsaco").at(8));  // EI_ABIVERSION
  };
  CHECK(abi_version({}) == 3);
  CHECK(abi_version({"--code-object-version", "5"}) == 3);
  CHECK(abi_version({"--code-object-version", "6"}) == 4);
}

TEST_CASE("symbol and target features reach the code object") {
  const TemporaryFolder folder;
  REQUIRE(compile(folder, {"--symbol", "my_kernel", "--target", "gfx950:sramecc+:xnack-"}).status == 0);
  const std::string read =
      run({WAVESMITH_READELF, "--notes", "--file-headers", "--dyn-syms", folder / "kernel.hsaco"}).out;
  CHECK(read.find(" my_kernel.kd") != std::string::npos);
  CHECK(read.find("gfx950, xnack-, sramecc+") != std::string::npos);
  CHECK(read.find("amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-") != std::string::npos);
}

TEST_CASE("a compiler that dies is reported with its log") {
  WithWorker program;
  program.worker("LLVM 22.1.0 (llvm)");
  const Words words =
      Words{"compile"} + kernel_words() + Words{"-o", "kernel.hsaco", "--save-ir", "kernel.ll"};
  const Outcome plain = program.run(words);
  CHECK(plain.status == 3);
  CHECK(plain.out.empty());
  CHECK(plain.err.find("LLVM ERROR: Cannot select") != std::string::npos);
  const Outcome outcome = program.run(words + Words{"--json"});
  CHECK(outcome.status == 3);
  const auto json = document(outcome.out);
  CHECK(json["kind"] == "compiler_failed");
  CHECK(json["refusals"].empty());
  CHECK(std::string(json["log"]).find("LLVM ERROR: Cannot select") != std::string::npos);
  CHECK_FALSE(fs::exists(program.path() / "kernel.hsaco"));
  // The text that it died of is there to look at.
  CHECK(read_file(program.path() / "kernel.ll") == cli(Words{"emit"} + kernel_words()).out);
}

TEST_CASE(
    "a flavour that the compiler does not read, or a comgr that is not there, is said and not replaced") {
  const TemporaryFolder folder;
  const Outcome other = compile(folder, {"--compiler", "llvm", "--flavour", "llvm23"});
  CHECK(other.status == 2);
  CHECK(other.err.find("flavour = llvm23 is refused: auto or llvm22") != std::string::npos);
  const Outcome absent = compile(folder, {"--compiler", "comgr", "--comgr", "/no/such/libamd_comgr.so.3"});
  CHECK(absent.status == 4);
  CHECK(absent.err.find("/no/such/libamd_comgr.so.3") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "kernel.hsaco"));
  // A library that is named is asked for, whoever may choose.
  CHECK(compile(folder, {"--comgr", "/no/such/libamd_comgr.so.3"}).status == 4);
}

TEST_CASE("without a compiler, or with one that has no flavour, compile says what is missing") {
  WithWorker program;
  const Words words = Words{"compile"} + kernel_words() + Words{"-o", "kernel.hsaco", "--json"};
  const Outcome none = program.run(words);
  CHECK(none.status == 4);
  CHECK(document(none.out)["kind"] == "environment");
  CHECK(none.err.find("wavesmith-compiler") != std::string::npos);
  CHECK(program.run(Words{"emit"} + kernel_words()).status == 0);
  const Outcome listed = program.run({"list", "--json"});
  CHECK(listed.status == 0);
  for (const auto& compiler : document(listed.out)["compilers"]) CHECK(compiler["found"] == false);

  program.worker("LLVM 19.1.0 (llvm)");
  const Outcome old = program.run(words);
  CHECK(old.status == 4);
  CHECK(old.err.find("LLVM 19.1.0") != std::string::npos);
}
