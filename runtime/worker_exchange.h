// Moving one frame to a worker and one back over its connection while its standard error is drained, within a
// time limit. Internal to WorkerProcess.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/compiler_protocol.h"

namespace wavesmith::runtime {

/// How an exchange ended.
enum class ExchangeEnd : unsigned char {
  answered,     ///< a whole frame came back
  closed,       ///< the worker closed its end: it died
  out_of_time,  ///< the time limit passed first
  garbage,      ///< what came back is not a frame
};

struct Exchange {
  ExchangeEnd end = ExchangeEnd::closed;
  protocol::FrameKind kind{};
  std::string payload;
  std::string standard_error;  ///< its first megabyte
};

/// Sends `frame` (may be empty) on the non-blocking socket `connection` and reads one frame. `standard_error`
/// is a non-blocking pipe. No deadline: waits for ever.
[[nodiscard]] Exchange exchange_frames(int connection, int standard_error, std::string_view frame,
                                       std::optional<std::chrono::steady_clock::time_point> deadline);

/// Appends what a non-blocking pipe holds to `text`, up to its first megabyte. False at the end of the pipe.
bool drain(int pipe, std::string& text);

}  // namespace wavesmith::runtime
