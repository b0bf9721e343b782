// From a request to its recipe: checks everything, chooses compiler and flavour, forms the key. What was
// resolved once is found by the request's text alone, so that a hit costs no resolving, and no worker is
// asked twice who it is.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "wavesmith/error.h"
#include "wavesmith/jit.h"

#include "generator/families.h"
#include "runtime/compiler_choice.h"
#include "runtime/jit/recipe.h"

namespace wavesmith::runtime {

class RequestResolver {
 public:
  using Choose =
      std::function<Expected<CompilerChoice>(Backend, std::string_view flavour, std::string_view target)>;
  /// The request key; ResolvedKernel::key() in every program.
  using Key = std::function<std::string(const generator::ResolvedKernel&, std::string_view flavour,
                                        std::string_view options, std::string_view compiler)>;

  explicit RequestResolver(Choose choose, Key key = own_key);

  /// Errors: invalid_request with every refused field; what choosing a compiler gives.
  [[nodiscard]] Expected<std::shared_ptr<const Recipe>> resolve(const JitRequest& request);

  /// What resolve() found for the request of this text; null when it has not.
  [[nodiscard]] std::shared_ptr<const Recipe> find(const std::string& text);

  /// Refuses what resolve() refuses of the request itself, without asking for a compiler.
  [[nodiscard]] static Expected<void> check(const JitRequest& request);

  /// Compilers may have changed: what follows asks for them again.
  void forget();

 private:
  using Chosen = std::tuple<Backend, std::string, std::string>;

  static std::string own_key(const generator::ResolvedKernel& kernel, std::string_view flavour,
                             std::string_view options, std::string_view compiler) {
    return kernel.key(flavour, options, compiler);
  }
  Expected<CompilerChoice> chosen(Backend backend, const std::string& flavour, const std::string& target);

  Choose choose_;
  Key key_;
  std::mutex recipes_mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Recipe>> recipes_;  ///< by the request's text
  std::mutex choices_mutex_;  ///< held while a compiler is asked: others have the same question
  std::map<Chosen, CompilerChoice> choices_;
};

/// Everything a request says, so that two requests have one text only if they are equal. Written to `text`,
/// whose memory is used again.
void write_request_text(const JitRequest& request, std::string& text);

}  // namespace wavesmith::runtime
