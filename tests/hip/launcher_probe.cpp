// Opens a HIP library and says what became of it; the exit status is that of an error's kind. Run with
// libraries that no GPU is behind, in a process of their own.
#include <cstdio>

#include "wavesmith/launcher.h"

int main(int count, char** words) {
  const auto opened = wavesmith::launcher::Launcher::open(count > 1 ? words[1] : "");
  if (!opened) {
    std::printf("%s\n", opened.error().message.c_str());
    return static_cast<int>(opened.error().kind);
  }
  std::printf("%s: %zu devices\n", opened->library().c_str(), opened->devices().size());
  return 0;
}
