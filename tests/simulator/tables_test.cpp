// The simulator's own tables: instruction rows, LDS phases and costs are complete and unambiguous. The
// decoder's view of operand text is checked on lines as LLVM prints them.
#include <bit>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "simulator/assembly_text.h"
#include "simulator/cost_table.h"
#include "simulator/decoder.h"
#include "simulator/lds_phase_table.h"
#include "simulator/registry.h"
#include "simulator/wave.h"

using namespace wavesmith::simulator;

namespace {

constexpr Gfx kProcessors[] = {Gfx::gfx942,  Gfx::gfx950,  Gfx::gfx1030,
                               Gfx::gfx1100, Gfx::gfx1151, Gfx::gfx1201};

Instruction decoded(std::string_view line) {
  const auto instruction = decode_line(line, 0, 0, *find_processor("gfx950"), 64);
  INFO(line);
  REQUIRE(instruction);
  return *instruction;
}

}  // namespace

TEST_CASE("every mnemonic has one row for each form and processor, with operands that can be parsed") {
  std::set<std::tuple<std::string_view, FormSet, GfxSet>> seen;
  for (const Row* row : all_rows()) {
    INFO(row->mnemonic);
    CHECK(row->handlers.plain != nullptr);
    CHECK(row->handlers.wide != nullptr);
    CHECK(row->forms != 0);
    CHECK(row->targets != 0);
    const auto types = parse_types(row->operands);
    REQUIRE(types);
    CHECK(types->types.size() <= kMaxOperands);
    for (FormSet forms = row->forms; forms != 0; forms &= forms - 1) {
      for (const Gfx gfx : kProcessors) {
        if ((row->targets & static_cast<GfxSet>(gfx)) == 0) continue;
        CHECK(seen.emplace(row->mnemonic, forms & ~(forms - 1), static_cast<GfxSet>(gfx)).second);
      }
    }
  }
  CHECK(find_row("s_no_such_instruction", Form::plain, Gfx::gfx950) == nullptr);
}

TEST_CASE("the phases of every LDS access cover each lane once") {
  for (const LdsPhaseRow& row : lds_phase_rows()) {
    std::uint64_t covered = 0;
    int lanes = 0;
    for (const std::uint64_t phase : row.phases) {
      covered |= phase;
      lanes += std::popcount(phase);
    }
    CHECK(covered == ~std::uint64_t{0});
    CHECK(lanes == 64);
    CHECK((row.banks == 32 || row.banks == 64));
    CHECK(!row.source.empty());
  }
}

TEST_CASE("every unit of every processor has a cost with a source") {
  for (const Gfx gfx : kProcessors) {
    for (const Unit unit : {Unit::salu, Unit::smem, Unit::branch, Unit::valu, Unit::trans, Unit::mfma,
                            Unit::vmem_load, Unit::vmem_store, Unit::lds, Unit::wait, Unit::other}) {
      const CostRow& row = cost_of(gfx, unit, "an_instruction");
      CHECK(row.unit == unit);
      CHECK((row.targets & static_cast<GfxSet>(gfx)) != 0);
      CHECK(!row.source.empty());
    }
  }
  CHECK(cost_of(Gfx::gfx950, Unit::mfma, "v_mfma_f32_32x32x16_bf16").cycles == 32);
  CHECK(cost_of(Gfx::gfx950, Unit::mfma, "v_mfma_f32_16x16x32_f16").cycles == 16);
  CHECK(cost_of(Gfx::gfx942, Unit::trans, "v_exp_f32").cycles == 16);
}

