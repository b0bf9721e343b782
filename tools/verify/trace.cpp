// Selection and text of trace lines.
#include "tools/verify/trace.h"

#include <charconv>
#include <iterator>
#include <ranges>
#include <string>

#include <fmt/format.h>

namespace wavesmith::verify {
namespace {

constexpr std::uint32_t lanes = 64;

// What a wave of any processor can have.
constexpr std::uint32_t limit_of(char kind) {
  return kind == 's' ? 106 : kind == 'v' ? 512 : 256;
}

// "v12", or nothing.
std::optional<std::uint32_t> register_number(std::string_view text, char kind) {
  std::uint32_t number = 0;
  if (text.size() < 2 || text.front() != kind) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number >= limit_of(kind))
    return std::nullopt;
  return number;
}

std::optional<RegisterRange> register_range(std::string_view text) {
  const char kind = text.empty() ? ' ' : text.front();
  if (kind != 's' && kind != 'v' && kind != 'a') return std::nullopt;
  const std::size_t dash = text.find('-');
  const auto first = register_number(text.substr(0, dash), kind);
  const auto last = dash == std::string_view::npos ? first : register_number(text.substr(dash + 1), kind);
  if (!first || !last || *last < *first) return std::nullopt;
  return RegisterRange{kind, *first, *last};
}

void append_register(fmt::memory_buffer& text, const simulator::TraceEvent& event, char kind,
                     std::uint32_t number) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "    {}{}", kind, number);
  if (kind == 's') {
    fmt::format_to(out, "  {:08x}\n", event.sgpr(number));
    return;
  }
  if (number >= (kind == 'v' ? event.vgprs : event.agprs)) {
    fmt::format_to(out, "  (the kernel does not use it)\n");
    return;
  }
  fmt::format_to(out, " ");
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    fmt::format_to(out, " {:08x}", kind == 'v' ? event.vgpr(number, lane) : event.agpr(number, lane));
  fmt::format_to(out, "\n");
}

}  // namespace

Expected<std::vector<RegisterRange>> parse_registers(std::string_view text, std::string_view field) {
  std::vector<RegisterRange> ranges;
  bool valid = !text.empty();
  for (const auto part : std::views::split(text, ',')) {
    const auto range = register_range({part.begin(), part.end()});
    valid = valid && range;
    if (range) ranges.push_back(*range);
  }
  if (valid) return ranges;
  return std::unexpected(
      Error::refused({{std::string(field), text.empty() ? "(empty)" : std::string(text),
                       "registers and ranges, like v0-v3,s4,a0-a1: s0 to s105, v0 to v511, a0 to a255"}}));
}

bool write_trace(std::FILE* file, const TraceSelection& selection, const simulator::TraceEvent& event) {
  if (event.address < selection.from || event.address > selection.to) return false;
  if (selection.wave && *selection.wave != event.wave) return false;
  if (selection.workgroup && *selection.workgroup != event.workgroup) return false;
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text),
                 "workgroup {},{},{} wave {}  {:#x}  {}  exec {:016x} vcc {:016x} scc {:d}\n",
                 event.workgroup[0], event.workgroup[1], event.workgroup[2], event.wave, event.address,
                 event.text, event.exec, event.vcc, event.scc);
  for (const RegisterRange& range : selection.registers)
    for (std::uint32_t number = range.first; number <= range.last; ++number)
      append_register(text, event, range.kind, number);
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), file));
  return true;
}

}  // namespace wavesmith::verify
