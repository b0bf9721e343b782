// Draws the bar.
#include "tools/cli/progress.h"

#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

namespace wavesmith::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto silent_for = 500ms, between_drawings = 100ms;
constexpr std::string_view to_line_start_and_clear = "\r\033[K";

}  // namespace

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + silent_for) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "{}", to_line_start_and_clear);
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  constexpr std::uint64_t width = 30;
  if (!terminal_ || total == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + between_drawings;
  drawn_ = true;
  const auto filled = static_cast<std::size_t>(width * done / total);
  fmt::print(stderr, "{}{} [{:<{}}] {} of {}", to_line_start_and_clear, what_, std::string(filled, '#'),
             width, done, total);
  static_cast<void>(std::fflush(stderr));
}

}  // namespace wavesmith::cli
