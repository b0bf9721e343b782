// read_options(): one table of options, each with its range.
#include "options.hpp"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace serving {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& allowed) {
  throw std::invalid_argument(option + " = " + value + " is refused: " + allowed);
}

/// A number of a range, in plain decimal notation.
double number(const std::string& option, const char* text, double low, double high, bool whole) {
  errno = 0;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  const bool plain = *text != '\0' && *end == '\0' &&
                     std::string(text).find_first_not_of("0123456789.") == std::string::npos;
  std::ostringstream allowed;
  allowed << (whole ? "a whole number" : "a number") << " from " << low << " to " << high;
  if (!plain || errno != 0 || !(value >= low && value <= high) ||
      (whole && value != static_cast<double>(static_cast<long long>(value))))
    refuse(option, text, allowed.str());
  return value;
}

}  // namespace

Options read_options(int count, const char* const* words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--help") {
      options.help = true;
      continue;
    }
    if (option == "--no-check") {
      options.check = false;
      continue;
    }
    const bool last = i + 1 == count;
    const auto value = [&]() -> const char* {
      if (last) refuse(option, "(missing)", "a value");
      return words[++i];
    };
    const auto whole = [&](double low, double high) { return number(option, value(), low, high, true); };
    if (option == "--hip")
      options.hip = value();
    else if (option == "--cache")
      options.cache = value();
    else if (option == "--requests")
      options.requests = static_cast<std::size_t>(whole(1, 1e6));
    else if (option == "--rate")
      options.rate = number(option, value(), 0.01, 1e6, false);
    else if (option == "--seed")
      options.seed = static_cast<std::uint64_t>(whole(0, 4294967295.0));
    else if (option == "--models")
      options.models = static_cast<std::size_t>(whole(1, 3));
    else if (option == "--max-length")
      options.max_length = static_cast<int>(whole(1, 1e5));
    else if (option == "--max-tokens")
      options.max_tokens = static_cast<int>(whole(1, 1e6));
    else if (option == "--max-batch")
      options.max_batch = static_cast<std::size_t>(whole(1, 4096));
    else if (option == "--streams")
      options.streams = static_cast<std::size_t>(whole(1, 64));
    else
      refuse("option", option, "see --help");
  }
  if (options.max_tokens < options.max_length)
    refuse("--max-tokens", std::to_string(options.max_tokens),
           "at least --max-length, " + std::to_string(options.max_length));
  return options;
}

std::string usage() {
  return "serving: requests of random lengths arrive, are packed into batches and served by kernels that are "
         "compiled "
         "on demand\n\n"
         "  --hip FILE        libamdhip64 (default: the dynamic linker's)\n"
         "  --cache DIR       compiled kernels (default: the library's)\n"
         "  --requests N      that arrive (24)\n"
         "  --rate R          a second, on average (100)\n"
         "  --seed N          of arrivals, lengths and tensors (1)\n"
         "  --models N        that they are for, 1 to 3 (3)\n"
         "  --max-length N    longest prompt in tokens (200)\n"
         "  --max-tokens N    most tokens of a batch (600)\n"
         "  --max-batch N     most requests of a batch (8)\n"
         "  --streams N       batches in flight (2)\n"
         "  --no-check        do not compare with the reference\n\n"
         "SIGINT and SIGTERM end it after the batches in flight. Exit status: 0 all right, 1 wrong numbers "
         "or work that\n"
         "failed on the device, 2 wrong options, 3 a kernel did not compile, 4 no GPU.\n";
}

}  // namespace serving
