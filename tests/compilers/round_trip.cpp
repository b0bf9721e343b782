#include "tests/compilers/round_trip.h"

#include <algorithm>
#include <regex>
#include <set>

#include <fmt/format.h>

namespace wavesmith::test {
namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Lines starting_with(const Lines& lines, std::string_view start) {
  Lines found;
  for (const std::string& line : lines)
    if (line.starts_with(start)) found.push_back(line);
  return found;
}

/// Numbers of metadata nodes and attribute groups are the printer's.
std::string without_numbers(const std::string& line) {
  static const std::regex number(R"([!#]\d+)");
  return std::regex_replace(line, number, "N");
}

/// A declaration without the attributes that LLVM gives every intrinsic of its own.
std::string plain_declaration(const std::string& line) {
  static const std::regex group(R"( #\d+$)");
  static const std::regex added(
      R"( (noundef|readonly|writeonly|readnone|captures\(none\)|range\([^)]*\)|nofpclass\([^)]*\)))");
  return std::regex_replace(std::regex_replace(line, group, ""), added, "");
}

std::set<std::string> words(const std::string& line) {
  static const std::regex word(R"("[^"]*"(="[^"]*")?|[a-z_]+\([^)]*\)|[^ ]+)");
  std::set<std::string> all;
  for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) all.insert(at->str());
  return all;
}

/// The attributes of each group that does not belong to an intrinsic: those with a string among them.
std::set<std::set<std::string>> kernel_attributes(const Lines& lines) {
  std::set<std::set<std::string>> groups;
  for (const std::string& line : starting_with(lines, "attributes #")) {
    if (line.find('"') == std::string::npos) continue;
    groups.insert(words(line.substr(line.find('{'))));
  }
  return groups;
}

/// "fadd", "call llvm.amdgcn.s.barrier", "br", …: the instructions of the kernel, in order.
Lines instructions(const Lines& lines) {
  static const std::regex form(R"(^  (?:%[^ ]+ = )?(?:tail )?([a-z]+)(?:.*?@(llvm\.[^(]+)\()?)");
  Lines all;
  for (const std::string& line : lines) {
    std::smatch match;
    if (std::regex_search(line, match, form))
      all.push_back(match[2].matched ? fmt::format("{} {}", match[1].str(), match[2].str()) : match[1].str());
  }
  return all;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

}  // namespace

std::vector<std::string> changes_on_reading(std::string_view written, std::string_view read) {
  std::vector<std::string> changes;
  const Lines before = split(written), after = split(read);
  for (const std::string_view start : {"target datalayout", "target triple", "@", "define "}) {
    Lines old = starting_with(before, start), now = starting_with(after, start);
    std::ranges::transform(old, old.begin(), without_numbers);
    std::ranges::transform(now, now.begin(), without_numbers);
    if (old != now)
      changes.push_back(fmt::format("\"{}\" lines: {} written, {} read{}", start, old.size(), now.size(),
                                    old.empty() || now.empty() ? "" : ": " + now.front()));
  }

  std::set<std::string> declared, declared_now;
  for (const std::string& line : starting_with(before, "declare ")) declared.insert(plain_declaration(line));
  for (const std::string& line : starting_with(after, "declare "))
    declared_now.insert(plain_declaration(line));
  for (const std::string& line : declared)
    if (!declared_now.contains(line)) changes.push_back("lost: " + line);
  for (const std::string& line : declared_now)
    if (!declared.contains(line)) changes.push_back("new: " + line);

  const auto attributes = kernel_attributes(before), attributes_now = kernel_attributes(after);
  for (const auto& group : attributes) {
    if (attributes_now.contains(group)) continue;
    for (const std::string& word : group) {
      const bool kept =
          std::ranges::any_of(attributes_now, [&](const auto& now) { return now.contains(word); });
      if (!kept) changes.push_back("attribute changed: " + word);
    }
    changes.push_back("no group has all the kernel's attributes");
  }

  const Lines code = instructions(before), code_now = instructions(after);
  if (code != code_now) {
    const auto [at, now] = std::ranges::mismatch(code, code_now);
    changes.push_back(fmt::format("{} instructions written, {} read; first other one: {}", code.size(),
                                  code_now.size(), now != code_now.end() ? *now : "(none)"));
  }

  for (const std::string_view part :
       {"!llvm.module.flags = ", "!\"amdhsa_code_object_version\", i32 ", "!reqd_work_group_size ",
        "!alias.scope ", "!noalias ", "!llvm.loop ", "!\"llvm.loop.unroll.disable\"", "!dbg "}) {
    // Equal nodes of the text are one node of a module.
    const std::size_t old = count(written, part), now = count(read, part);
    const bool merged = part == "!\"llvm.loop.unroll.disable\"" && (old == 0) == (now == 0);
    if (old != now && !merged)
      changes.push_back(fmt::format("{}: {} times written, {} read", part, old, now));
  }
  return changes;
}

}  // namespace wavesmith::test
