// A compiler worker for tests: says hello with the version in the file `identity` of its folder, has no
// comgr, takes a request and dies the way LLVM does when it cannot select an instruction.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <sys/socket.h>

#include "runtime/compiler_protocol.h"

int main() {
  namespace protocol = wavesmith::runtime::protocol;
  std::ifstream file(std::filesystem::canonical("/proc/self/exe").parent_path() / "identity");
  protocol::Hello hello;
  std::getline(file, hello.llvm.version);
  hello.llvm.identity = hello.llvm.version;
  std::sscanf(hello.llvm.version.c_str(), "LLVM %u", &hello.llvm.llvm_major);
  hello.llvm.processors = {"gfx950"};
  const auto send = [](const std::string& frame) {
    return ::send(protocol::kWorkerDescriptor, frame.data(), frame.size(), MSG_NOSIGNAL) >= 0;
  };
  if (!send(protocol::encode(hello))) return EXIT_FAILURE;
  while (true) {
    std::string bytes(sizeof(protocol::FrameHeader), '\0');
    if (::recv(protocol::kWorkerDescriptor, bytes.data(), bytes.size(), MSG_WAITALL) <= 0)
      return EXIT_SUCCESS;
    const auto header = protocol::decode_header(bytes);
    if (!header || header->kind != protocol::FrameKind::query) break;
    bytes.resize(header->payload_bytes);
    ::recv(protocol::kWorkerDescriptor, bytes.data(), bytes.size(), MSG_WAITALL);
    if (!send(protocol::encode(wavesmith::Error{wavesmith::ErrorKind::environment, "no comgr", {}, {}})))
      return EXIT_FAILURE;
  }
  std::fputs("LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.no.such.thing\n", stderr);
  std::abort();
}
