// JUnit XML.
#include "tools/cli/golden_junit.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace wavesmith::cli {
namespace {

// The code point that starts at text[0], and its length; length 0: not UTF-8.
struct Decoded {
  std::uint32_t point = 0;
  std::size_t length = 0;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  constexpr std::array<unsigned, 5> mask{0, 0, 0x1F, 0x0F, 0x07};
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // shorter forms are not allowed
  if (length == 0 || first >= 0xF8 || text.size() < length) return {};
  std::uint32_t point = first & mask[length];
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    point = point << 6U | (byte(i) & 0x3FU);
  }
  if (point < least[length]) return {};
  return {point, length};
}

// XML 1.0, production [2] Char.
bool is_xml_character(std::uint32_t point) {
  return point == 0x9 || point == 0xA || point == 0xD || (point >= 0x20 && point <= 0xD7FF) ||
         (point >= 0xE000 && point <= 0xFFFD) || (point >= 0x10000 && point <= 0x10FFFF);
}

std::string xml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    const std::size_t length = std::max<std::size_t>(1, decoded.length);
    const std::string_view bytes = text.substr(0, length);
    text.remove_prefix(length);
    if (decoded.length == 0 || !is_xml_character(decoded.point)) {
      for (const char c : bytes)
        fmt::format_to(std::back_inserter(escaped), "\\x{:02x}", static_cast<unsigned char>(c));
    } else if (std::string_view("<>&\"'\t\r\n").contains(static_cast<char>(decoded.point)) &&
               decoded.point < 0x80) {
      fmt::format_to(std::back_inserter(escaped), "&#{};", decoded.point);
    } else {
      escaped += bytes;
    }
  }
  return escaped;
}

struct Counts {
  std::size_t tests = 0, failures = 0, skipped = 0;
};

Counts count(std::span<const JUnitCase> cases) {
  return {.tests = cases.size(),
          .failures = static_cast<std::size_t>(
              std::ranges::count(cases, JUnitCase::Outcome::failed, &JUnitCase::outcome)),
          .skipped = static_cast<std::size_t>(
              std::ranges::count(cases, JUnitCase::Outcome::skipped, &JUnitCase::outcome))};
}

void append_case(std::string_view name, const JUnitCase& one, std::string& text) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, R"(    <testcase classname="{}.{}" name="{}")", xml(name), xml(one.suite),
                 xml(one.name));
  if (one.outcome == JUnitCase::Outcome::passed && one.output.empty()) {
    text += "/>\n";
    return;
  }
  text += ">\n";
  if (one.outcome == JUnitCase::Outcome::failed)
    fmt::format_to(out, "      <failure message=\"{}\"/>\n", xml(one.message));
  if (one.outcome == JUnitCase::Outcome::skipped)
    fmt::format_to(out, "      <skipped message=\"{}\"/>\n", xml(one.message));
  if (!one.output.empty()) fmt::format_to(out, "      <system-out>{}</system-out>\n", xml(one.output));
  text += "    </testcase>\n";
}

}  // namespace

std::string junit_text(std::string_view name, std::span<const JUnitCase> cases) {
  const Counts all = count(cases);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
                 xml(name), all.tests, all.failures, all.skipped);
  for (std::size_t i = 0; i < cases.size();) {
    std::size_t end = i;
    while (end < cases.size() && cases[end].suite == cases[i].suite) ++end;
    const auto suite = cases.subspan(i, end - i);
    const Counts counts = count(suite);
    fmt::format_to(out,
                   "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
                   xml(cases[i].suite), counts.tests, counts.failures, counts.skipped);
    for (const JUnitCase& one : suite) append_case(name, one, text);
    text += "  </testsuite>\n";
    i = end;
  }
  return text + "</testsuites>\n";
}

}  // namespace wavesmith::cli
