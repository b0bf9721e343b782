// The command line of the serving example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace serving {

struct Options {
  std::string hip;            ///< path of libamdhip64; empty: the dynamic linker's
  std::string cache;          ///< directory of compiled kernels; empty: the library's choice
  std::size_t requests = 24;  ///< that arrive
  double rate = 100;          ///< a second, on average
  std::uint64_t seed = 1;     ///< of arrivals, lengths and tensors
  std::size_t models = 3;     ///< that the requests are for
  int max_length = 200;       ///< longest prompt, in tokens
  int max_tokens = 600;       ///< of a batch, at least max_length
  std::size_t max_batch = 8;  ///< requests of a batch
  std::size_t streams = 2;    ///< batches in flight
  bool check = true;          ///< compare every result with a reference
  bool help = false;
};

/// Reads the command line; throws std::invalid_argument with the option, its value and what is allowed.
Options read_options(int count, const char* const* words);

/// What --help prints.
std::string usage();

}  // namespace serving
