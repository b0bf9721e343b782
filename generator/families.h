// Kernel families behind one interface, for the command line, the goldens and the runtime. A family never
// selects itself: the caller names it, and resolve() answers with a kernel or with all reasons why not.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wavesmith/error.h"

#include "generator/fields.h"
#include "lowering/lower.h"
#include "lowering/target.h"

namespace wavesmith::generator {

namespace attention_dense {
struct Plan;
}

/// A request that has been checked and resolved; immutable, may be shared between threads.
class ResolvedKernel {
 public:
  virtual ~ResolvedKernel() = default;
  [[nodiscard]] virtual const std::string& symbol() const = 0;
  [[nodiscard]] virtual const lowering::TargetId& target() const = 0;
  /// Canonical spec: every field's name and value, in order.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> spec() const = 0;
  [[nodiscard]] virtual std::string explain() const = 0;
  /// The same kernel under another name. Errors: those of check_symbol().
  [[nodiscard]] virtual Expected<std::unique_ptr<ResolvedKernel>> with_symbol(
      std::string_view symbol) const = 0;
  [[nodiscard]] virtual Expected<std::string> emit(const lowering::Flavour& flavour,
                                                   const lowering::LowerOptions& options) const = 0;
  /// Identity of the code object that these inputs give (SHA-256, hexadecimal).
  [[nodiscard]] virtual std::string key(std::string_view flavour, std::string_view options,
                                        std::string_view compiler) const = 0;
};

class Family {
 public:
  virtual ~Family() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< "attention-dense"
  [[nodiscard]] virtual std::string_view meaning() const = 0;
  [[nodiscard]] virtual std::vector<FieldInfo> fields() const = 0;
  /// Processors that the family is built for.
  [[nodiscard]] virtual std::vector<std::string> targets() const = 0;
  /// `preset`: empty, or a name in presets(); it sets fields first, and `fields` override it.
  [[nodiscard]] virtual Expected<std::unique_ptr<ResolvedKernel>> resolve(
      const FieldTexts& fields, std::string_view preset, const lowering::TargetId& target) const = 0;
  [[nodiscard]] virtual std::vector<std::string> presets() const = 0;
  /// Whether resolve(), emit() and compiling succeed; a pure query. Errors: all reasons why not.
  [[nodiscard]] Expected<void> supports(const FieldTexts& fields, std::string_view preset,
                                        const lowering::TargetId& target) const;
};

/// Refuses a name that is not a C identifier of at most 255 characters.
[[nodiscard]] Expected<void> check_symbol(std::string_view symbol);

/// The Plan behind a kernel of attention-dense, with its symbol. Errors: the kernel is of another family.
[[nodiscard]] Expected<attention_dense::Plan> plan_of(const ResolvedKernel& kernel);

[[nodiscard]] std::span<const Family* const> families();
[[nodiscard]] const Family* find_family(std::string_view name);

}  // namespace wavesmith::generator
