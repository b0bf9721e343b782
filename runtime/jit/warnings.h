// Warnings of a cache: each is said once, through the embedding program's function or on standard error.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace wavesmith::runtime {

class Warnings {
 public:
  using Function = std::function<void(std::string_view)>;

  /// Without a function: lines on standard error.
  explicit Warnings(Function function = {}) : function_(std::move(function)) {}

  /// Says `text` unless something about `subject` was said before.
  void once(std::string_view subject, std::string_view text);

 private:
  Function function_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> said_;
};

}  // namespace wavesmith::runtime
