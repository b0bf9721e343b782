// comgr_version LIBRARY: the version of the LLVM in a comgr, as its library says and as its preprocessor
// says.
#include <cstdio>

#include <fmt/format.h>

#include "runtime/compiler/comgr_library.h"

int main(int count, char** words) {
  using wavesmith::runtime::ComgrLibrary;
  if (count != 2) return 2;
  const auto library = ComgrLibrary::open(words[1]);
  if (!library) {
    fmt::print(stderr, "{}\n", library.error().message);
    return 4;
  }
  for (const auto& version : {(*library)->llvm_version(), (*library)->preprocessor_version()}) {
    if (!version) {
      fmt::print(stderr, "{}\n{}\n", version.error().message, version.error().log);
      return 3;
    }
    fmt::print("{}.{}.{}\n", version->major, version->minor, version->patch);
  }
  return 0;
}
