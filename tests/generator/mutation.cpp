#include "tests/generator/mutation.h"

#include <regex>
#include <stdexcept>

namespace wavesmith::test {
namespace {

[[noreturn]] void absent(std::string_view what) {
  throw std::runtime_error("nothing to mutate: " + std::string(what));
}

std::string without(std::string_view text, std::string_view what, bool all) {
  std::string kept;
  bool found = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    text.remove_prefix(line.size());
    if ((all || !found) && line.contains(what))
      found = true;
    else
      kept += line;
  }
  if (!found) absent(what);
  return kept;
}

}  // namespace

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) absent(from);
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string replaced_pattern(const std::string& text, const std::string& pattern, const std::string& to) {
  std::string result = std::regex_replace(text, std::regex(pattern), to);
  if (result == text) absent(pattern);
  return result;
}

std::string without_lines(std::string_view text, std::string_view what) {
  return without(text, what, true);
}

std::string without_first_line(std::string_view text, std::string_view what) {
  return without(text, what, false);
}

std::string without_metadata(std::string text, std::string_view kind) {
  const std::string attachment = " !" + std::string(kind) + " !";
  std::size_t at = text.find(attachment);
  if (at == std::string::npos) absent(attachment);
  for (; at != std::string::npos; at = text.find(attachment, at)) {
    std::size_t end = at + attachment.size();
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const bool comma = text[at - 1] == ',';
    text.erase(at - (comma ? 1 : 0), end - at + (comma ? 1 : 0));
    at -= comma ? 1 : 0;
  }
  return text;
}

}  // namespace wavesmith::test
