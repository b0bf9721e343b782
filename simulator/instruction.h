// A decoded instruction, as compact as the inner loop wants it, and the rows that say which instructions
// exist. decoder.h makes Instructions out of a code object; groups/ holds the rows and the handlers they
// name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "simulator/target.h"

namespace wavesmith::simulator {

struct Wave;
struct Instruction;

/// Executes one instruction for all lanes of one wave. It never throws; what goes wrong goes to Wave::fail.
using Handler = void (*)(Wave&, const Instruction&);

/// The same handler compiled for any CPU and for x86-64-v3. Both give the same bits; tests run both.
struct Handlers {
  Handler plain = nullptr;
  Handler wide = nullptr;  ///< may equal plain where the CPU's vector width does not matter
};

/// How an instruction is encoded or addressed: with the mnemonic it is what a row implements and coverage
/// counts.
enum class Form : std::uint32_t {
  plain = 1u << 0,        ///< only one encoding: SALU, VOP3-only, VOP3P, DS, MFMA
  e32 = 1u << 1,          ///< 32-bit VOP1/VOP2/VOPC
  e64 = 1u << 2,          ///< the same operation as VOP3
  dpp = 1u << 3,          ///< DPP16 on the 32-bit encoding
  e64_dpp = 1u << 4,      ///< DPP16 on VOP3 (gfx11 and later)
  dpp8 = 1u << 5,         ///< DPP8 (gfx10 and later)
  e64_dpp8 = 1u << 6,     ///< DPP8 on VOP3
  sdwa = 1u << 7,         ///< SDWA (gfx9)
  imm = 1u << 8,          ///< SMEM: immediate offset
  sgpr = 1u << 9,         ///< SMEM: offset in an SGPR
  sgpr_imm = 1u << 10,    ///< SMEM: both
  vaddr = 1u << 11,       ///< GLOBAL, FLAT: 64-bit address in VGPRs. SCRATCH: VGPR offset only (SV)
  saddr = 1u << 12,       ///< GLOBAL: SGPR base and VGPR offset. SCRATCH: SGPR only (SS)
  svs = 1u << 13,         ///< SCRATCH: VGPR and SGPR
  st = 1u << 14,          ///< SCRATCH: immediate only
  offset = 1u << 15,      ///< MUBUF: no VGPR address
  offen = 1u << 16,       ///< MUBUF: VGPR offset
  idxen = 1u << 17,       ///< MUBUF: VGPR index
  bothen = 1u << 18,      ///< MUBUF: VGPR index and offset
  lds_offset = 1u << 19,  ///< MUBUF to LDS, the four address forms
  lds_offen = 1u << 20,
  lds_idxen = 1u << 21,
  lds_bothen = 1u << 22,
  vaddr_return = 1u << 23,  ///< atomics that return the old value, by their address forms
  saddr_return = 1u << 24,
  offset_return = 1u << 25,
  offen_return = 1u << 26,
  idxen_return = 1u << 27,
  bothen_return = 1u << 28,
};

using FormSet = std::uint32_t;
constexpr FormSet operator|(Form a, Form b) {
  return static_cast<FormSet>(a) | static_cast<FormSet>(b);
}
constexpr FormSet operator|(FormSet a, Form b) {
  return a | static_cast<FormSet>(b);
}
constexpr bool contains(FormSet set, Form form) {
  return (set & static_cast<FormSet>(form)) != 0;
}
std::string_view name(Form form);

/// The forms of one operation that share a handler.
inline constexpr FormSet kE32E64 = Form::e32 | Form::e64;
inline constexpr FormSet kGlobalForms = Form::vaddr | Form::saddr;
inline constexpr FormSet kScratchForms = Form::vaddr | Form::saddr | Form::svs | Form::st;
inline constexpr FormSet kBufferForms = Form::offset | Form::offen | Form::idxen | Form::bothen;
inline constexpr FormSet kBufferLdsForms =
    Form::lds_offset | Form::lds_offen | Form::lds_idxen | Form::lds_bothen;
inline constexpr FormSet kGlobalReturnForms = Form::vaddr_return | Form::saddr_return;
inline constexpr FormSet kBufferReturnForms =
    Form::offset_return | Form::offen_return | Form::idxen_return | Form::bothen_return;
inline constexpr FormSet kScalarLoadForms = Form::imm | Form::sgpr | Form::sgpr_imm;

/// Modifiers a row's handler honours. A modifier in the text that the row does not accept is a decode error.
enum class Accepts : std::uint32_t {
  none = 0,
  neg = 1u << 0,  ///< -x, neg(x)
  abs = 1u << 1,  ///< |x|
  clamp = 1u << 2,
  omod = 1u << 3,  ///< mul:2 mul:4 div:2
  op_sel = 1u << 4,
  op_sel_hi = 1u << 5,
  neg_lo_hi = 1u << 6,
  cache = 1u << 7,     ///< sc0 sc1 nt glc slc dlc th: scope: (no effect on values of plain loads and stores)
  offset = 1u << 8,    ///< offset:n
  offset01 = 1u << 9,  ///< offset0:n offset1:n
  mfma = 1u << 10,     ///< cbsz abid blgp
  bitop3 = 1u << 11,
  sext = 1u << 12,               ///< sext(x) of SDWA
  high_half = 1u << 13,          ///< v1.h of true16
  vector_memory_out = 1u << 14,  ///< tfe, lwe: no row accepts them, so the decoder refuses them
  gds = 1u << 15,
};
using AcceptSet = std::uint32_t;
constexpr AcceptSet operator|(Accepts a, Accepts b) {
  return static_cast<AcceptSet>(a) | static_cast<AcceptSet>(b);
}
constexpr AcceptSet operator|(AcceptSet a, Accepts b) {
  return a | static_cast<AcceptSet>(b);
}
constexpr AcceptSet accepts(Accepts a) {
  return static_cast<AcceptSet>(a);
}

/// Sets that most rows use. F32 in VOP3 form; the 32-bit encodings have no modifiers, so one set serves both.
inline constexpr AcceptSet kNoModifiers = 0;
inline constexpr AcceptSet kFloatModifiers = Accepts::neg | Accepts::abs | Accepts::clamp | Accepts::omod;
inline constexpr AcceptSet kFloatInputModifiers = Accepts::neg | Accepts::abs;
inline constexpr AcceptSet kVectorMemory = Accepts::cache | Accepts::offset;

/// Which part of the machine an instruction keeps busy; counters and the cost table are by unit.
enum class Unit : std::uint8_t {
  salu,
  smem,
  branch,
  valu,
  trans,
  mfma,
  vmem_load,
  vmem_store,
  lds,
  wait,
  other
};
std::string_view name(Unit unit);

/// What the machinery around a handler has to know about an instruction.
enum class Trait : std::uint16_t {
  none = 0,
  branch = 1u << 0,          ///< conditional branch: the target and the next instruction are reachable
  jump = 1u << 1,            ///< unconditional branch: only the target is
  end = 1u << 2,             ///< ends the wave
  indirect = 1u << 3,        ///< continues at an address in a register
  call = 1u << 4,            ///< s_call_b64: target and next instruction are reachable
  packed = 1u << 5,          ///< op_sel_hi is all ones where the text does not print it
  ordered_global = 1u << 6,  ///< global atomic: the kernel's workgroups run one after the other (determinism)
  wait = 1u << 7,            ///< a point where some schedules change the wave
  reads_destination =
      1u << 8,  ///< a destination's old value is an input (v_fmac, swaps); for hazard detection
};
using TraitSet = std::uint16_t;
constexpr TraitSet traits(Trait a) {
  return static_cast<TraitSet>(a);
}
constexpr TraitSet operator|(Trait a, Trait b) {
  return static_cast<TraitSet>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// One implemented operation: a mnemonic as the disassembler prints it (without _e32, _e64, _dpp, _sdwa), the
/// forms its handler serves, and its operands. `operands` is a list of types in the order of the text,
/// destinations before the equals sign: "f32 = f32 f32", "u32 mask = u32 u32", "= any b32" for a store. The
/// types are those of OperandType. The decoder checks the text against it and resolves constants by it.
struct Row {
  std::string_view mnemonic;
  FormSet forms = static_cast<FormSet>(Form::plain);
  std::string_view operands;
  Handlers handlers;
  Unit unit = Unit::other;
  AcceptSet accepted = kNoModifiers;
  TraitSet traits = 0;
  GfxSet targets = kEveryTarget;
};

constexpr Handlers same(Handler handler) {
  return {handler, handler};
}

/// What an operand is, to check its width and give a constant its bits. The spelling in Row::operands is the
/// name here.
enum class OperandType : std::uint8_t {
  b32,
  u32,
  i32,
  f32,  ///< one dword; floating inline constants are f32
  b64,
  u64,
  i64,
  f64,    ///< two dwords; a literal is zero-extended, sign-extended (i64) or the high dword (f64)
  v2f32,  ///< two dwords; a constant is one f32 (the high half is chosen by op_sel_hi)
  b16,
  f16,
  bf16,  ///< one dword of which 16 bits count; floating inline constants have that type
  v2f16,
  v2bf16,  ///< a packed pair; a floating constant is in the low half
  b96,
  b128,
  b192,
  b256,
  b512,
  b1024,  ///< data of three and more dwords
  mask,   ///< a lane mask: two dwords in wave64, one in wave32
  any,    ///< an address or data operand of whatever width the text shows; `off` is allowed
  skip,   ///< text the handler takes from simm16 instead: counters, hwreg, branch distances
};

/// Where a value comes from or goes to.
enum class OperandKind : std::uint8_t {
  none,
  vector,    ///< row of the register file (VGPR, or AGPR after the accumulation offset is added)
  scalar,    ///< index into Wave::scalar: SGPR, VCC, TTMP, M0, EXEC, flat_scratch, xnack_mask
  special,   ///< SpecialRegister in `reg`
  constant,  ///< `value`
  off,       ///< the text said "off"
};

enum class SpecialRegister : std::uint16_t { scc, vccz, execz };

struct Operand {
  OperandKind kind = OperandKind::none;
  OperandType type = OperandType::b32;
  std::uint8_t width = 0;  ///< dwords
  bool neg = false;
  bool abs = false;
  bool sext = false;
  bool high_half = false;    ///< v1.h
  bool accumulator = false;  ///< written as an AGPR; `reg` is already the row
  bool direct = false;  ///< a vector whose lanes can be read in place: no modifier, DPP or SDWA touches it
  std::uint16_t reg = 0;
  std::uint64_t value = 0;
};

/// SDWA selects as encoded: 0-3 byte, 4-5 word, 6 dword. dst_unused: 0 pad, 1 sign-extend, 2 preserve.
struct Sdwa {
  std::uint8_t dst_sel = 6, dst_unused = 0, src0_sel = 6, src1_sel = 6;
};

/// DPP as encoded (isa tables: dpp_ctrl).
struct Dpp {
  std::uint16_t ctrl = 0;
  std::uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false, fetch_inactive = false;
  std::uint32_t dpp8 = 0;  ///< eight 3-bit selects
};

struct Modifiers {
  std::int32_t offset = 0;
  std::uint8_t offset0 = 0, offset1 = 0;
  std::uint8_t op_sel = 0, op_sel_hi = 0;  ///< bit i belongs to source i; bit 3 of op_sel to the destination
  std::uint8_t neg_lo = 0, neg_hi = 0;
  std::uint8_t cbsz = 0, abid = 0, blgp = 0;
  std::uint8_t bitop3 = 0;
  std::uint8_t omod = 0;  ///< 0 none, 1 times 2, 2 times 4, 3 divided by 2
  bool clamp = false;
  bool offen = false, idxen = false, lds = false, gds = false;
  bool sc0 = false, sc1 = false, nt = false;  ///< glc, slc and dlc of gfx10+ land in sc0, nt and sc1
  bool return_value = false;                  ///< atomics: sc0, glc or TH_ATOMIC_RETURN
  Dpp dpp;
  Sdwa sdwa;
};

inline constexpr std::size_t kMaxOperands = 6;
inline constexpr std::uint32_t kNoTarget = 0xffffffffu;

struct Instruction {
  Handler handler = nullptr;
  const Row* row = nullptr;
  std::uint64_t pc = 0;
  std::uint32_t index = 0;           ///< position in Program::code; the next one is index + 1
  std::uint32_t target = kNoTarget;  ///< index of the branch target
  std::uint16_t simm16 = 0;          ///< low half of the first word, for SOPP and SOPK
  std::uint8_t size = 0;             ///< bytes
  std::uint8_t operand_count = 0;
  std::uint8_t destinations = 0;  ///< operands[destinations] is source 0
  Form form = Form::plain;
  bool has_dpp = false, has_sdwa = false;
  bool plain_output = true;   ///< no clamp, omod, dpp, sdwa, destination half: results go straight to the row
  std::uint32_t literal = 0;  ///< second word, for instructions whose literal is not an operand
  std::array<Operand, kMaxOperands> operands{};
  Modifiers modifiers;
};

}  // namespace wavesmith::simulator
