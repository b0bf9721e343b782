// The link step. LLD takes file names; the object is a memory file and the output is a pipe, both named
// through /proc/self/fd. The output cannot be a memory file: for a regular output file LLD makes a temporary
// file beside it, which /proc does not allow, while to anything else it writes the finished image.
#include "runtime/compiler/link.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>

#include "runtime/file_descriptor.h"

LLD_HAS_DRIVER(elf)

namespace lld {
// As in lld/Common/Version.h, which includes a generated file that Debian's package does not have.
std::string getLLDVersion();
}  // namespace lld

namespace wavesmith::runtime {
namespace {

std::string path_of(const FileDescriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

bool write_all(int file, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

std::vector<std::byte> read_all(int pipe) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> buffer;
  while (true) {
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + got);
  }
}

/// "undefined symbol: NAME" lines of LLD's log, so that the message names what is missing.
std::string undefined_symbols(std::string_view log) {
  constexpr std::string_view kSign = "undefined symbol: ";
  std::string names;
  for (std::size_t at = log.find(kSign); at != std::string_view::npos; at = log.find(kSign, at)) {
    at += kSign.size();
    names += fmt::format("{}{}", names.empty() ? "" : ", ", log.substr(at, log.find('\n', at) - at));
  }
  return names;
}

}  // namespace

Expected<LinkOutput> link_object(std::span<const char> object, bool& can_go_on) {
  const auto system_failed = [](std::string_view what) {
    return fail(ErrorKind::compiler_failed, fmt::format("cannot link: {}: {}", what, std::strerror(errno)));
  };
  const FileDescriptor input(memfd_create("kernel.o", MFD_CLOEXEC));
  if (!input || !write_all(input.get(), object)) return system_failed("memory file");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_failed("pipe");
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);

  const std::string input_path = path_of(input);
  const std::string output_path = path_of(writer);
  const std::array arguments = {"ld.lld",           "-shared", "--no-undefined",   "--threads=1",
                                input_path.c_str(), "-o",      output_path.c_str()};
  LinkOutput output;
  std::thread drain([&] { output.hsaco = read_all(reader.get()); });
  std::string log;
  llvm::raw_string_ostream stream(log);
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
  const lld::Result result = lld::lldMain(arguments, stream, stream, drivers);
  writer.close();  // the last writer: the reader sees the end
  drain.join();

  can_go_on = result.canRunAgain;
  if (result.retCode != 0 || output.hsaco.empty()) {
    const std::string undefined = undefined_symbols(log);
    return fail(
        ErrorKind::compiler_failed,
        undefined.empty() ? "the linker failed" : fmt::format("the linker failed; undefined: {}", undefined),
        log);
  }
  output.log = std::move(log);
  return output;
}

std::string linker_version() {
  return lld::getLLDVersion();
}

}  // namespace wavesmith::runtime
