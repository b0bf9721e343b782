// Launch files in themselves: what they mean, and that everything malformed is refused by field, value and
// what is allowed.
#include "tools/verify/launch_file.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tools/verify/fill.h"

using namespace wavesmith;
using namespace wavesmith::verify;
using Json = nlohmann::json;

namespace {

Json launch_with(const Json& arguments) {
  return {{"kernel", "k"}, {"grid", {3, 2, 1}}, {"block", {64, 1, 1}}, {"args", arguments}};
}
Json buffer(const std::string& name, const Json& description) {
  return {{"name", name}, {"buffer", description}};
}
Json floats(std::uint64_t elements, const std::string& init = "normal") {
  return {{"dtype", "f32"}, {"elements", elements}, {"init", init}};
}

LaunchFile parsed(const Json& json) {
  auto launch = parse_launch_file(json.dump());
  INFO((launch ? "" : launch.error().message));
  REQUIRE(launch);
  return std::move(*launch);
}

// The refused fields.
std::vector<std::string> refused(const Json& json) {
  const auto launch = parse_launch_file(json.dump());
  REQUIRE_FALSE(launch);
  CHECK(launch.error().kind == ErrorKind::invalid_request);
  std::vector<std::string> fields;
  for (const Refusal& refusal : launch.error().refusals) {
    CHECK_FALSE(refusal.value.empty());
    CHECK_FALSE(refusal.allowed.empty());
    fields.push_back(refusal.field);
  }
  std::ranges::sort(fields);
  return fields;
}
using Fields = std::vector<std::string>;

template <class T>
std::vector<T> filled(const BufferArgument& buffer) {
  std::vector<std::byte> bytes(buffer.bytes());
  fill(buffer, bytes);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T>
T value_of(const LaunchArgument& argument) {
  const auto& bytes = std::get<ValueArgument>(argument.value).bytes;
  REQUIRE(bytes.size() == sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

TEST_CASE("launch file: every form of an argument") {
  const LaunchFile launch = parsed(
      launch_with({buffer("x", {{"dtype", "bf16"},
                                {"elements", 10},
                                {"init", "uniform"},
                                {"seed", 18446744073709551615U},
                                {"scale", 0.5}}),
                   {{"name", "f"}, {"file", "some/where.bin"}},
                   {{"name", "a"}, {"i32", -2147483648}},
                   {{"name", "b"}, {"u32", 4294967295U}},
                   {{"name", "c"}, {"i64", -5}},
                   {{"name", "d"}, {"u64", 18446744073709551615U}},
                   {{"name", "e"}, {"f32", 1.5}},
                   {{"name", "g"}, {"f64", 3}},
                   {{"name", "s"}, {"struct", {{{"name", "m"}, {"i32", 7}}, buffer("p", floats(2))}}}}));
  CHECK(launch.kernel == "k");
  CHECK(launch.grid == std::array<std::uint32_t, 3>{3, 2, 1});
  CHECK(launch.block == std::array<std::uint32_t, 3>{64, 1, 1});
  CHECK(launch.dynamic_lds_bytes == 0);
  REQUIRE(launch.arguments.size() == 9);
  const auto& x = std::get<BufferArgument>(launch.arguments[0].value);
  CHECK(x.type == DataType::bf16);
  CHECK(x.init == Init::uniform);
  CHECK(x.seed == ~std::uint64_t{0});
  CHECK(x.scale == 0.5);
  CHECK(x.bytes() == 20);
  CHECK(std::get<FileArgument>(launch.arguments[1].value).path == "some/where.bin");
  CHECK(value_of<std::int32_t>(launch.arguments[2]) == std::numeric_limits<std::int32_t>::min());
  CHECK(value_of<std::uint32_t>(launch.arguments[3]) == 4294967295U);
  CHECK(value_of<std::int64_t>(launch.arguments[4]) == -5);
  CHECK(value_of<std::uint64_t>(launch.arguments[5]) == ~std::uint64_t{0});
  CHECK(value_of<float>(launch.arguments[6]) == 1.5F);
  CHECK(value_of<double>(launch.arguments[7]) == 3.0);
  const auto& members = std::get<StructArgument>(launch.arguments[8].value).members;
  REQUIRE(members.size() == 2);
  CHECK(members[1].name == "p");
  CHECK(std::get<BufferArgument>(members[1].value).seed == 1);
  CHECK(std::get<BufferArgument>(members[1].value).scale == 1);
}

TEST_CASE("launch file: pointers name buffers, those in structures too") {
  Json json =
      launch_with({buffer("table", floats(8)),
                   {{"name", "s"}, {"struct", {buffer("pages", floats(100)), {{"name", "n"}, {"i32", 1}}}}}});
  json["pointers"] = {{{"in", "table"}, {"at", 8}, {"to", "s.pages"}, {"plus", 16}},
                      {{"in", "table"}, {"at", 0}, {"to", "table"}}};
  const LaunchFile launch = parsed(json);
  REQUIRE(launch.pointers.size() == 2);
  CHECK(launch.pointers[0].to == "s.pages");
  CHECK(launch.pointers[0].at == 8);
  CHECK(launch.pointers[0].plus == 16);
  CHECK(launch.pointers[1].plus == 0);
  json["pointers"] = {{{"in", "s.n"}, {"at", 0}, {"to", "pages"}}, {{"to", 3}, {"plus", -1}, {"of", 1}}, 5};
  CHECK(refused(json) == Fields{"pointers[0].in", "pointers[0].to", "pointers[1].at", "pointers[1].in",
                                "pointers[1].of", "pointers[1].plus", "pointers[1].to", "pointers[2]"});
}

TEST_CASE("launch file: what is missing or unknown at the top is refused at once") {
  CHECK(refused(Json::object()) == Fields{"args", "block", "grid", "kernel"});
  Json json = launch_with(Json::array());
  json["dynamic_lds_byte"] = 1;
  json["kernel"] = "";
  json["grid"] = {1, 0, 4294967296U};
  json["block"] = {64, 1};
  json["dynamic_lds_bytes"] = 1.5;
  json["pointers"] = 1;
  CHECK(refused(json) ==
        Fields{"block", "dynamic_lds_byte", "dynamic_lds_bytes", "grid[1]", "grid[2]", "kernel", "pointers"});
  json = launch_with(5);
  json["grid"] = {1, 1, -1};
  CHECK(refused(json) == Fields{"args", "grid[2]"});
}

TEST_CASE("launch file: text that is no JSON object is refused, and a key that stands twice") {
  for (const std::string text : {"", "[]", "3", "{", R"({"kernel": "a", "kernel": "b"})"}) {
    CAPTURE(text);
    const auto launch = parse_launch_file(text);
    REQUIRE_FALSE(launch);
    CHECK(launch.error().refusals.front().field == "launch");
  }
}

TEST_CASE(
    "launch file: arguments of no form, of two forms, of an unknown form, without or with equal names") {
  const Json json = launch_with({{{"name", "a"}},
                                 {{"name", "b"}, {"i32", 1}, {"u32", 1}},
                                 {{"name", "c"}, {"i16", 1}},
                                 {{"i32", 1}},
                                 {{"name", "c"}, {"i32", 1}},
                                 {{"name", "with.dot"}, {"i32", 1}},
                                 {{"name", "with=sign"}, {"i32", 1}},
                                 7});
  CHECK(refused(json) == Fields{"args[0]", "args[1].u32", "args[2].i16", "args[3].name", "args[4].name",
                                "args[5].name", "args[6].name", "args[7]"});
}

TEST_CASE("launch file: numbers that do not fit their type") {
  const Json json = launch_with({{{"name", "a"}, {"i32", 2147483648U}},
                                 {{"name", "b"}, {"i32", 1.5}},
                                 {{"name", "c"}, {"u32", -1}},
                                 {{"name", "d"}, {"i64", 9223372036854775808U}},
                                 {{"name", "e"}, {"u64", "5"}},
                                 {{"name", "f"}, {"f32", 1e39}},
                                 {{"name", "g"}, {"f64", "1"}},
                                 {{"name", "h"}, {"i32", true}}});
  CHECK(refused(json) == Fields{"args[0].i32", "args[1].i32", "args[2].u32", "args[3].i64", "args[4].u64",
                                "args[5].f32", "args[6].f64", "args[7].i32"});
}

TEST_CASE("launch file: buffers of unknown type, size or contents") {
  const auto changed = [](const char* key, const Json& value) {
    Json description = floats(4);
    description[key] = value;
    return description;
  };
  const Json json = launch_with(
      {buffer("a", changed("dtype", "fp64")),
       buffer("b", changed("elements", 0)),
       buffer("c", changed("elements", 4294967297U)),
       buffer("d", changed("init", "ones")),
       buffer("e", changed("seed", -1)),
       buffer("f", changed("scale", "1")),
       buffer("g", changed("stride", 1)),
       buffer("h", Json::object()),
       buffer("i", {{"dtype", "i32"}, {"elements", 1}, {"init", "nan"}}),
       {{"name", "j"}, {"file", 1}},
       {{"name", "k"}, {"struct", {{{"name", "m"}, {"i32", "x"}}, {{"name", "m"}, {"i32", 1}}}}}});
  CHECK(refused(json) == Fields{"args[0].buffer.dtype", "args[10].struct[0].i32", "args[10].struct[1].name",
                                "args[1].buffer.elements", "args[2].buffer.elements", "args[3].buffer.init",
                                "args[4].buffer.seed", "args[5].buffer.scale", "args[6].buffer.stride",
                                "args[7].buffer.dtype", "args[7].buffer.elements", "args[7].buffer.init",
                                "args[8].buffer.init", "args[9].file"});
}

TEST_CASE("launch file: a zero buffer may be larger than memory") {
  Json description = floats(std::uint64_t{1} << 38, "zero");
  CHECK(std::get<BufferArgument>(
            parsed(launch_with(Json::array({buffer("a", description)}))).arguments[0].value)
            .bytes() == std::uint64_t{1} << 40);
  description["elements"] = (std::uint64_t{1} << 38) + 1;
  CHECK(refused(launch_with(Json::array({buffer("a", description)}))) == Fields{"args[0].buffer.elements"});
}

TEST_CASE("launch file: generated contents") {
  using enum DataType;
  CHECK(filled<std::int32_t>({.type = i32, .elements = 4, .init = Init::iota, .scale = -1.5}) ==
        std::vector<std::int32_t>{0, -2, -3, -4});
  CHECK(filled<std::uint8_t>({.type = u8, .elements = 4, .init = Init::iota, .scale = 100}) ==
        std::vector<std::uint8_t>{0, 100, 200, 255});
  CHECK(filled<float>({.type = f32, .elements = 3, .init = Init::iota, .scale = 0.25}) ==
        std::vector<float>{0, 0.25F, 0.5F});
  CHECK(filled<std::uint16_t>({.type = bf16, .elements = 3, .init = Init::iota}) ==
        std::vector<std::uint16_t>{0, 0x3f80, 0x4000});
  CHECK(filled<std::uint16_t>({.type = fp16, .elements = 3, .init = Init::iota}) ==
        std::vector<std::uint16_t>{0, 0x3c00, 0x4000});
  CHECK(filled<std::uint32_t>({.type = f32, .elements = 3, .init = Init::zero}) ==
        std::vector<std::uint32_t>(3));
  for (const float value : filled<float>({.type = f32, .elements = 3, .init = Init::nan}))
    CHECK(std::isnan(value));
  for (const std::uint16_t bits : filled<std::uint16_t>({.type = fp16, .elements = 3, .init = Init::nan}))
    CHECK((bits & 0x7c00) == 0x7c00);
}

TEST_CASE("launch file: random contents have the width they say, and follow from the seed alone") {
  constexpr std::uint64_t count = 20'000;
  const BufferArgument normal{
      .type = DataType::f32, .elements = count, .init = Init::normal, .seed = 3, .scale = 2};
  double squares = 0;
  const std::vector<float> values = filled<float>(normal);
  for (const float x : values) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(squares / count == Catch::Approx(4).epsilon(0.05));
  CHECK(filled<float>(normal) == values);
  BufferArgument other = normal;
  other.seed = 4;
  CHECK(filled<float>(other) != values);
  const std::vector<float> uniform =
      filled<float>({.type = DataType::f32, .elements = count, .init = Init::uniform, .scale = 3});
  CHECK(std::ranges::max(uniform) <= 3);
  CHECK(std::ranges::max(uniform) > 2.9F);
  CHECK(std::ranges::min(uniform) >= -3);
  CHECK(std::ranges::min(uniform) < -2.9F);
}
