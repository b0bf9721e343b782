// A subcommand of `wavesmith` as data: its options, its help and what it does. parser.h turns a command line
// into Arguments, main.cpp prints the Report; no command writes messages or knows how options are spelled.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "wavesmith/error.h"

namespace wavesmith::cli {

using Json = nlohmann::ordered_json;  ///< keys stay in the order in which a reader wants them

struct Option {
  std::string name;         ///< "head-size": --head-size on the command line, head_size in refusals
  std::string placeholder;  ///< of the value, "N"; empty: a flag
  std::string meaning;
  char letter = 0;          ///< 'o': also -o
  bool negatable = false;   ///< a flag that also has a --no- form
  bool repeatable = false;  ///< may stand more than once; its values are in Arguments::lists
};

/// Options under one heading of the help.
struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};

struct Positional {
  std::string name;  ///< "FAMILY"
  std::string meaning;
};

/// A parsed command line. Options are looked up by Option::name.
class Arguments {
 public:
  std::map<std::string, std::string, std::less<>> values;              ///< of flags: "true" or "false"
  std::map<std::string, std::vector<std::string>, std::less<>> lists;  ///< of repeatable options
  std::optional<std::string> positional;

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] std::string value_or(std::string_view name, std::string_view fallback) const;
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const { return value_or(name, "false") == "true"; }
};

/// What a command that did its work has to say.
struct Report {
  std::string text;                             ///< for a person, on standard output
  Json json;                                    ///< the one document of --json
  std::string messages;                         ///< for standard error, in both forms
  bool failed = false;                          ///< exit status of `failure`
  ErrorKind failure = ErrorKind::check_failed;  ///< a check found a difference, or what was found instead
  bool stdout_taken = false;  ///< the command wrote a result to standard output; text goes to standard error
};

struct Command {
  std::string name;  ///< "emit", "golden check"
  std::string meaning;
  std::vector<std::string> example;  ///< lines for a shell, run as printed by a test
  std::optional<Positional> positional;
  /// `words`: the command line, for options that depend on a family that it names.
  std::vector<OptionGroup> (*options)(std::span<const std::string> words);
  /// `refusals`: what is wrong with the command line already; the command adds its own and answers with all.
  Expected<Report> (*run)(const Arguments& arguments, std::vector<Refusal> refusals);
};

/// \name The commands, one file each
/// @{
[[nodiscard]] Command emit_command();
[[nodiscard]] Command compile_command();
[[nodiscard]] Command inspect_command();
[[nodiscard]] Command verify_command();
[[nodiscard]] Command simulate_command();
[[nodiscard]] Command contract_command();
[[nodiscard]] Command golden_check_command();
[[nodiscard]] Command golden_bless_command();
[[nodiscard]] Command golden_diff_command();
[[nodiscard]] Command golden_list_command();
[[nodiscard]] Command cache_list_command();
[[nodiscard]] Command cache_verify_command();
[[nodiscard]] Command cache_prune_command();
[[nodiscard]] Command cache_clear_command();
[[nodiscard]] Command cache_warm_command();
[[nodiscard]] Command cache_export_command();
[[nodiscard]] Command cache_import_command();
[[nodiscard]] Command doctor_command();
[[nodiscard]] Command list_command();
/// @}

/// "head_size" for "head-size".
[[nodiscard]] std::string field_name(std::string_view option);

}  // namespace wavesmith::cli
