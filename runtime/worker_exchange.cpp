// The poll loop behind WorkerProcess::exchange. Reading and writing go on together, and standard error is
// emptied all the time: a worker that fills that pipe would block, and a worker that dies while it is being
// written to must not raise SIGPIPE in the host (MSG_NOSIGNAL).
#include "runtime/worker_exchange.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>

namespace wavesmith::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// More than any diagnostic; a worker that prints in a loop must not fill the host's memory.
constexpr std::size_t kMaxStandardErrorBytes = std::size_t{1} << 20;

bool try_again() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// Milliseconds for poll(): rounded up, so that it does not spin in the last one.
int milliseconds_until(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

/// The frame that is coming in.
class IncomingFrame {
 public:
  enum class Progress : unsigned char { more, complete, closed, garbage };

  /// Reads what is there, never beyond the frame.
  Progress receive(int connection) {
    while (true) {
      const std::size_t wanted =
          have_header_ ? sizeof(protocol::FrameHeader) + header.payload_bytes : sizeof(protocol::FrameHeader);
      if (bytes_.size() == wanted) {
        if (have_header_) return Progress::complete;
        const auto decoded = protocol::decode_header(bytes_);
        if (!decoded) return Progress::garbage;
        header = *decoded;
        have_header_ = true;
        continue;
      }
      // Read in pieces, so that memory follows what arrives and not what the header claims.
      constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
      const std::size_t before = bytes_.size();
      bytes_.resize(before + std::min(wanted - before, kPieceBytes));
      const ssize_t got = recv(connection, bytes_.data() + before, bytes_.size() - before, 0);
      bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got == 0) return Progress::closed;
      if (got < 0) return try_again() ? Progress::more : Progress::closed;
    }
  }

  std::string take_payload() {
    bytes_.erase(0, sizeof(protocol::FrameHeader));
    return std::move(bytes_);
  }

  protocol::FrameHeader header;

 private:
  std::string bytes_;
  bool have_header_ = false;
};

}  // namespace

bool drain(int pipe, std::string& text) {
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got == 0) return false;
    if (got < 0) return try_again();
    text.append(buffer.data(), std::min(static_cast<std::size_t>(got), kMaxStandardErrorBytes - text.size()));
  }
}

Exchange exchange_frames(int connection, int standard_error, std::string_view frame,
                         std::optional<Clock::time_point> deadline) {
  Exchange result;
  IncomingFrame incoming;
  bool standard_error_open = true;
  while (true) {
    std::array<pollfd, 2> waits = {
        pollfd{.fd = connection,
               .events = static_cast<short>(frame.empty() ? POLLIN : POLLIN | POLLOUT),
               .revents = 0},
        pollfd{.fd = standard_error_open ? standard_error : -1, .events = POLLIN, .revents = 0}};
    const int ready = poll(waits.data(), waits.size(), milliseconds_until(deadline));
    if (ready < 0 && !try_again()) return result;
    if (waits[1].revents != 0 && ready > 0)
      standard_error_open = drain(standard_error, result.standard_error);
    if (ready > 0 && (waits[0].revents & POLLOUT) != 0) {
      const ssize_t sent = send(connection, frame.data(), frame.size(), MSG_NOSIGNAL);
      if (sent > 0) frame.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && !try_again()) return result;  // the worker is gone
    }
    if (ready > 0 && (waits[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const IncomingFrame::Progress progress = incoming.receive(connection);
      if (progress == IncomingFrame::Progress::closed) return result;
      if (progress == IncomingFrame::Progress::garbage) {
        result.end = ExchangeEnd::garbage;
        return result;
      }
      if (progress == IncomingFrame::Progress::complete) {
        // The worker writes its standard error before its answer, so whatever belongs to it is in the pipe by
        // now.
        if (standard_error_open) drain(standard_error, result.standard_error);
        result.end = ExchangeEnd::answered;
        result.kind = incoming.header.kind;
        result.payload = incoming.take_payload();
        return result;
      }
    }
    if (deadline && Clock::now() >= *deadline) {
      result.end = ExchangeEnd::out_of_time;
      return result;
    }
  }
}

}  // namespace wavesmith::runtime
