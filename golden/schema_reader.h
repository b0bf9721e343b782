// Walks a parsed golden file and keeps the first thing that is not the schema. Both golden files
// (golden_file.h, resource_file.h) are read with it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace wavesmith::golden {

class SchemaReader {
 public:
  [[nodiscard]] bool failed() const { return !problem_.empty(); }
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// Each is true when `value` is what its name says, else `problem()` says where it is not.
  /// @{
  bool object(const nlohmann::json& value, std::string_view where);
  bool object(const nlohmann::json& value, std::string_view where,
              std::initializer_list<std::string_view> keys);  ///< with exactly these keys
  bool schema(const nlohmann::json& value, std::string_view expected);
  bool number(const nlohmann::json& value, std::string_view where, std::uint64_t& number);
  /// @}

  /// Always false: `where what` is the problem.
  bool wrong(std::string_view where, std::string_view what);

 private:
  std::string problem_;
};

}  // namespace wavesmith::golden
