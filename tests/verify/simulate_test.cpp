// Launch files run on the simulator: arguments as the kernel sees them, pointers between buffers, what does
// not fit the code object, traces.
#include "tools/verify/simulate.h"

#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/simulator/assembler.h"
#include "tools/verify/trace.h"

using namespace wavesmith;
using namespace wavesmith::verify;
using Json = nlohmann::json;

namespace {

using simulator::testing::KernelTraits;
using Words = std::vector<std::uint32_t>;

std::vector<std::byte> code_object(const KernelTraits& traits) {
  auto bytes =
      simulator::testing::link_code_object(simulator::testing::kernel_source(traits, "gfx950"), "gfx950");
  INFO((bytes ? "" : bytes.error().message + bytes.error().log));
  REQUIRE(bytes);
  return std::move(*bytes);
}

// Copies its whole argument block, `dwords` of it, into the buffer that the first argument points to.
KernelTraits copies_its_arguments(std::vector<unsigned> sizes, unsigned dwords) {
  KernelTraits traits;
  traits.arguments = std::move(sizes);
  traits.body = "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_mov_b32_e32 v1, 0\ns_waitcnt lgkmcnt(0)\n";
  for (unsigned i = 0; i < dwords; ++i) {
    const std::string offset = std::to_string(4 * i);
    traits.body += "s_load_dword s10, s[0:1], " + offset +
                   "\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v2, s10\n"
                   "global_store_dword v1, v2, s[8:9] offset:" +
                   offset + "\ns_waitcnt vmcnt(0)\n";
  }
  return traits;
}

Json words_buffer(const std::string& name, std::uint64_t elements, const std::string& init = "zero") {
  return {{"name", name}, {"buffer", {{"dtype", "i32"}, {"elements", elements}, {"init", init}}}};
}

LaunchFile launch_with(const Json& arguments, const Json& pointers = Json::array()) {
  const Json json = {{"kernel", "kernel"},
                     {"grid", {1, 1, 1}},
                     {"block", {1, 1, 1}},
                     {"args", arguments},
                     {"pointers", pointers}};
  auto launch = parse_launch_file(json.dump());
  INFO((launch ? "" : launch.error().message));
  REQUIRE(launch);
  return std::move(*launch);
}

Simulation simulated(const KernelTraits& traits, const LaunchFile& launch, const Contents& contents = {},
                     const simulator::Options& options = {}) {
  auto simulation = simulate(code_object(traits), launch, contents, options);
  INFO((simulation ? "" : simulation.error().message));
  REQUIRE(simulation);
  INFO((simulation->report.fault ? simulation->report.fault->message() : ""));
  REQUIRE_FALSE(simulation->report.fault);
  return std::move(*simulation);
}

std::vector<std::string> refused(const KernelTraits& traits, const LaunchFile& launch,
                                 const Contents& contents = {}) {
  const auto simulation = simulate(code_object(traits), launch, contents, {});
  REQUIRE_FALSE(simulation);
  CHECK(simulation.error().kind == ErrorKind::invalid_request);
  std::vector<std::string> fields;
  for (const Refusal& refusal : simulation.error().refusals) fields.push_back(refusal.field);
  return fields;
}
using Fields = std::vector<std::string>;

Words words_of(Simulation& simulation, std::size_t buffer) {
  const auto bytes = simulation.contents(simulation.buffers.at(buffer));
  REQUIRE(bytes);
  Words words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), 4 * words.size());
  return words;
}

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

TEST_CASE("simulate: values and structures reach the kernel as C lays them out") {
  const LaunchFile launch = launch_with({words_buffer("out", 12),
                                         {{"name", "a"}, {"i32", -2}},
                                         {{"name", "b"}, {"f32", 1.0}},
                                         {{"name", "s"},
                                          {"struct",
                                           {{{"name", "m"}, {"u32", 7}},
                                            words_buffer("p", 3),
                                            {{"name", "inner"}, {"struct", {{{"name", "n"}, {"u32", 9}}}}}}}},
                                         {{"name", "c"}, {"u64", 0x1122334455667788U}}});
  // s: m at 0, p at 8, inner at 16, padded to 24.
  Simulation simulation = simulated(copies_its_arguments({8, 4, 4, 24, 8}, 12), launch);
  REQUIRE(simulation.buffers.size() == 2);
  CHECK(simulation.buffers[0].name == "out");
  CHECK(simulation.buffers[1].name == "s.p");
  CHECK(simulation.buffers[1].bytes == 12);
  const auto out = simulation.buffers[0].address, p = simulation.buffers[1].address;
  CHECK(words_of(simulation, 0) == Words{low(out), high(out), 0xfffffffe, 0x3f800000, 7, 0, low(p), high(p),
                                         9, 0, 0x55667788, 0x11223344});
}

