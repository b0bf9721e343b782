// Files through the system's calls, so that every error has its reason.
#include "tools/cli/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

namespace wavesmith::cli {
namespace {

constexpr std::size_t max_input_bytes = std::size_t{1} << 30;

std::string reason(int error) {
  return std::generic_category().message(error);
}

// Closes on the way out; 0 and 1 stay open.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { static_cast<void>(close()); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  /// Some file systems report a full disk only here.
  [[nodiscard]] bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd <= STDERR_FILENO || ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Whether two names mean one file: alike once links and dots are resolved, or hard links.
bool same_file(const std::string& a, const std::string& b) {
  if (a == b || a.empty() || b.empty() || a == "-" || b == "-") return a == b;
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto resolved_a = std::filesystem::weakly_canonical(std::filesystem::absolute(a, error), error);
  const auto resolved_b = std::filesystem::weakly_canonical(std::filesystem::absolute(b, error), error);
  return !resolved_a.empty() && resolved_a == resolved_b;
}

}  // namespace

Expected<std::string> read_input(const std::string& path, std::string_view field) {
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(Error::refused({{std::string(field), path, std::string(why)}}));
  };
  if (path.empty()) return refuse("a file, or - for standard input");
  Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return refuse(fmt::format("a file that can be read: {}", reason(errno)));
  std::string bytes;
  std::array<char, std::size_t{1} << 16> block;
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got == 0) return bytes;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(fmt::format("a file that can be read: {}", reason(errno)));
    bytes.append(block.data(), static_cast<std::size_t>(got));
    if (bytes.size() > max_input_bytes) return refuse("a file of at most 1 GiB");
  }
}

Expected<void> write_output(const std::string& path, std::string_view bytes, std::string_view field) {
  const auto failed = [&](int error) -> std::unexpected<Error> {
    Refusal refusal{std::string(field), path, fmt::format("a file that can be written: {}", reason(error))};
    return std::unexpected(Error{ErrorKind::environment, refusal.message(), {}, {refusal}});
  };
  if (path == "-") {
    if (!write_all(STDOUT_FILENO, bytes) && errno != EPIPE) return failed(errno);
    return {};
  }
  constexpr mode_t anyone = 0666;  // less the umask
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, anyone));
  if (file.get() < 0) return failed(errno);
  if (write_all(file.get(), bytes) && file.close()) return {};
  const int error = errno;
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path.c_str());
  return failed(error);
}

void check_outputs(std::span<const Output> outputs, bool json, std::vector<Refusal>& refusals,
                   std::span<const Output> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [field, path] = outputs[i];
    const auto refuse = [&](std::string allowed) {
      refusals.push_back({std::string(field), path.empty() ? "(empty)" : path, std::move(allowed)});
    };
    const auto earlier = std::ranges::find_if(
        outputs.first(i), [&](const Output& other) { return same_file(other.path, path); });
    if (path.empty())
      refuse("a file, or - for standard output");
    else if (earlier != outputs.begin() + static_cast<std::ptrdiff_t>(i))
      refuse(fmt::format("another place than {}", earlier->field));
    else if (path == "-" && json)
      refuse("a file: with --json, standard output holds the document alone");
    const auto input = std::ranges::find_if(
        inputs, [&](const Output& other) { return path != "-" && same_file(other.path, path); });
    if (input != inputs.end()) refuse(fmt::format("another file than {}, which is read", input->field));
  }
}

}  // namespace wavesmith::cli
