// The program wavesmith-golden-emitter: what one revision of the sources emits for its golden cases. Other
// revisions build it (base_revision.h) and read its output, so its command line and output do not change:
//
//   wavesmith-golden-emitter goldens            the golden file that this revision would pin
//   wavesmith-golden-emitter text FLAVOUR CASE  LLVM IR text of a case; status 2: no such case or flavour
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "golden/cases.h"
#include "golden/emission.h"
#include "golden/golden_file.h"
#include "lowering/flavour.h"

namespace wavesmith::golden {
namespace {

int print(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return written ? 0 : static_cast<int>(ErrorKind::environment);
}

int report(ErrorKind kind, std::string_view message) {
  fmt::print(stderr, "wavesmith-golden-emitter: {}\n", message);
  return static_cast<int>(kind);
}

int print_text(std::string_view flavour_name, std::string_view id) {
  const lowering::Flavour* flavour = lowering::find_flavour(flavour_name);
  if (flavour == nullptr)
    return report(ErrorKind::invalid_request, fmt::format("there is no flavour {}", flavour_name));
  const Case* golden_case = find_case(id);
  if (golden_case == nullptr)
    return report(ErrorKind::invalid_request, fmt::format("there is no case {}", id));
  const Expected<Emission> emission = emit(*golden_case, *flavour);
  return emission ? print(emission->text) : report(emission.error().kind, emission.error().message);
}

int run(const std::vector<std::string_view>& words) {
  if (words.size() == 1 && words[0] == "goldens") {
    const Expected<Goldens> goldens = emit_all();
    return goldens ? print(goldens_text(*goldens)) : report(goldens.error().kind, goldens.error().message);
  }
  if (words.size() == 3 && words[0] == "text") return print_text(words[1], words[2]);
  return report(ErrorKind::invalid_request, "usage: goldens | text FLAVOUR CASE");
}

}  // namespace
}  // namespace wavesmith::golden

int main(int count, char** words) {
  try {
    return wavesmith::golden::run({words + std::min(count, 1), words + count});
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "wavesmith-golden-emitter: %s\n", error.what()));
    return static_cast<int>(wavesmith::ErrorKind::environment);
  }
}
