// Saying a warning once.
#include "runtime/jit/warnings.h"

#include <cstdio>

#include <fmt/format.h>

namespace wavesmith::runtime {

void Warnings::once(std::string_view subject, std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    if (!said_.emplace(subject).second) return;
  }
  if (function_)
    function_(text);
  else
    static_cast<void>(std::fputs(fmt::format("wavesmith: {}\n", text).c_str(), stderr));
}

}  // namespace wavesmith::runtime
