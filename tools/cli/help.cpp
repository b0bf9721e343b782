// Formats help.
#include "tools/cli/help.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::string spelling(const Option& option) {
  const std::string shorthand = option.letter == 0 ? "" : fmt::format("-{}, ", option.letter);
  const std::string negation = option.negatable ? "[no-]" : "";
  const std::string value = option.placeholder.empty() ? "" : " " + option.placeholder;
  return fmt::format("{}--{}{}{}", shorthand, negation, option.name, value);
}

// A row whose second cell goes on in further lines.
void wrapped_row(Table& table, std::string first, std::string_view text) {
  constexpr std::size_t width = 76;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > width) {
      end = text.rfind(' ', width);
      if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    }
    table.row({std::exchange(first, ""), std::string(text.substr(0, end))});
    text.remove_prefix(end);
    if (!text.empty()) text.remove_prefix(1);  // the blank
  }
}

void append_examples(std::string& text, std::span<const std::string> lines) {
  text += lines.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& line : lines) fmt::format_to(std::back_inserter(text), "  {}\n", line);
}

}  // namespace

std::string command_help(const Command& command, std::span<const OptionGroup> groups) {
  std::string text =
      fmt::format("wavesmith {}: {}\n\nUsage: wavesmith {}{} [options]\n", command.name, command.meaning,
                  command.name, command.positional ? " " + command.positional->name : "");
  append_examples(text, command.example);
  // One table for all groups, so that the meanings stand in one column.
  Table table({{"", Table::Align::left}, {"", Table::Align::left}});
  if (command.positional) wrapped_row(table, command.positional->name, command.positional->meaning);
  for (const OptionGroup& group : groups) {
    table.heading(group.title + ":");
    for (const Option& option : group.options) wrapped_row(table, spelling(option), option.meaning);
  }
  text += "\n" + table.text(2);
  return text;
}

std::string overview(std::span<const Command> commands, std::string_view prefix) {
  const std::string start = prefix.empty() ? "" : fmt::format("{} ", prefix);
  std::string text = prefix.empty() ? "wavesmith: a JIT kernel generator for attention on AMD GPUs\n\n"
                                      "Usage: wavesmith COMMAND [options]\n"
                                    : fmt::format("Usage: wavesmith {}COMMAND [options]\n", start);
  Table table({{"", Table::Align::left}, {"", Table::Align::left}});
  std::vector<std::string> example;
  for (const Command& command : commands) {
    if (!command.name.starts_with(start)) continue;
    if (example.empty()) example.push_back(command.example.front());
    table.row({command.name.substr(start.size()), command.meaning});
  }
  append_examples(text, example);
  text += "\nCommands:\n" + table.text(2);
  fmt::format_to(
      std::back_inserter(text),
      "\n`wavesmith {}COMMAND --help` has the options. Every command takes --json.\n"
      "Exit status: 0 success; 1 a check failed; 2 the request is invalid; 3 the compiler failed;\n"
      "4 the environment cannot do it.\n",
      start);
  return text;
}

}  // namespace wavesmith::cli
