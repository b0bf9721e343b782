// Every operation through LLVM: the text of a kernel with all of them verifies, LLVM changes no declaration
// of it when it reads it, and each operation becomes the instruction it stands for.
#include <map>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

using ir::OpKind;

std::string every_op_text() {
  TestKernel kernel;
  build_every_op(kernel);
  return lowered(kernel);
}

TEST_CASE("every op: the text parses and verifies, and the same text comes out of a second run") {
  const std::string text = every_op_text();
  CHECK_NOTHROW(opt(text, "verify"));
  CHECK(text == every_op_text());
  CHECK(text.find("inttoptr") == std::string::npos);
  CHECK(text.find("ptrtoint") == std::string::npos);
}

TEST_CASE("every op: LLVM refuses a text with a planted fault, so the check above can fail") {
  std::string text = every_op_text();
  const std::size_t at = text.find("i16 immarg");
  REQUIRE(at != std::string::npos);
  text.replace(at, 3, "i32");
  CHECK_THROWS(opt(text, "verify"));
}

// A declaration without the attributes that LLVM adds to every intrinsic when it reads it.
std::string plain(std::string declaration) {
  declaration = std::regex_replace(declaration, std::regex(R"( #\d+$)"), "");
  return std::regex_replace(
      declaration, std::regex(R"( (noundef|readonly|writeonly|readnone|captures\(none\)|range\([^)]*\)))"),
      "");
}

std::set<std::string> declarations(const std::string& text) {
  std::set<std::string> plain_ones;
  for (const std::string& line : lines_with(text, "declare ")) plain_ones.insert(plain(line));
  return plain_ones;
}

std::set<std::string> words(const std::string& line) {
  std::set<std::string> all;
  const std::regex word(R"("[^"]*"(="[^"]*")?|[^ ]+)");
  for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) all.insert(at->str());
  return all;
}

TEST_CASE("every op: LLVM 22 upgrades and changes nothing: layout, declarations, attributes, parameters") {
  const std::string text = every_op_text();
  const std::string read = opt(text, "verify");
  CHECK(declarations(text).size() >= 25);
  CHECK(declarations(read) == declarations(text));
  for (const char* part :
       {"target datalayout", "target triple", "@lds.test_kernel = ", "define amdgpu_kernel"}) {
    CAPTURE(part);
    REQUIRE(lines_with(text, part).size() == 1);
    REQUIRE(lines_with(read, part).size() == 1);
    const std::regex number(R"([!#]\d+)");
    CHECK(std::regex_replace(lines_with(read, part)[0], number, "N") ==
          std::regex_replace(lines_with(text, part)[0], number, "N"));
  }
  // Our only attribute group is the kernel's; LLVM numbers it anew.
  std::set<std::string> ours = words(lines_with(text, "attributes #0 = ").at(0));
  ours.erase("#0");
  bool found = false;
  for (const std::string& line : lines_with(read, "attributes #")) {
    std::set<std::string> theirs = words(line);
    std::erase_if(theirs, [](const std::string& word) { return word.front() == '#'; });
    found = found || theirs == ours;
  }
  CHECK(found);
}

