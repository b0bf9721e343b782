// The reviewed list of findings that are known (allow_list.json): what is neither a pass nor a failure of a
// kernel, but has to be seen by somebody once. parse_allow_list() reads it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::contract {

inline constexpr std::string_view allow_list_name = "allow_list.json";
inline constexpr std::string_view allow_list_schema = "wavesmith.contract.allow/1";

/// "warning": an instruction breaks a rule of the simulator, but works. "workgroups": fewer waves fit on a
/// compute unit, in whole workgroups, than were asked for. "inexact_address": an address depends on a value
/// that the simulator does not compute as the hardware does.
inline constexpr std::array<std::string_view, 3> finding_kinds{"warning", "workgroups", "inexact_address"};

/// A remark of a case.
struct Finding {
  std::string id;  ///< of the case
  std::string kind;
  std::string what;
};

/// One entry of the list: this kind of finding, of this case, is known for that reason.
struct AllowedFinding {
  std::string id;  ///< of a golden case
  std::string kind;
  std::string reason;
};

struct AllowList {
  std::vector<AllowedFinding> entries;

  [[nodiscard]] bool has(const Finding& finding) const;
};

/// `ids`: all cases there are. Errors (invalid_request): anything that is not exactly the schema, a case or a
/// kind that does not exist, an entry that stands twice, an entry without a reason. `name` is for messages.
[[nodiscard]] Expected<AllowList> parse_allow_list(std::string_view text, std::string_view name,
                                                   std::span<const std::string> ids);

}  // namespace wavesmith::contract
