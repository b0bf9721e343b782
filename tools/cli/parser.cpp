// Command lines through CLI11. CLI11 knows the options and splits the words; what is wrong with a command
// line is collected here as refusals, so that a user sees all of it at once, in the same form as refused
// fields.
#include "tools/cli/parser.h"

#include <algorithm>
#include <numeric>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/help.h"

namespace wavesmith::cli {
namespace {

const Option json_option{.name = "json",
                         .placeholder = "",
                         .meaning =
                             "one JSON document on standard output instead of text; messages go to "
                             "standard error"};

/// A command as CLI11 sees it. CLI11 gets the words behind the command's name.
struct Registered {
  Registered(const Command& registered, std::vector<OptionGroup> shown)
      : command(&registered), groups(std::move(shown)) {}

  const Command* command;
  std::vector<OptionGroup> groups;
  CLI::App app;
  std::vector<std::pair<Option, CLI::Option*>> options;
  CLI::Option* positional = nullptr;
};

void register_option(Registered& registered, const Option& option) {
  const std::string shorthand = option.letter == 0 ? "" : fmt::format("-{},", option.letter);
  CLI::Option* added = nullptr;
  if (option.placeholder.empty()) {
    const std::string negation = option.negatable ? fmt::format(",!--no-{}", option.name) : "";
    added = registered.app.add_flag(fmt::format("{}--{}{}", shorthand, option.name, negation));
  } else {
    added = registered.app.add_option(fmt::format("{}--{}", shorthand, option.name));
    added->expected(1)->allow_extra_args(false);
  }
  // Repetition is reported by read_options(), with the values.
  added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  registered.options.emplace_back(option, added);
}

void register_options(Registered& registered) {
  registered.app.allow_extras();
  registered.groups.back().options.push_back(json_option);
  for (const OptionGroup& group : registered.groups)
    for (const Option& option : group.options) register_option(registered, option);
  if (registered.command->positional)
    registered.positional = registered.app.add_option(registered.command->positional->name)->expected(1);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1],
                               std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)}));
  }
  return row.back();
}

std::string unknown_option_hint(const Registered& registered, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  std::string closest;
  // A typing mistake changes a small part of a word.
  std::size_t distance = std::min<std::size_t>(3, name.size() / 4) + 1;
  for (const auto& [option, unused] : registered.options) {
    const std::string spelled = "--" + option.name;
    if (const std::size_t own = edit_distance(name, spelled); own < distance) {
      distance = own;
      closest = fmt::format("; did you mean {}?", spelled);
    }
  }
  return fmt::format("an option of this command, see `wavesmith {} --help`{}", registered.command->name,
                     closest);
}

// Words that CLI11 had no use for.
void refuse_extras(const Registered& registered, std::vector<Refusal>& refusals) {
  const std::vector<std::string> extras = registered.app.remaining();
  for (std::size_t i = 0; i < extras.size(); ++i) {
    if (extras[i].size() > 1 && extras[i].front() == '-') {
      refusals.push_back({"option", extras[i], unknown_option_hint(registered, extras[i])});
      // What follows is taken for its value.
      if (i + 1 < extras.size() && extras[i + 1].front() != '-') ++i;
    } else {
      refusals.push_back({"argument", extras[i].empty() ? "(empty)" : extras[i],
                          registered.command->positional
                              ? fmt::format("one {}, then options", registered.command->positional->name)
                              : "options only"});
    }
  }
}

void read_options(const Registered& registered, Invocation& invocation) {
  for (const auto& [option, parsed] : registered.options) {
    const auto& results = parsed->results();
    const auto refuse = [&](std::string value, std::string allowed) {
      invocation.refusals.push_back({field_name(option.name), std::move(value), std::move(allowed)});
    };
    if (results.empty()) continue;
    if (option.repeatable) {
      if (std::ranges::find(results, "") != results.end()) refuse("(empty)", "a value");
      invocation.arguments.lists.emplace(option.name, results);
    } else if (results.size() > 1)
      refuse(fmt::format("{}", fmt::join(results, ", ")), "one value; the option stands more than once");
    else if (results.front().empty())
      refuse("(empty)", "a value");
    else if (option.placeholder.empty() && results.front() != "true" && results.front() != "false")
      refuse(results.front(), "true, false");
    else
      invocation.arguments.values.emplace(option.name, results.front());
  }
  if (registered.positional != nullptr && !registered.positional->results().empty())
    invocation.arguments.positional = registered.positional->results().front();
}