TEST_CASE("simulate: pointers are written into buffers before the kernel runs") {
  const LaunchFile launch =
      launch_with({words_buffer("out", 2), words_buffer("table", 6, "iota"), words_buffer("data", 5)},
                  {{{"in", "table"}, {"at", 4}, {"to", "data"}, {"plus", 20}},
                   {{"in", "table"}, {"at", 16}, {"to", "out"}}});
  Simulation simulation = simulated(copies_its_arguments({8, 8, 8}, 2), launch);
  const std::uint64_t data = simulation.buffers[2].address + 20, out = simulation.buffers[0].address;
  CHECK(words_of(simulation, 1) == Words{0, low(data), high(data), 3, low(out), high(out)});
}

TEST_CASE("simulate: hidden arguments are filled in") {
  KernelTraits traits = copies_its_arguments({8}, 5);
  traits.hidden = {"hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z"};
  Simulation simulation = simulated(traits, launch_with(Json::array({words_buffer("out", 5)})));
  const Words words = words_of(simulation, 0);
  CHECK(Words(words.begin() + 2, words.end()) == Words{1, 1, 1});
}

TEST_CASE("simulate: contents from outside replace generated ones, and files must have their bytes") {
  const KernelTraits traits = copies_its_arguments({8, 8}, 4);
  const LaunchFile launch = launch_with({words_buffer("out", 4), {{"name", "f"}, {"file", "f.bin"}}});
  CHECK(files_of(launch) == std::vector{std::pair<std::string, std::string>{"f", "f.bin"}});
  Simulation simulation = simulated(traits, launch, {{"f", "abcdefgh"}});
  CHECK(words_of(simulation, 1) == Words{0x64636261, 0x68676665});
  const LaunchFile generated = launch_with({words_buffer("out", 4), words_buffer("g", 2)});
  simulation = simulated(traits, generated, {{"g", "abcdefgh"}});
  CHECK(words_of(simulation, 1) == Words{0x64636261, 0x68676665});
  CHECK(refused(traits, generated, {{"g", "abcdefg"}}) == Fields{"g"});
  CHECK(refused(traits, generated, {{"h", "abcdefgh"}}) == Fields{"load"});
  CHECK(refused(traits, launch, {{"f", ""}}) == Fields{"f"});
}

TEST_CASE("simulate: a launch that does not fit the code object is refused") {
  const KernelTraits traits = copies_its_arguments({8, 4}, 1);
  CHECK(refused(traits, launch_with(Json::array({words_buffer("out", 4)}))) == Fields{"args"});
  CHECK(refused(traits, launch_with({words_buffer("out", 4), {{"name", "n"}, {"i64", 1}}})) ==
        Fields{"args[1]"});
  LaunchFile other = launch_with({words_buffer("out", 4), {{"name", "n"}, {"i32", 1}}});
  other.kernel = "kernel2";
  CHECK(refused(traits, other) == Fields{"kernel"});
  other.kernel = "kernel";
  other.block = {2048, 1, 1};
  CHECK(refused(traits, other) == Fields{"block.x"});
  const std::vector<std::byte> nonsense(100);
  const auto simulation = simulate(nonsense, other, {}, {});
  REQUIRE_FALSE(simulation);
}

TEST_CASE("simulate: pointers outside their buffers are refused") {
  const KernelTraits traits = copies_its_arguments({8, 8}, 1);
  const auto with_pointer = [&](std::uint64_t at, std::uint64_t plus) {
    return launch_with({words_buffer("out", 4), words_buffer("t", 3)},
                       {{{"in", "t"}, {"at", at}, {"to", "out"}, {"plus", plus}}});
  };
  CHECK(simulated(traits, with_pointer(4, 16)).buffers.size() == 2);  // its last 8 bytes; the end of out
  CHECK(refused(traits, with_pointer(5, 0)) == Fields{"pointers[0].at"});
  CHECK(refused(traits, with_pointer(~std::uint64_t{0} >> 20, 17)) ==
        Fields{"pointers[0].at", "pointers[0].plus"});
  CHECK(refused(traits, launch_with({words_buffer("out", 4), words_buffer("t", 1)},
                                    {{{"in", "t"}, {"at", 0}, {"to", "out"}}})) == Fields{"pointers[0].at"});
}

