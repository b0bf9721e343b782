// Asks a store on a shared folder for some kernels of the stand-in compiler, in random order:
//   cache_process FOLDER LOG FIRST COUNT SEED MICROSECONDS
// Each compile takes so many microseconds and appends the kernel's text to LOG, a line each. Exit status 0
// when every kernel was served and is right.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include <fcntl.h>
#include <unistd.h>

#include "runtime/file_descriptor.h"
#include "tests/runtime/jit/stand_in.h"

using namespace wavesmith;

int main(int count, char** words) {
  if (count != 7) return 2;
  const auto number = [&](int index) { return std::atoi(words[index]); };
  const runtime::FileDescriptor log(open(words[2], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!log) return 2;
  runtime::Warnings warnings;
  runtime::KernelStore store(
      {.directory = words[1]},
      [&](const runtime::Recipe&, const std::string& ir) -> Expected<runtime::Made> {
        if (write(log.get(), ir.data(), ir.size()) < 0) std::abort();
        usleep(static_cast<useconds_t>(number(6)));
        return runtime::Made{.hsaco = test::code_of(ir), .compiler = test::kStandInCompiler};
      },
      test::describe_stand_in, warnings);
  std::vector<int> order(static_cast<std::size_t>(number(4)));
  std::iota(order.begin(), order.end(), number(3));
  std::ranges::shuffle(order, std::mt19937(static_cast<unsigned>(number(5))));
  return std::ranges::all_of(order,
                             [&](int index) {
                               const auto kernel = store.get(test::recipe_of(index));
                               return kernel && (*kernel)->hsaco == test::code_of(test::text_of(index));
                             })
             ? 0
             : 1;
}
