// What the rows of the VALU groups share: the forms an encoding family has on gfx9, and accept sets. Which
// forms and modifiers exist is what LLVM's assembler accepts for gfx942 and gfx950.
#pragma once

#include "simulator/instruction.h"

namespace wavesmith::simulator::groups {

inline constexpr FormSet kVop3 = static_cast<FormSet>(Form::plain);
inline constexpr FormSet kVop12 = kE32E64 | Form::dpp | Form::sdwa;
/// 64-bit operations and v_fmac, which have no SDWA form.
inline constexpr FormSet kVop12NoSdwa = kE32E64 | Form::dpp;
inline constexpr FormSet kVopc = kE32E64 | Form::sdwa;
inline constexpr FormSet kVopcNoSdwa = kE32E64;

inline constexpr GfxSet kGfx950Only = static_cast<GfxSet>(Gfx::gfx950);
inline constexpr GfxSet kGfx942Only = static_cast<GfxSet>(Gfx::gfx942);

/// 32-bit integers: sext() in SDWA.
inline constexpr AcceptSet kIntegerModifiers = accepts(Accepts::sext);
inline constexpr AcceptSet kClampedInteger = Accepts::sext | Accepts::clamp;
/// Packed pairs (VOP3P).
inline constexpr AcceptSet kPackedFloat =
    Accepts::op_sel | Accepts::op_sel_hi | Accepts::neg_lo_hi | Accepts::clamp;
inline constexpr AcceptSet kPackedInteger = Accepts::op_sel | Accepts::op_sel_hi | Accepts::clamp;

}  // namespace wavesmith::simulator::groups
