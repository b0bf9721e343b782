// wavesmith-compiler: the worker program that CompilerPool starts. Serves one connection, on a fixed file
// descriptor: says hello, then answers one request after the other until the other end closes. All of LLVM
// and comgr is behind backend.h.
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
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

/// What the command line says.
struct Arguments {
  unsigned long long memory_limit_bytes = 0;  ///< 0: none
  std::string comgr;                          ///< the library to open; empty: look for one
};

std::optional<Arguments> read_arguments(std::span<char*> words) {
  constexpr std::string_view kMemory = "--memory-limit=", kComgr = "--comgr=";
  if (words.size() != 3) return std::nullopt;
  std::string_view memory = words[1], comgr = words[2];
  if (!memory.starts_with(kMemory) || !comgr.starts_with(kComgr)) return std::nullopt;
  memory.remove_prefix(kMemory.size());
  comgr.remove_prefix(kComgr.size());
  Arguments arguments{.comgr = std::string(comgr)};
  const auto [end, error] =
      std::from_chars(memory.data(), memory.data() + memory.size(), arguments.memory_limit_bytes);
  if (error != std::errc() || end != memory.data() + memory.size()) return std::nullopt;
  return arguments;
}

/// Sets limits that hold for this process only. RLIMIT_DATA counts what is allocated and not the mapped
/// libraries.
bool limit_resources([[maybe_unused]] unsigned long long bytes) {
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

/// LLVM, which is always there, and comgr, which is looked for when it is first asked for.
class Backends {
 public:
  explicit Backends(std::string comgr_path) : comgr_path_(std::move(comgr_path)) {}

  [[nodiscard]] const CompilerBackend& llvm() const { return *llvm_; }

  Expected<CompilerBackend*> find(Backend backend) {
    if (backend != Backend::comgr) return llvm_.get();
    if (!comgr_) comgr_ = make_comgr_backend(comgr_path_);
    if (!*comgr_) return std::unexpected(comgr_->error());
    return (**comgr_).get();
  }

  [[nodiscard]] bool can_go_on() const {
    return llvm_->can_go_on() && (!comgr_ || !*comgr_ || (**comgr_)->can_go_on());
  }

 private:
  std::string comgr_path_;
  std::unique_ptr<CompilerBackend> llvm_ = make_llvm_backend();
  std::optional<Expected<std::unique_ptr<CompilerBackend>>> comgr_;
};

std::string unreadable() {
  return protocol::encode(Error{ErrorKind::compiler_failed, "the request cannot be read", {}, {}});
}

std::string answer_request(Backends& backends, std::string_view payload) {
  const auto request = protocol::decode_request(payload);
  if (!request) return unreadable();
  const auto target = check_request(*request);
  if (!target) return protocol::encode(target.error());
  const auto backend = backends.find(request->backend);
  if (!backend) return protocol::encode(backend.error());
  const auto result = (*backend)->compile(*request, *target);
  return result ? protocol::encode(*result) : protocol::encode(result.error());
}

std::string answer_query(Backends& backends, std::string_view payload) {
  const auto query = protocol::decode_query(payload);
  if (!query) return unreadable();
  const auto backend = backends.find(query->backend);
  return backend ? protocol::encode((*backend)->info()) : protocol::encode(backend.error());
}

int serve(const std::string& comgr_path) {
  Backends backends(comgr_path);
  if (!send(protocol::encode(protocol::Hello{.llvm = backends.llvm().info()}))) return EXIT_FAILURE;
  while (backends.can_go_on()) {
    const auto header_bytes = receive(sizeof(protocol::FrameHeader));
    if (!header_bytes) return EXIT_SUCCESS;
    const auto header = protocol::decode_header(*header_bytes);
    if (!header) return EXIT_FAILURE;
    const auto payload = receive(header->payload_bytes);
    if (!payload) return EXIT_SUCCESS;
    std::string answer;
    switch (header->kind) {
      case protocol::FrameKind::request:
        answer = answer_request(backends, *payload);
        break;
      case protocol::FrameKind::query:
        answer = answer_query(backends, *payload);
        break;
      default:
        return EXIT_FAILURE;
    }
    if (!send(answer)) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const auto words = read_arguments({arguments, static_cast<std::size_t>(argument_count)});
  if (!words || !limit_resources(words->memory_limit_bytes)) {
    std::fputs("wavesmith-compiler is started by libwavesmith, not by hand\n", stderr);
    return 2;
  }
  if (chdir("/") != 0) return EXIT_FAILURE;  // keeps no folder of the host busy
  end_with_connection();
  const int status = serve(words->comgr);
  // Not exit(): the thread above must not run into destructors, and there is nothing left to write.
  _exit(status);
}
