// The line table: names the Plan step of each instruction, and leaves the code as it is.
#include <map>
#include <regex>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

std::string every_op_text(bool line_table) {
  TestKernel kernel;
  build_every_op(kernel);
  return lowered(kernel, {.line_table = line_table});
}

// The object that clang makes of the text, as the compiler of the product does.
void compile(const std::string& text, const std::string& object, const test::TemporaryFolder& folder) {
  test::write_text(folder.file("k.ll"), text);
  test::run(fmt::format(
      "{} -x ir -O3 --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib -Wno-override-module -c {} -o {}",
      WAVESMITH_CLANG, folder.file("k.ll"), object));
}

std::vector<std::byte> text_section(const std::string& object, const test::TemporaryFolder& folder) {
  test::run(
      fmt::format("{} -O binary --only-section=.text {} {}", WAVESMITH_OBJCOPY, object, folder.file("text")));
  return test::read_bytes(folder.file("text"));
}

TEST_CASE("line table: .text is the same with and without") {
  const test::TemporaryFolder folder;
  compile(every_op_text(false), folder.file("without.o"), folder);
  compile(every_op_text(true), folder.file("with.o"), folder);
  const auto without = text_section(folder.file("without.o"), folder);
  CHECK(without.size() > 1000);
  CHECK(without == text_section(folder.file("with.o"), folder));
}

TEST_CASE("line table: the object names every step whose instructions are left") {
  const test::TemporaryFolder folder;
  compile(every_op_text(true), folder.file("with.o"), folder);
  const std::string table =
      test::run(fmt::format("{} --debug-line {}", WAVESMITH_DWARFDUMP, folder.file("with.o")));
  // build_every_op names a step after each operation; these cannot be folded into another.
  for (const char* step :
       {"exp2", "mfma_32x32x16", "permlane32_swap", "lds_read_tr16", "buffer_load_lds", "barrier", "for"}) {
    CAPTURE(step);
    CHECK(table.find(fmt::format("name: \"{}\"", step)) != std::string::npos);
  }
}

TEST_CASE("line table: each instruction's location leads to the step that was open when it was built") {
  const std::string text = every_op_text(true);
  std::map<std::string, std::string> nodes;
  const std::regex definition(R"((!\d+) = (.*))");
  std::smatch match;
  for (const std::string& line : split_lines(text))
    if (std::regex_match(line, match, definition)) nodes[match[1]] = match[2];
  const auto follow = [&](const std::string& node, const std::string& field) {
    std::smatch found;
    const std::string& body = nodes.at(node);
    REQUIRE(std::regex_search(body, found, std::regex(field + R"(: (!\d+))")));
    return found[1].str();
  };
  const auto step_of = [&](std::string_view instruction) {
    const auto lines = lines_with(text, instruction);
    REQUIRE(!lines.empty());
    std::smatch dbg;
    REQUIRE(std::regex_search(lines[0], dbg, std::regex(R"(!dbg (!\d+))")));
    const std::string file = follow(follow(dbg[1], "scope"), "file");
    std::smatch name;
    REQUIRE(std::regex_search(nodes.at(file), name, std::regex("filename: \"(.*?)\"")));
    return name[1].str();
  };
  CHECK(step_of("call void @llvm.amdgcn.s.barrier()") == "barrier");
  CHECK(step_of("call void @llvm.amdgcn.raw.ptr.buffer.load.lds(") == "buffer_load_lds");
  CHECK(step_of("call float @llvm.amdgcn.log.f32") == "log2");
  CHECK(step_of("phi i32") == "for");
  CHECK(step_of("call i32 @llvm.amdgcn.workitem.id.x()") ==
        "test_kernel");  // before any step: the kernel's own
  // Every instruction has one.
  bool in_body = false;
  for (const std::string& line : split_lines(text)) {
    if (line.starts_with("define")) in_body = true;
    if (line == "}") in_body = false;
    if (!in_body || !line.starts_with("  ")) continue;
    CAPTURE(line);
    CHECK(count(line, "!dbg !") == 1);
  }
}

TEST_CASE("line table: without it the text has no trace of one") {
  const std::string text = every_op_text(false);
  CHECK(text.find("!dbg") == std::string::npos);
  CHECK(text.find("DI") == std::string::npos);
  CHECK(text.find("Debug Info") == std::string::npos);
}

TEST_CASE("line table: the text verifies, and LLVM keeps the debug info") {
  const std::string read = opt(every_op_text(true), "verify");
  CHECK(read.find("ignoring invalid debug info") == std::string::npos);
  CHECK(read.find("DILexicalBlockFile") != std::string::npos);
}

}  // namespace
}  // namespace wavesmith::lowering::testing