// CLI11 takes whatever comes next for the value of "--name" and "--name=", and throws when nothing does. Here
// a value that is empty, or is missing before another option or at the end, becomes an empty word, which
// read_options() refuses.
std::vector<std::string> with_explicit_empty_values(const Registered& registered,
                                                    std::span<const std::string> words) {
  const auto known = [&](std::string_view word, bool with_value) {
    return std::ranges::any_of(registered.options, [&](const auto& entry) {
      const Option& option = entry.first;
      return option.placeholder.empty() != with_value &&
             (word == "--" + option.name ||
              (option.letter != 0 && word == fmt::format("-{}", option.letter)));
    });
  };
  std::vector<std::string> result;
  bool value_next = false;
  for (const std::string& word : words) {
    if (value_next && (known(word, true) || known(word, false))) {
      result.emplace_back();
      value_next = false;
    }
    if (!value_next && word.ends_with('=') && known(word.substr(0, word.size() - 1), true)) {
      result.push_back(word.substr(0, word.size() - 1));
      result.emplace_back();
    } else {
      result.push_back(word);
      value_next = !value_next && known(word, true);
    }
  }
  if (value_next) result.emplace_back();
  return result;
}

std::size_t words_of(const Command& command) {
  return command.name.find(' ') == std::string::npos ? 1 : 2;
}

// The command that the first one or two words name.
const Command* named_command(std::span<const Command> commands, std::span<const std::string> words) {
  for (const Command& command : commands) {
    const std::size_t count = words_of(command);
    if (words.size() >= count && fmt::format("{}", fmt::join(words.first(count), " ")) == command.name)
      return &command;
  }
  return nullptr;
}

Invocation without_command(std::span<const Command> commands, std::vector<std::string> words) {
  Invocation invocation;
  invocation.json = std::erase(words, "--json") > 0;
  const bool group = !words.empty() && std::ranges::any_of(commands, [&](const Command& command) {
    return command.name.starts_with(words.front() + " ");
  });
  const std::string prefix = group ? words.front() : "";
  const auto rest = std::span(words).subspan(group ? 1 : 0);
  const bool asks = !rest.empty() && (rest.front() == "--help" || rest.front() == "-h");
  if (asks) {
    invocation.help = overview(commands, prefix);
    return invocation;
  }
  std::vector<std::string> names;
  const std::string start = group ? prefix + " " : "";
  for (const Command& command : commands)
    if (command.name.starts_with(start)) names.push_back(command.name.substr(start.size()));
  invocation.refusals.push_back({group ? prefix + " command" : "command",
                                 rest.empty()           ? "(missing)"
                                 : rest.front().empty() ? "(empty)"
                                                        : rest.front(),
                                 fmt::format("{}", fmt::join(names, ", "))});
  return invocation;
}

}  // namespace

Invocation parse(std::span<const Command> commands, std::span<const std::string> words) {
  const Command* command = named_command(commands, words);
  if (command == nullptr) return without_command(commands, {words.begin(), words.end()});
  Registered registered(*command, command->options(words));
  register_options(registered);
  Invocation invocation{.command = command, .arguments = {}, .json = {}, .help = {}, .refusals = {}};
  const auto own_words = words.subspan(words_of(*command));
  std::vector<std::string> from_the_end = with_explicit_empty_values(registered, own_words);  // CLI11's order
  std::ranges::reverse(from_the_end);
  try {
    registered.app.parse(std::move(from_the_end));
  } catch (const CLI::CallForHelp&) {
    invocation.help = command_help(*command, registered.groups);
    return invocation;
  } catch (const CLI::ParseError& error) {
    invocation.refusals.push_back({"command line", fmt::format("{}", fmt::join(words, " ")), error.what()});
  }
  read_options(registered, invocation);
  refuse_extras(registered, invocation.refusals);
  invocation.json =
      invocation.arguments.flag("json") || std::ranges::find(own_words, "--json") != own_words.end();
  return invocation;
}

}  // namespace wavesmith::cli
