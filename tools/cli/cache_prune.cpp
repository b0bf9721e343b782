// `wavesmith cache prune` and `wavesmith cache clear`: a smaller cache on disk, and an empty one.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "runtime/jit/cache_maintenance.h"
#include "tools/cli/cache_options.h"
#include "tools/cli/command.h"
#include "tools/cli/numbers.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> prune_options(std::span<const std::string> /*words*/) {
  return cache_options(
      {{.name = "max-bytes",
        .placeholder = "N",
        .meaning = "keep what was used last, at most so much: bytes, or with K, M, G"},
       {.name = "max-age", .placeholder = "DAYS", .meaning = "keep what was used within so many days"}});
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  unsigned shift = 0;
  for (const auto& [letter, bits] : {std::pair('K', 10U), std::pair('M', 20U), std::pair('G', 30U)})
    if (text.ends_with(letter)) shift = bits;
  if (shift != 0) text.remove_suffix(1);
  const auto number = parse_number<std::uint64_t>(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

Expected<Report> prune(const Arguments& arguments, std::vector<Refusal> refusals) {
  runtime::CachePruning limits;
  if (const auto text = arguments.value("max-bytes")) {
    limits.max_bytes = parse_bytes(*text);
    if (!limits.max_bytes)
      refusals.push_back({"max_bytes", *text, "a number of bytes, or one with K, M or G behind it"});
  }
  constexpr unsigned most_days = 100'000;
  if (const auto text = arguments.value("max-age")) {
    const auto days = parse_number<unsigned>(*text);
    if (days && *days <= most_days)
      limits.max_age = std::chrono::days(*days);
    else
      refusals.push_back({"max_age", *text, fmt::format("a number of days, 0 to {}", most_days)});
  }
  const auto directory = cache_directory(arguments, std::move(refusals));
  if (!directory) return std::unexpected(directory.error());
  const auto pruned = runtime::prune_cache(*directory, limits);
  if (!pruned) return std::unexpected(pruned.error());
  Report report;
  report.json = {{"directory", *directory},
                 {"removed", pruned->removed},
                 {"abandoned", pruned->abandoned},
                 {"kept", pruned->kept},
                 {"kept_bytes", pruned->kept_bytes}};
  report.text = fmt::format("{}: {} files removed, {} left by processes that ended; {} kept, {} bytes\n",
                            *directory, pruned->removed, pruned->abandoned, pruned->kept, pruned->kept_bytes);
  return report;
}

std::vector<OptionGroup> clear_options(std::span<const std::string> /*words*/) {
  return cache_options();
}

Expected<Report> clear(const Arguments& arguments, std::vector<Refusal> refusals) {
  const auto directory = cache_directory(arguments, std::move(refusals));
  if (!directory) return std::unexpected(directory.error());
  const auto removed = runtime::clear_cache(*directory);
  if (!removed) return std::unexpected(removed.error());
  Report report;
  report.json = {{"directory", *directory}, {"removed", *removed}};
  report.text = fmt::format("{}: {} files removed\n", *directory, *removed);
  return report;
}

}  // namespace

Command cache_prune_command() {
  return {.name = "cache prune",
          .meaning = "remove what was not used for long, what is damaged, and what killed processes left",
          .example = {"wavesmith cache prune --max-bytes 512M --max-age 30 --cache-dir kernels"},
          .positional = std::nullopt,
          .options = prune_options,
          .run = prune};
}

Command cache_clear_command() {
  return {.name = "cache clear",
          .meaning = "remove everything from the cache on disk",
          .example = {"wavesmith cache clear --cache-dir kernels"},
          .positional = std::nullopt,
          .options = clear_options,
          .run = clear};
}

}  // namespace wavesmith::cli
