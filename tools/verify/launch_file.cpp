// From JSON to a LaunchFile. Everything that is wrong is collected, so that a user sees all of it at once.
#include "tools/verify/launch_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/strict_json.h"

namespace wavesmith::verify {
namespace {

using Value = nlohmann::json;

constexpr std::array<std::string_view, 5> type_names{"bf16", "fp16", "f32", "i32", "u8"};
constexpr std::array<std::string_view, 5> init_names{"normal", "uniform", "iota", "nan", "zero"};
constexpr std::array<std::string_view, 6> number_names{"i32", "u32", "i64", "u64", "f32", "f64"};

template <class T>
std::vector<std::byte> bytes_of_value(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class Reader {
 public:
  std::vector<Refusal> refusals;

  LaunchFile read(const Value& json) {
    LaunchFile launch;
    static constexpr std::array<std::string_view, 6> keys{"kernel", "grid",    "block", "dynamic_lds_bytes",
                                                          "args",   "pointers"};
    check_keys("", json, keys);
    if (const Value* kernel = member("", json, "kernel")) launch.kernel = text("kernel", *kernel);
    if (const Value* grid = member("", json, "grid")) launch.grid = extents("grid", *grid);
    if (const Value* block = member("", json, "block")) launch.block = extents("block", *block);
    if (const auto lds = json.find("dynamic_lds_bytes"); lds != json.end())
      launch.dynamic_lds_bytes = static_cast<std::uint32_t>(
          integer("dynamic_lds_bytes", *lds, 0, std::numeric_limits<std::uint32_t>::max()));
    if (const Value* args = member("", json, "args")) launch.arguments = arguments("args", *args);
    std::set<std::string> buffers;
    collect_buffers(launch.arguments, "", buffers);
    if (const auto patches = json.find("pointers"); patches != json.end()) {
      if (!patches->is_array()) refuse("pointers", *patches, "a list");
      for (std::size_t i = 0; patches->is_array() && i < patches->size(); ++i)
        launch.pointers.push_back(pointer(fmt::format("pointers[{}]", i), (*patches)[i], buffers));
    }
    return launch;
  }

 private:
  void refuse(std::string field, const Value& value, std::string allowed) {
    // ASCII alone and not too long, since the value goes into messages.
    constexpr std::size_t most = 80;
    std::string shown = value.dump(-1, ' ', true);
    if (shown.size() > most) shown = shown.substr(0, most) + "…";
    refusals.push_back({std::move(field), std::move(shown), std::move(allowed)});
  }

  static std::string inside(std::string_view path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }

  // A member that has to be there, or null after a refusal.
  const Value* member(const std::string& path, const Value& object, const char* name) {
    const auto found = object.find(name);
    if (found != object.end()) return &*found;
    refusals.push_back({inside(path, name), "(missing)", "a value"});
    return nullptr;
  }

  void check_keys(const std::string& path, const Value& object, std::span<const std::string_view> known) {
    for (const auto& [key, value] : object.items())
      if (std::ranges::find(known, key) == known.end())
        refuse(inside(path, key), value, fmt::format("no such key; there are {}", fmt::join(known, ", ")));
  }

  std::string text(const std::string& field, const Value& value) {
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) return value.get<std::string>();
    refuse(field, value, "a string that is not empty");
    return {};
  }

  // 0 after a refusal.
  std::uint64_t integer(const std::string& field, const Value& value, std::uint64_t low, std::uint64_t high) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number >= low && number <= high) return number;
    }
    refuse(field, value, fmt::format("a whole number from {} to {}", low, high));
    return 0;
  }

  double real(const std::string& field, const Value& value, double most) {
    if (value.is_number()) {
      const auto number = value.get<double>();
      if (std::isfinite(number) && std::fabs(number) <= most) return number;
    }
    refuse(field, value, fmt::format("a number from {} to {}", -most, most));
    return 0;
  }

  std::array<std::uint32_t, 3> extents(const std::string& field, const Value& value) {
    if (!value.is_array() || value.size() != 3) {
      refuse(field, value, "a list of three numbers: x, y, z");
      return {1, 1, 1};
    }
    std::array<std::uint32_t, 3> result{};
    for (std::size_t i = 0; i < 3; ++i)
      result[i] = static_cast<std::uint32_t>(
          integer(fmt::format("{}[{}]", field, i), value[i], 1, std::numeric_limits<std::uint32_t>::max()));
    return result;
  }

  template <class Enum, std::size_t N>
  Enum choice(const std::string& field, const Value& value, const std::array<std::string_view, N>& names) {
    if (value.is_string()) {
      const auto found = std::ranges::find(names, value.get_ref<const std::string&>());
      if (found != names.end()) return static_cast<Enum>(found - names.begin());
    }
    refuse(field, value, fmt::format("{}", fmt::join(names, ", ")));
    return Enum{};
  }

  BufferArgument buffer(const std::string& path, const Value& json) {
    BufferArgument result;
    if (!json.is_object()) {
      refuse(path, json, "an object with dtype, elements, init and perhaps seed and scale");
      return result;
    }
    static constexpr std::array<std::string_view, 5> keys{"dtype", "elements", "init", "seed", "scale"};
    check_keys(path, json, keys);
    const std::size_t before = refusals.size();
    if (const Value* type = member(path, json, "dtype"))
      result.type = choice<DataType>(path + ".dtype", *type, type_names);
    if (const Value* init = member(path, json, "init"))
      result.init = choice<Init>(path + ".init", *init, init_names);
    if (refusals.size() == before && result.init == Init::nan &&
        (result.type == DataType::i32 || result.type == DataType::u8))
      refuse(path + ".init", json["init"], "normal, uniform, iota, zero: integers have no NaN");
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40, most_filled_bytes = std::uint64_t{1} << 34;
    if (const Value* elements = member(path, json, "elements"))
      result.elements =
          integer(path + ".elements", *elements, 1,
                  (result.init == Init::zero ? most_bytes : most_filled_bytes) / bytes_of(result.type));
    if (const auto seed = json.find("seed"); seed != json.end())
      result.seed = integer(path + ".seed", *seed, 0, std::numeric_limits<std::uint64_t>::max());
    if (const auto scale = json.find("scale"); scale != json.end())
      result.scale = real(path + ".scale", *scale, std::numeric_limits<float>::max());
    return result;
  }

  template <class T>
  ValueArgument signed_number(const std::string& field, const Value& value) {
    using Limits = std::numeric_limits<T>;
    // Numbers from 2^63 are stored as unsigned and would wrap.
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max()));
    if (fits)
      if (const auto number = value.get<std::int64_t>(); number >= Limits::min() && number <= Limits::max())
        return {bytes_of_value(static_cast<T>(number))};
    refuse(field, value, fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
    return {bytes_of_value(T{})};
  }

  ValueArgument number(const std::string& field, std::string_view type, const Value& value) {
    if (type == "i32") return signed_number<std::int32_t>(field, value);
    if (type == "i64") return signed_number<std::int64_t>(field, value);
    if (type == "u32")
      return {bytes_of_value(
          static_cast<std::uint32_t>(integer(field, value, 0, std::numeric_limits<std::uint32_t>::max())))};
    if (type == "u64")
      return {bytes_of_value(integer(field, value, 0, std::numeric_limits<std::uint64_t>::max()))};
    if (type == "f32")
      return {bytes_of_value(
          static_cast<float>(real(field, value, static_cast<double>(std::numeric_limits<float>::max()))))};
    return {bytes_of_value(real(field, value, std::numeric_limits<double>::max()))};
  }

  std::vector<LaunchArgument> arguments(const std::string& path, const Value& json) {
    std::vector<LaunchArgument> result;
    if (!json.is_array()) {
      refuse(path, json, "a list of arguments");
      return result;
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string place = fmt::format("{}[{}]", path, i);
      result.push_back(argument(place, json[i]));
      const std::string& name = result.back().name;
      if (!name.empty() && !names.insert(name).second)
        refuse(place + ".name", name, "a name that no other argument beside it has");
    }
    return result;
  }

  LaunchArgument argument(const std::string& path, const Value& json) {
    LaunchArgument result;
    static constexpr std::string_view forms = "buffer, file, struct, i32, u32, i64, u64, f32, f64";
    if (!json.is_object()) {
      refuse(path, json, fmt::format("an object with a name and one of {}", forms));
      return result;
    }
    if (const Value* name = member(path, json, "name")) {
      result.name = text(path + ".name", *name);
      if (result.name.find_first_of(".=") != std::string::npos)
        refuse(path + ".name", *name, "a name without . and =, which paths and --load ARG=FILE need");
    }
    std::optional<std::string> form;
    for (const auto& [key, value] : json.items()) {
      const std::string field = inside(path, key);
      if (key == "name") continue;
      if (form) {
        refuse(field, value, fmt::format("one form of an argument, and {} is there already", *form));
        continue;
      }
      form = key;
      if (key == "buffer")
        result.value = buffer(field, value);
      else if (key == "file")
        result.value = FileArgument{text(field, value)};
      else if (key == "struct")
        result.value = StructArgument{arguments(field, value)};
      else if (std::ranges::find(number_names, key) != number_names.end())
        result.value = number(field, key, value);
      else
        refuse(field, value, fmt::format("one of {}", forms));
    }
    if (!form) refusals.push_back({path, json.dump(-1, ' ', true), fmt::format("one of {}", forms)});
    return result;
  }

  static void collect_buffers(std::span<const LaunchArgument> arguments, const std::string& prefix,
                              std::set<std::string>& names) {
    for (const LaunchArgument& argument : arguments) {
      if (const auto* nested = std::get_if<StructArgument>(&argument.value))
        collect_buffers(nested->members, prefix + argument.name + ".", names);
      else if (!std::holds_alternative<ValueArgument>(argument.value))
        names.insert(prefix + argument.name);
    }
  }

  PointerPatch pointer(const std::string& path, const Value& json, const std::set<std::string>& buffers) {
    PointerPatch patch;
    if (!json.is_object()) {
      refuse(path, json, "an object with in, at, to and perhaps plus");
      return patch;
    }
    static constexpr std::array<std::string_view, 4> keys{"in", "at", "to", "plus"};
    check_keys(path, json, keys);
    const auto buffer_named = [&](const char* key) -> std::string {
      const Value* value = member(path, json, key);
      if (value == nullptr) return {};
      if (value->is_string() && buffers.contains(value->get<std::string>())) return value->get<std::string>();
      refuse(inside(path, key), *value, fmt::format("a buffer: {}", fmt::join(buffers, ", ")));
      return {};
    };
    patch.in = buffer_named("in");
    patch.to = buffer_named("to");
    constexpr std::uint64_t most = std::uint64_t{1} << 47;
    if (const Value* at = member(path, json, "at")) patch.at = integer(path + ".at", *at, 0, most);
    if (const auto plus = json.find("plus"); plus != json.end())
      patch.plus = integer(path + ".plus", *plus, 0, most);
    return patch;
  }
};

}  // namespace

std::size_t bytes_of(DataType type) {
  constexpr std::array<std::size_t, 5> bytes{2, 2, 4, 4, 1};
  return bytes[static_cast<std::size_t>(type)];
}

Expected<LaunchFile> parse_launch_file(std::string_view text) {
  const auto json = golden::parse_strict_json(text);
  if (!json) return std::unexpected(Error::refused({{"launch", "(not JSON)", json.error()}}));
  if (!json->is_object())
    return std::unexpected(Error::refused({{"launch", std::string(json->type_name()), "a JSON object"}}));
  Reader reader;
  LaunchFile launch = reader.read(*json);
  if (!reader.refusals.empty()) return std::unexpected(Error::refused(std::move(reader.refusals)));
  return launch;
}

}  // namespace wavesmith::verify