TEST_CASE("every op: each operation becomes the instruction that it stands for on gfx950") {
  // Written from the CDNA4 instruction set; operands are as in tests/ir_builder/every_op.cpp.
  const std::map<OpKind, std::string> instructions{
      {OpKind::add, "v_add_u32"},
      {OpKind::sub, "v_(sub|subrev)_u32"},
      {OpKind::mul, "v_mul_lo_u32"},
      {OpKind::udiv, "v_rcp_iflag_f32"},
      {OpKind::urem, "v_rcp_iflag_f32"},
      {OpKind::and_, "v_and_b32"},
      {OpKind::or_, "v_or_b32"},
      {OpKind::xor_, "v_xor_b32"},
      {OpKind::shl, R"(v_lshlrev_b32_e\d+ v\d+, s)"},
      {OpKind::lshr, R"(v_lshrrev_b32_e\d+ v\d+, s)"},
      {OpKind::ashr, R"(v_ashrrev_i32_e\d+ v\d+, s)"},
      {OpKind::smin, "v_min_i32"},
      {OpKind::smax, "v_max_i32"},
      {OpKind::umin, "v_min_u32"},
      {OpKind::umax, "v_max_u32"},
      {OpKind::icmp, "v_cmp_[gl][et]_u32"},
      {OpKind::fadd, "v_add_f32"},
      {OpKind::fsub, "v_(sub|subrev)_f32"},
      {OpKind::fmul, "v_mul_f32"},
      {OpKind::fma, "v_fma(c|)_f32"},
      {OpKind::fneg, "v_xor_b32.* 0x80000000"},
      {OpKind::fmax, "v_max_f32"},
      {OpKind::fcmp, "v_cmp_[gl][et]_f32"},
      {OpKind::exp2, "v_exp_f32"},
      {OpKind::log2, "v_log_f32"},
      {OpKind::rcp, "v_rcp_f32"},
      {OpKind::zext, "buffer_store_dwordx2"},
      {OpKind::sext, "v_ashrrev_i32.* 31"},
      {OpKind::trunc, "buffer_store_short"},
      {OpKind::fptrunc, "v_cvt_pk_bf16_f32"},
      {OpKind::fpext, "v_and_b32.* 0xffff0000"},
      {OpKind::bitcast, "buffer_store_dwordx4"},
      {OpKind::extract, "buffer_store_dword "},
      {OpKind::build, "buffer_store_dwordx3"},
      {OpKind::concat, "buffer_store_dwordx4"},
      {OpKind::slice, "buffer_store_dwordx4"},
      {OpKind::splat, "buffer_store_dwordx4"},
      {OpKind::select, "v_cndmask_b32"},
      {OpKind::workitem_id, "buffer_store_dword "},
      {OpKind::workgroup_id, R"(v_mov_b32_e32 v\d+, s)"},
      // Its sample's zero differs between lanes.
      {OpKind::load_argument, "global_load_dword "},
      {OpKind::load_constant, "s_load_dword "},
      {OpKind::readfirstlane, "v_readfirstlane_b32"},
      {OpKind::ballot, "v_cmp_[gl][et]_i32"},
      {OpKind::permlane32_swap, "v_permlane32_swap_b32"},
      {OpKind::mfma_32x32x16, "v_mfma_f32_32x32x16_bf16"},
      {OpKind::ptr_offset, "s_addc?_u32"},
      {OpKind::lds_address, "ds_read_b32 .*offset:64"},
      {OpKind::make_buffer_resource, R"(s_mov_b32 s\d+, 64)"},
      {OpKind::buffer_load, "buffer_load_dwordx2 .*offen"},
      {OpKind::buffer_store, "buffer_store_dwordx4 .*offen"},
      {OpKind::buffer_load_lds, "buffer_load_dword .*offen lds"},
      {OpKind::lds_load, "ds_read_b128"},
      {OpKind::lds_read_tr16, "ds_read_b64_tr_b16"},
      {OpKind::waitcnt, R"(s_waitcnt .*lgkmcnt\(2\))"},
      {OpKind::barrier, "s_barrier"},
      {OpKind::sched_barrier, R"(sched_barrier mask\(0x00000000\))"},
      {OpKind::sched_group_barrier, R"(sched_group_barrier mask\(0x00000008\) size\(1\) SyncID\(0\))"},
      {OpKind::set_priority, "s_setprio 1"},
      {OpKind::for_, "s_cbranch"},
      {OpKind::if_, "v_cndmask_b32|s_and_saveexec_b64"},
      {OpKind::yield, "s_cbranch"},
      {OpKind::return_, "s_cbranch"},
  };
  const auto occurrences = [](const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator());
  };
  const auto compiled = [](std::optional<OpKind> kind) {
    TestKernel kernel;
    const Operands operands(kernel);
    // Fills the pool: LLVM drops reads of an LDS that nothing writes.
    kernel.b.buffer_load_lds(operands.in, operands.lane, operands.lds, 16, ir::AliasScope::none);
    if (kind) {
      const ir::Op* sample = append_sample(kernel, operands, *kind);
      const std::vector<ir::Value> results =
          kind == OpKind::yield ? sample->parent->parent->results : sample->results;
      for (const ir::Value& result : results) store(kernel, operands, result);
    }
    kernel.b.buffer_store(operands.bf16_lane, operands.out, kernel.b.i32(0));
    const std::string text = assembly(lowered(kernel));
    return text.substr(0, text.find("s_endpgm"));
  };
  const std::string without = compiled(std::nullopt);
  for (const ir::OpInfo& op : ir::all_ops()) {
    CAPTURE(op.name);
    const auto expected = instructions.find(op.kind);
    REQUIRE(expected != instructions.end());
    const std::string with = compiled(op.kind);
    CAPTURE(with);
    CHECK(occurrences(with, expected->second) > occurrences(without, expected->second));
  }
}

TEST_CASE("every op: the fp16 forms and every width of LDS DMA compile") {
  TestKernel k;
  const Operands o(k);
  store(k, o, k.b.mfma_32x32x16(o.f16x8, o.f16x8, o.f32x16));
  for (unsigned bytes : {1U, 2U, 4U, 12U, 16U})
    k.b.buffer_load_lds(o.in, o.lane, o.lds, bytes, ir::AliasScope::dma_write);
  for (const ir::Type type : {ir::bf16, ir::f16, ir::i16})
    store(k, o, k.b.lds_read_tr16(o.lds_at, type.vector(4), ir::AliasScope::lds_read));
  store(k, o, k.b.fptrunc(o.f32_lane, ir::f16));
  store(k, o, k.b.ptr_offset(o.lds_at, o.lane));
  store(k, o, k.b.workgroup_id(0) + k.b.workgroup_id(2));
  const std::string text = assembly(lowered(k));
  for (const char* instruction : {"v_mfma_f32_32x32x16_f16", "buffer_load_ubyte", "buffer_load_ushort",
                                  "buffer_load_dwordx3", "buffer_load_dwordx4"})
    CHECK(text.find(instruction) != std::string::npos);
  CHECK(count(text, "ds_read_b64_tr_b16") == 3);
}

TEST_CASE("every op: all types that the verifier lets memory operations move compile") {
  TestKernel k;
  const Operands o(k);
  for (const ir::Type scalar : {ir::i16, ir::i32, ir::i64, ir::f16, ir::bf16, ir::f32})
    for (unsigned lanes : {1U, 2U, 3U, 4U, 8U}) {
      const ir::Type type = scalar.vector(lanes);
      const unsigned bits = ir::total_bits(type);
      if (bits > 128 || (lanes == 3 && bits != 96)) continue;
      k.b.buffer_store(k.b.buffer_load(o.in, o.lane, type), o.out, o.lane);
      k.b.buffer_store(k.b.lds_load(o.lds_at, type, 2, ir::AliasScope::lds_read), o.out, o.lane);
    }
  CHECK_NOTHROW(assembly(lowered(k)));
}

}  // namespace
}  // namespace wavesmith::lowering::testing
