// The table of flavours. Each row but llvm20's is what a compiler of that version was seen to read unchanged;
// tests/compilers compares it with the compilers themselves.
#include "lowering/flavour.h"

#include <algorithm>
#include <array>

namespace wavesmith::lowering {
namespace {

// Attributes of functions. LLVM 23 still reads the older spelling of the first and upgrades it, but in text
// it takes the second for an unknown attribute and lets the kernel keep denormals. In LLVM 22 and before, the
// attribute without a value means false.
constexpr std::string_view uniform_with_value = R"("uniform-work-group-size"="true")",
                           uniform_without_value = R"("uniform-work-group-size")",
                           denormals_as_string = R"("denormal-fp-math-f32"="preserve-sign,preserve-sign")",
                           denormals_as_attribute = "denormal_fpenv(float: preservesign)";

// LLVM 22 and 23 have the same: with ELF mangling ("m:e"), which LLVM 21's lacks.
constexpr std::string_view layout_with_mangling =
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-"
    "p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-"
    "v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9";

constexpr std::array flavours{
    // Nothing that installs on Debian has LLVM 20, so its row follows what is published: ROCm 7.0's data
    // layout
    // (a buffer descriptor has no index width before LLVM 21) and the intrinsic before its result was
    // overloaded
    // (LLVM change 126828).
    Flavour{.name = "llvm20",
            .llvm_major = 20,
            .data_layout =
                "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-"
                "p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-"
                "v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9",
            .num_records_type = "i32",
            .buffer_rsrc_suffix = "p1",
            .uniform_workgroup = uniform_with_value,
            .flush_f32_denormals = denormals_as_string,
            .verified_with = ""},
    Flavour{.name = "llvm21",
            .llvm_major = 21,
            .data_layout =
                "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-"
                "p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-"
                "v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9",
            .num_records_type = "i32",
            .buffer_rsrc_suffix = "p8.p1",
            .uniform_workgroup = uniform_with_value,
            .flush_f32_denormals = denormals_as_string,
            .verified_with = "LLVM 21.1.8; comgr 7.0.2 on LLVM 21.1.8"},
    Flavour{.name = "llvm22",
            .llvm_major = 22,
            .data_layout = layout_with_mangling,
            .num_records_type = "i64",
            .buffer_rsrc_suffix = "p8.p1",
            .uniform_workgroup = uniform_with_value,
            .flush_f32_denormals = denormals_as_string,
            .verified_with = "LLVM 22.1.8; comgr 7.2.4 on LLVM 22.1.8"},
    Flavour{.name = "llvm23",
            .llvm_major = 23,
            .data_layout = layout_with_mangling,
            .num_records_type = "i64",
            .buffer_rsrc_suffix = "p8.p1",
            .uniform_workgroup = uniform_without_value,
            .flush_f32_denormals = denormals_as_attribute,
            .verified_with = "LLVM 23.1.4"},
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
