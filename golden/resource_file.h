// The golden file of resources (resources.json): what each compiler's code object of each case needs of the
// machine. parse_resources() and resources_text() are inverse. resource_check.h compares.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "wavesmith/error.h"

namespace wavesmith::golden {

inline constexpr std::string_view resource_file_name = "resources.json";
inline constexpr std::string_view resource_schema = "wavesmith.golden.resources/1";

/// Of one kernel.
struct Resources {
  std::uint64_t vgpr = 0;  ///< accumulation registers included where they share the file
  std::uint64_t agpr = 0;
  std::uint64_t sgpr = 0;
  std::uint64_t vgpr_spills = 0;
  std::uint64_t sgpr_spills = 0;
  std::uint64_t lds_bytes = 0;      ///< of a workgroup
  std::uint64_t scratch_bytes = 0;  ///< of a work-item
  std::map<std::string, std::uint64_t, std::less<>> instructions =
      {};  ///< start of a mnemonic -> count; none: 0

  friend bool operator==(const Resources&, const Resources&) = default;
};

/// The counts by their names in the file, in the order of a table.
inline constexpr std::array<std::pair<std::string_view, std::uint64_t Resources::*>, 7> resource_fields{
    {{"vgpr", &Resources::vgpr},
     {"agpr", &Resources::agpr},
     {"sgpr", &Resources::sgpr},
     {"vgpr_spills", &Resources::vgpr_spills},
     {"sgpr_spills", &Resources::sgpr_spills},
     {"lds_bytes", &Resources::lds_bytes},
     {"scratch_bytes", &Resources::scratch_bytes}}};

/// How far registers may move before it counts as a failure. The file states it; these are the values of a
/// new file. VGPRs are given out in blocks of 8 and a kernel here is limited by them, so half a block; spare
/// SGPRs cost nothing.
struct Slack {
  std::uint64_t vgpr = 4;
  std::uint64_t agpr = 0;
  std::uint64_t sgpr = 8;

  friend bool operator==(const Slack&, const Slack&) = default;
};

using ResourceEntries = std::map<std::string, Resources, std::less<>>;  ///< by case id

struct ResourceGoldens {
  std::map<std::string, ResourceEntries, std::less<>> compilers;  ///< by compiler, "LLVM 22.1.8 (llvm)"
  Slack slack;
};

/// Errors (check_failed): anything that is not exactly the schema, with its place. `name` is for messages.
[[nodiscard]] Expected<ResourceGoldens> parse_resources(std::string_view text, std::string_view name);

/// Sorted keys, two spaces, trailing newline.
[[nodiscard]] std::string resources_text(const ResourceGoldens& goldens);

}  // namespace wavesmith::golden
