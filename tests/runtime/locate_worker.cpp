// Prints where find_compiler_worker() finds the worker; the tests run copies of it in other trees.
#include <cstdio>

#include "runtime/worker_path.h"

int main() {
  const auto path = wavesmith::runtime::find_compiler_worker();
  std::fputs(path ? path->c_str() : path.error().message.c_str(), stdout);
  return path ? 0 : 1;
}
