// wavesmith-compiler: the worker program that CompilerPool starts. Serves one connection, on a fixed file
// descriptor: says hello, then answers one request after the other until the other end closes. All of LLVM is
// behind backend.h.
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <poll.h>
#include <unistd.h>

#include <sys/resource.h>

#include "runtime/compiler/backend.h"
#include "runtime/compiler_protocol.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::runtime;

constexpr int kConnection = protocol::kWorkerDescriptor;

/// Reads exactly `size` bytes; empty at the end of the connection.
std::optional<std::string> receive(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = read(kConnection, bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

bool send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(kConnection, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Ends the process as soon as the other end of the connection is gone, in the middle of a compile too:
/// nobody is left to end a compile that hangs.
void end_with_connection() {
  std::thread([] {
    pollfd wait{.fd = kConnection, .events = POLLRDHUP, .revents = 0};
    while (poll(&wait, 1, -1) <= 0) {
    }
    _exit(0);
  }).detach();
}

/// Sets limits that hold for this process only. RLIMIT_DATA counts what is allocated and not the mapped
/// libraries.
bool limit_resources(std::string_view argument) {
  constexpr std::string_view kOption = "--memory-limit=";
  if (!argument.starts_with(kOption)) return false;
  argument.remove_prefix(kOption.size());
  unsigned long long bytes = 0;
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), bytes);
  if (error != std::errc() || end != argument.data() + argument.size()) return false;

  const rlimit no_core{.rlim_cur = 0,
                       .rlim_max = 0};  // a crash is an answer here, not a file in the host's folder
  setrlimit(RLIMIT_CORE, &no_core);
#ifndef WAVESMITH_SANITIZED
  // A sanitizer's shadow memory would count and be over any limit from the start.
  if (bytes != 0) {
    const rlimit memory{.rlim_cur = bytes, .rlim_max = bytes};
    if (setrlimit(RLIMIT_DATA, &memory) != 0) {
      std::fprintf(stderr, "cannot limit memory to %llu bytes\n", bytes);
      return false;
    }
  }
#endif
  return true;
}

std::string answer(CompilerBackend& llvm, std::string_view payload) {
  const auto request = protocol::decode_request(payload);
  if (!request)
    return protocol::encode(Error{ErrorKind::compiler_failed, "the request cannot be read", {}, {}});
  const auto target = check_request(*request);
  if (!target) return protocol::encode(target.error());
  const auto result = llvm.compile(*request, *target);
  return result ? protocol::encode(*result) : protocol::encode(result.error());
}

int serve() {
  const std::unique_ptr<CompilerBackend> llvm = make_llvm_backend();
  if (!send(protocol::encode(protocol::Hello{.llvm = llvm->identity()}))) return EXIT_FAILURE;
  while (llvm->can_go_on()) {
    const auto header_bytes = receive(sizeof(protocol::FrameHeader));
    if (!header_bytes) return EXIT_SUCCESS;
    const auto header = protocol::decode_header(*header_bytes);
    if (!header || header->kind != protocol::FrameKind::request) return EXIT_FAILURE;
    const auto payload = receive(header->payload_bytes);
    if (!payload) return EXIT_SUCCESS;
    if (!send(answer(*llvm, *payload))) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2 || !limit_resources(arguments[1])) {
    std::fputs("wavesmith-compiler is started by libwavesmith, not by hand\n", stderr);
    return 2;
  }
  if (chdir("/") != 0) return EXIT_FAILURE;  // keeps no folder of the host busy
  end_with_connection();
  const int status = serve();
  // Not exit(): the thread above must not run into destructors, and there is nothing left to write.
  _exit(status);
}