TEST_CASE("simulate: a stray store is a fault that names buffer and instruction") {
  const auto simulation =
      simulate(code_object(copies_its_arguments({8, 4}, 3)),
               launch_with({words_buffer("out", 2), {{"name", "n"}, {"i32", 1}}}), {}, {});
  REQUIRE(simulation);
  REQUIRE(simulation->report.fault);
  CHECK(simulation->report.fault->message().find("out") != std::string::npos);
  CHECK(simulation->report.fault->text.find("global_store_dword") != std::string::npos);
}

namespace {

std::string traced(const TraceSelection& selection) {
  KernelTraits traits;
  traits.body = "s_mov_b32 s4, 0x12\nv_mov_b32_e32 v3, 5\nv_add_u32_e32 v3, 1, v3\ns_nop 0\n";
  traits.arguments = {4};
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  simulator::Options options;
  options.trace = [&](const simulator::TraceEvent& event) { write_trace(file, selection, event); };
  LaunchFile launch = launch_with(Json::array({{{"name", "n"}, {"i32", 1}}}));
  launch.grid = {2, 1, 1};
  launch.block = {128, 1, 1};
  static_cast<void>(simulated(traits, launch, {}, options));
  std::rewind(file);
  std::string text(1 << 20, 0);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("trace: every instruction of every wave, or those selected") {
  const std::string all = traced({});
  CHECK(lines(all) == 2 * 2 * 5);
  CHECK(all.starts_with("workgroup 0,0,0 wave 0  0x"));
  TraceSelection selection;
  selection.wave = 1;
  CHECK(lines(traced(selection)) == 10);
  selection.workgroup = {1, 0, 0};
  const std::string one = traced(selection);
  CHECK(lines(one) == 5);
  CHECK(one.starts_with("workgroup 1,0,0 wave 1  0x"));
  CHECK(one.find("  v_add_u32_e32 v3, 1, v3  exec ffffffffffffffff vcc ") != std::string::npos);
  // The addresses of the second and third instruction.
  const std::size_t second = one.find("0x", one.find('\n')), third = one.find("0x", one.find('\n', second));
  selection.from = std::stoull(one.substr(second, 20), nullptr, 16);
  selection.to = std::stoull(one.substr(third, 20), nullptr, 16);
  const std::string part = traced(selection);
  CHECK(lines(part) == 2);
  CHECK(part.find("v_mov_b32_e32 v3, 5") != std::string::npos);
  CHECK(part.find("v_add_u32_e32") != std::string::npos);
}

TEST_CASE("trace: registers after each instruction") {
  TraceSelection selection;
  selection.workgroup = std::array<std::uint32_t, 3>{0, 0, 0};
  selection.wave = 0;
  selection.registers = *parse_registers("s4,v3,v500", "trace_registers");
  const std::string text = traced(selection);
  CHECK(lines(text) == 5 * 4);
  std::string five = "    v3 ", six = "    v3 ";
  for (int lane = 0; lane < 64; ++lane) {
    five += " 00000005";
    six += " 00000006";
  }
  CHECK(text.find("    s4  00000012\n") != std::string::npos);
  CHECK(text.find(five + "\n") < text.find(six + "\n"));
  CHECK(text.find(six + "\n") != std::string::npos);
  CHECK(text.find("    v500  (the kernel does not use it)\n") != std::string::npos);
}

TEST_CASE("trace: lists of registers") {
  const auto ranges = parse_registers("v0-v3,s105,a7", "f");
  REQUIRE(ranges);
  REQUIRE(ranges->size() == 3);
  CHECK((*ranges)[0].kind == 'v');
  CHECK((*ranges)[0].last == 3);
  CHECK((*ranges)[1].first == 105);
  CHECK((*ranges)[1].last == 105);
  for (const char* wrong :
       {"", "v", "v1,", "x1", "v1-s2", "v3-v1", "s106", "v512", "a256", "v1-", "v-1", "vcc", "v1 "}) {
    CAPTURE(wrong);
    const auto refused = parse_registers(wrong, "f");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().refusals.front().field == "f");
  }
}
