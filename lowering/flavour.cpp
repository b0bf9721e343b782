// The table of flavours. Each row is what a compiler of that version was seen to read unchanged; tests
// compare with it.
#include "lowering/flavour.h"

#include <algorithm>
#include <array>

namespace wavesmith::lowering {
namespace {

constexpr std::array flavours{
    Flavour{.name = "llvm22",
            .llvm_major = 22,
            .data_layout =
                "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-"
                "p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-"
                "v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9",
            .num_records_type = "i64",
            .buffer_rsrc_suffix = "p8.p1",
            .uniform_workgroup = R"("uniform-work-group-size"="true")",
            .flush_f32_denormals = R"("denormal-fp-math-f32"="preserve-sign,preserve-sign")"},
};

}  // namespace

const Flavour* find_flavour(std::string_view name) {
  const auto row = std::ranges::find(flavours, name, &Flavour::name);
  return row == flavours.end() ? nullptr : &*row;
}

std::span<const Flavour> all_flavours() {
  return flavours;
}

std::string flavour_names() {
  std::string names;
  for (const Flavour& flavour : flavours) {
    if (!names.empty()) names += ", ";
    names += flavour.name;
  }
  return names;
}

}  // namespace wavesmith::lowering
