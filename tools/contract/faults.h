// What the lists of controls have in common: the signs that faults are found by, and small faults that are
// made by saying what changes. control.h has the types.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tools/contract/control.h"

namespace wavesmith::contract {

/// \name Signs
/// @{
inline constexpr Sign wrong_o{.gate = Gate::values, .symptom = Symptom::wrong_values, .kind = "o"};
inline constexpr Sign wrong_lse{.gate = Gate::values, .symptom = Symptom::wrong_values, .kind = "lse"};
inline constexpr Sign unwritten{.gate = Gate::footprint, .symptom = Symptom::unwritten};
inline constexpr Sign overwritten{.gate = Gate::footprint, .symptom = Symptom::overwritten};

[[nodiscard]] constexpr Sign hazard(std::string_view kind, std::string_view mnemonic,
                                    std::string_view step = {}) {
  return {.gate = Gate::values, .symptom = Symptom::hazard, .kind = kind, .mnemonic = mnemonic, .step = step};
}
[[nodiscard]] constexpr Sign fault_at(std::string_view mnemonic) {
  return {.gate = Gate::values, .symptom = Symptom::fault, .mnemonic = mnemonic};
}
/// Two workgroups store the same rows.
inline constexpr Sign stored_twice = hazard("global_race", "buffer_store", "store_o");
/// @}

/// \name In the IR
/// @{
using Rebuild = std::function<ir::Value(ir::Builder&, ir::Value old)>;

[[nodiscard]] inline Rebuild plus_i32(std::int64_t by) {
  return [by](ir::Builder&, ir::Value old) { return old + by; };
}
[[nodiscard]] inline Rebuild constant_i32(std::int64_t value) {
  return [value](ir::Builder& b, ir::Value) { return b.i32(value); };
}

enum class Which : std::uint8_t { first, last, all };

/// Rebuilds one operand of operations of a kind in a step.
[[nodiscard]] IrFault changed_operand(ir::OpKind kind, std::string_view step, std::size_t operand,
                                      Which which, Rebuild build, std::size_t expected = 0);

/// Rebuilds every use of a value in operations of a kind. Errors: there is none.
Expected<void> change_uses(const IrEditor& editor, ir::Value value, ir::OpKind kind, const Rebuild& build);

/// The bound of a loop (0: begin, 1: end, 2: step) is `by` more. Loops of the kernel in the order in which
/// they stand, an outer one before those in it; `loops`: how many there are.
struct LoopChange {
  std::size_t loop, bound;
  std::int64_t by;
};
[[nodiscard]] IrFault changed_loops(std::size_t loops, std::vector<LoopChange> changes);
/// @}

/// Instructions of the code object become s_nop: all of them, or the first.
[[nodiscard]] CodeFault removed(std::string_view mnemonic, std::string_view step, bool all,
                                std::size_t expected = 0);

/// \name In the launch
/// @{
/// One argument's value by its name; T is the type that the launcher gives it.
template <class T, class Change>
[[nodiscard]] LaunchFault changed(std::string_view name, Change change) {
  return [=](dense::Launch& launch) -> Expected<void> {
    const auto argument = std::ranges::find(launch.arguments, name, &dense::Launch::Value::name);
    T* value = argument == launch.arguments.end() ? nullptr : std::get_if<T>(&argument->value);
    if (value == nullptr) return not_applicable(fmt::format("no argument {} of that type", name));
    *value = change(*value);
    return {};
  };
}

template <class T>
[[nodiscard]] LaunchFault plus(std::string_view name, T by) {
  return changed<T>(name, [by](T old) { return static_cast<T>(old + by); });
}

/// One workgroup less along an axis, where there are more than one. A shape with one alone stays as it is:
/// there is nothing to leave out.
[[nodiscard]] LaunchFault fewer_workgroups(std::size_t axis);
/// @}

}  // namespace wavesmith::contract
