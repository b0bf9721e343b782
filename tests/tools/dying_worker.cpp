// A compiler worker for tests: says hello with the identity in the file `identity` of its folder, takes a
// request and dies the way LLVM does when it cannot select an instruction.
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
  std::getline(file, hello.llvm);
  const std::string frame = protocol::encode(hello);
  if (::send(protocol::kWorkerDescriptor, frame.data(), frame.size(), MSG_NOSIGNAL) < 0) return EXIT_FAILURE;
  char byte = 0;
  if (::recv(protocol::kWorkerDescriptor, &byte, 1, 0) != 1) return EXIT_SUCCESS;
  std::fputs("LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.no.such.thing\n", stderr);
  std::abort();
}
