// The options of the cache commands.
#include "tools/cli/cache_options.h"

#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "runtime/jit/disk_cache.h"

namespace wavesmith::cli {

Option cache_directory_option() {
  return {.name = "cache-dir",
          .placeholder = "DIR",
          .meaning =
              "the cache's folder (default: $WAVESMITH_CACHE_DIR, $XDG_CACHE_HOME/wavesmith or "
              "~/.cache/wavesmith)"};
}

std::vector<OptionGroup> cache_options(std::vector<Option> options) {
  options.push_back(cache_directory_option());
  return {{.title = "Options", .options = std::move(options)}};
}

Expected<std::string> cache_directory(const Arguments& arguments, std::vector<Refusal> refusals) {
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  if (auto named = arguments.value("cache-dir")) return *std::move(named);
  runtime::CachePlace place = runtime::cache_place();
  if (place.directory.empty())
    return fail(ErrorKind::environment,
                fmt::format("there is no cache: {}; --cache-dir names one", place.reason));
  return std::move(place.directory);
}

std::string time_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string message_lines(std::string_view command, const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += fmt::format("wavesmith {}: {}\n", command, text);
  return lines;
}

}  // namespace wavesmith::cli