TEST_CASE("lines of disassembly are taken apart") {
  CHECK(split_line("v_add_f32_e64 v2, -v0, |v1| clamp mul:2").mnemonic == "v_add_f32");
  CHECK(split_line("v_add_f32_e64 v2, -v0, |v1| clamp mul:2").form == Form::e64);
  CHECK(split_line("v_mov_b32_dpp v2, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf").form == Form::dpp);
  CHECK(split_line("v_add_f32_e64_dpp v1, v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf").form ==
        Form::e64_dpp);
  CHECK(split_line("v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]").form == Form::dpp8);
  CHECK(split_line("v_mov_b32_sdwa v2, v0 dst_sel:DWORD").form == Form::sdwa);
  CHECK(split_line("global_load_dword v1, v[2:3], off offset:16 sc0").form == Form::vaddr);
  CHECK(split_line("global_load_dword v1, v2, s[2:3] offset:-16").form == Form::saddr);
  CHECK(split_line("global_load_lds_dwordx4 v[2:3], off").form == Form::vaddr);
  CHECK(split_line("flat_load_dword v0, v[2:3]").form == Form::vaddr);
  CHECK(split_line("scratch_load_dword v0, off, s1 offset:4").form == Form::saddr);
  CHECK(split_line("scratch_load_dword v0, v1, off").form == Form::vaddr);
  CHECK(split_line("scratch_load_dword v0, v1, s2 offset:8").form == Form::svs);
  CHECK(split_line("scratch_load_dword v0, off, off offset:8").form == Form::st);
  CHECK(split_line("scratch_store_dword off, v0, s1").form == Form::saddr);
  CHECK(split_line("scratch_store_dword off, v0, off").form == Form::st);
  CHECK(split_line("buffer_load_dword v1, v2, s[4:7], s0 offen offset:16").form == Form::offen);
  CHECK(split_line("buffer_load_dword v1, v[2:3], s[4:7], 0 idxen offen").form == Form::bothen);
  CHECK(split_line("buffer_load_dword v1, v2, s[4:7], 0 idxen").form == Form::idxen);
  CHECK(split_line("buffer_store_dword v1, off, s[4:7], s3 offset:4").form == Form::offset);
  CHECK(split_line("buffer_load_dword off, s[4:7], s3 offset:4 lds").form == Form::lds_offset);
  CHECK(split_line("buffer_load_dwordx4 v2, s[4:7], 0 offen lds").form == Form::lds_offen);
  CHECK(split_line("buffer_inv sc1").form == Form::plain);
  CHECK(split_line("s_load_dword s0, s[4:5], s6 offset:0x10").form == Form::sgpr_imm);

  const Instruction add = decoded("v_add_f32_e64 v2, -v0, |v1| clamp mul:4");
  CHECK(add.destinations == 1);
  CHECK(add.operands[1].neg);
  CHECK(!add.operands[1].direct);
  CHECK(add.operands[2].abs);
  CHECK(add.modifiers.omod == 2);
  CHECK(add.modifiers.clamp);
  CHECK(!add.plain_output);
  const Instruction move = decoded("v_mov_b32_dpp v2, v0 row_shr:3 row_mask:0xa bank_mask:0x5 bound_ctrl:1");
  CHECK(move.modifiers.dpp.ctrl == 0x113);
  CHECK(move.modifiers.dpp.row_mask == 0xa);
  CHECK(move.modifiers.dpp.bank_mask == 0x5);
  CHECK(move.modifiers.dpp.bound_ctrl);
  const Instruction select =
      decoded("v_mov_b32_sdwa v2, sext(v0) dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3");
  CHECK(select.operands[1].sext);
  CHECK(select.modifiers.sdwa.dst_sel == 5);
  CHECK(select.modifiers.sdwa.dst_unused == 2);
  CHECK(select.modifiers.sdwa.src0_sel == 3);
  const Instruction logic = decoded("s_and_b64 vcc, exec, s[2:3]");
  CHECK(logic.operands[0].reg == kVcc);
  CHECK(logic.operands[1].reg == kExec);
}

TEST_CASE("constants have the bits of their operand's type") {
  const OperandContext context{find_processor("gfx950"), 64, false};
  const auto bits = [&](const char* text, OperandType type) {
    const auto operand = parse_operand(text, type, context);
    INFO(text);
    REQUIRE(operand);
    return operand->value;
  };
  using enum OperandType;
  CHECK(bits("1.0", f32) == 0x3f800000);
  CHECK(bits("-0.5", f16) == 0xb800);
  CHECK(bits("2.0", bf16) == 0x4000);
  CHECK(bits("4.0", f64) == 0x4010000000000000);
  CHECK(bits("0.15915494309189532", f64) == 0x3fc45f306dc9c882);
  CHECK(bits("0.15915494", f16) == 0x3118);
  CHECK(bits("-1", u32) == 0xffffffff);
  CHECK(bits("-1", u64) == 0xffffffffffffffff);
  CHECK(bits("0xfffffff0", u64) == 0xfffffff0);
  CHECK(bits("0xfffffff0", i64) == 0xfffffffffffffff0);
  CHECK(bits("0x3ff00000", f64) == 0x3ff0000000000000);
  CHECK(bits("lit(0x3)", f32) == 3);
  CHECK(!parse_operand("1.0", b16, context));  // 16-bit integers have no floating inline constants
  CHECK(!parse_operand("3.0", f32, context));
  CHECK(!parse_operand("s[102:103]", b64, context));
  CHECK(!parse_operand("v[254:257]", b128, context));
  CHECK(!parse_operand("lds_direct", b32, context));
}
