// The module around a kernel: data layout, what is asked of the hardware's set-up, parameters, LDS, names,
// and what lower() refuses.
#include <algorithm>
#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using ir::Builder;
using ir::Value;

TEST_CASE("module: the data layout is the one clang gives gfx950") {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("empty.c"), "");
  const std::string clang =
      test::run(fmt::format("{} --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib -S -emit-llvm {} -o -",
                            WAVESMITH_CLANG, folder.file("empty.c")));
  TestKernel k;
  const std::string text = lowered(k);
  CHECK(lines_with(text, "target datalayout") == lines_with(clang, "target datalayout"));
  CHECK(lines_with(text, "target triple") == lines_with(clang, "target triple"));
  CHECK(lines_with(text, "target ").size() == 2);
}

std::string descriptor(ir::KernelAttributes attributes, const LowerOptions& options = {}) {
  TestKernel k;
  k.b.kernel().attributes = attributes;
  const Operands o(k);
  store(k, o, o.f32_lane + k.x);
  return assembly(lowered(k, options));
}

TEST_CASE("module: what the kernel asks of the hardware reaches the kernel descriptor") {
  const std::string plain = descriptor({.workgroup_size = 256, .waves_per_eu = 2});
  CHECK_THAT(plain, ContainsSubstring(
                        ".amdhsa_float_denorm_mode_32 3"));  // AMDGPUUsage: 3 keeps, 0 flushes both ways
  CHECK_THAT(plain, ContainsSubstring(".amdhsa_ieee_mode 1"));
  CHECK_THAT(plain, ContainsSubstring(".max_flat_workgroup_size: 256"));
  CHECK_THAT(plain, ContainsSubstring(".amdhsa_float_round_mode_32 0"));
  const std::string asked = descriptor({.workgroup_size = 512,
                                        .waves_per_eu = 2,
                                        .f32_denormals = ir::DenormalMode::flush,
                                        .ieee_mode = false});
  CHECK_THAT(asked, ContainsSubstring(".amdhsa_float_denorm_mode_32 0"));
  CHECK_THAT(asked, ContainsSubstring(".amdhsa_ieee_mode 0"));
  CHECK_THAT(asked, ContainsSubstring(".max_flat_workgroup_size: 512"));
  // Every workgroup is full, so no code asks whether its own is.
  CHECK_THAT(asked, ContainsSubstring(".uniform_work_group_size: 1"));
  CHECK_THAT(asked, ContainsSubstring(".reqd_workgroup_size:\n      - 512\n      - 1\n      - 1"));
}

TEST_CASE("module: the number of waves that must fit bounds the registers") {
  // gfx950 has 512 vector registers a SIMD, of which a wave has 512 / waves: 8 waves leave 64.
  const auto next_free = [](unsigned waves) {
    TestKernel k;
    k.b.kernel().attributes.waves_per_eu = waves;
    const Operands o(k);
    std::vector<Value> sums;
    for (unsigned i = 0; i < 8; ++i)
      sums.push_back(k.b.buffer_load(o.in, o.lane + i * 16, ir::f32.vector(4)));
    std::vector<Value> accs;
    for (const Value& value : sums)
      accs.push_back(k.b.mfma_32x32x16(k.b.bitcast(value, ir::bf16.vector(8)), o.bf16x8, o.f32x16));
    for (const Value& acc : accs) store(k, o, acc);
    const std::string text = assembly(lowered(k));
    const std::string key = ".vgpr_count:";
    return std::stoi(text.substr(text.find(key) + key.size()));
  };
  CHECK(next_free(8) <= 64);
  CHECK(next_free(2) <= 256);
  CHECK(next_free(2) > 64);  // what the kernel takes when it may
}

TEST_CASE("module: the code object version is the one asked for") {
  for (const auto& [version, abi] : {std::pair{5U, 3}, {6U, 4}}) {  // e_ident[EI_ABIVERSION], AMDGPUUsage
    const test::TemporaryFolder folder;
    TestKernel k;
    test::write_bytes(folder.file("k.hsaco"),
                      test::compile_with_llc(lowered(k, {.code_object_version = version}), "gfx950"));
    CHECK_THAT(test::run(fmt::format("{} -h {}", WAVESMITH_READELF, folder.file("k.hsaco"))),
               ContainsSubstring(fmt::format("ABI Version:                       {}", abi)));
  }
}

TEST_CASE("module: parameters carry their promises") {
  TestKernel k;
  k.b.parameter(ir::global_ptr, "bytes", "unaligned", 1);
  const std::string text = lowered(k);
  CHECK_THAT(text, ContainsSubstring("(ptr addrspace(1) noalias readonly align 16 %source, "
                                     "ptr addrspace(1) noalias writeonly align 16 %target, "
                                     "i32 %count, i64 %wide, float %x, "
                                     "ptr addrspace(1) noalias readonly align 1 %bytes)"));
}

TEST_CASE("module: LDS is one pool of the kernel's size, and no pool is declared without LDS") {
  TestKernel with;
  CHECK(lines_with(lowered(with), "addrspace(3) global") ==
        std::vector<std::string>{
            "@lds.test_kernel = internal unnamed_addr addrspace(3) global [4096 x i8] poison, align 16"});
  TestKernel without;
  without.b.kernel().set_lds_bytes(0);
  CHECK(lines_with(lowered(without), "addrspace(3)").empty());
}

TEST_CASE("module: LDS addresses come from the pool by offsets alone") {
  TestKernel k;
  const Operands o(k);
  store(k, o,
        k.b.lds_load(k.b.ptr_offset(k.b.lds_address(256), o.lane), ir::i32, 4, ir::AliasScope::lds_read));
  const std::string text = lowered(k);
  CHECK_THAT(text,
             ContainsSubstring("getelementptr inbounds i8, ptr addrspace(3) @lds.test_kernel, i32 256"));
  CHECK_THAT(text, ContainsSubstring("getelementptr inbounds i8, ptr addrspace(3) %lds, i32 %tid"));
  CHECK(text.find("inttoptr") == std::string::npos);
}

TEST_CASE("module: operands evaluated in the opposite order, and dead operations, give the same text") {
  const auto text = [](bool swapped, bool dead) {
    TestKernel k;
    const Operands o(k);
    Value a, c;
    if (swapped) c = o.lane * 12;
    a = o.lane + 5;
    if (!swapped) c = o.lane * 12;
    if (dead) k.b.exp2(k.b.bitcast(a + c, ir::f32));
    store(k, o, a - c);
    return lowered(k, {.line_table = true});
  };
  CHECK(text(false, false) == text(true, false));
  CHECK(text(false, false) == text(false, true));
}

TEST_CASE("module: names that LLVM or lowering gives something else do not collide") {
  TestKernel k;
  Builder& b = k.b;
  const Operands o(k);
  Value sum = k.count;
  for (const char* hint : {"entry", "bb0", "bb0_header", "i32", "ptr", "undef", "swap_pair", "vec", "rsrc"})
    sum = b.binary(ir::OpKind::add, sum, o.lane, hint);
  const std::array parts{sum, sum, sum};
  const std::array carried{ir::Carried{"entry", b.build(parts)}};
  const auto loop = b.for_loop(b.i32(0), k.count, b.i32(1), "bb0", carried,
                               [](Value, auto v) { return std::vector{v[0] + v[0]}; });
  store(k, o, loop[0]);
  CHECK_NOTHROW(opt(lowered(k), "verify"));
}

TEST_CASE("lower: a target without the operations refuses the kernel and names all that it lacks") {
  TestKernel k;
  build_every_op(k);
  const Operands o(k);
  k.b.buffer_load_lds(o.in, o.lane, o.lds, 16, ir::AliasScope::dma_write);
  const ir::FinishedKernel finished = k.finish();
  CHECK(lower(finished, gfx950(), llvm22()).has_value());
  const Expected<std::string> refused = lower(finished, *find_target("gfx942"), llvm22());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::invalid_request);
  CHECK(refused.error().message ==
        "gfx942 does not have v_permlane32_swap, v_mfma_f32_32x32x16, ds_read_b64_tr_b16, LDS DMA of 16 "
        "bytes a lane");
}

TEST_CASE("lower: an LDS pool above the target's limit is refused") {
  const auto with = [](unsigned bytes) {
    TestKernel k;
    k.b.kernel().set_lds_bytes(bytes);
    return lower(k.finish(), gfx950(), llvm22());
  };
  CHECK(with(160 * 1024).has_value());
  const Expected<std::string> refused = with(160 * 1024 + 16);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::invalid_request);
  CHECK(refused.error().message == "163856 bytes of LDS; gfx950 has 163840 a workgroup");
}

TEST_CASE("flavour: the table finds what it lists") {
  CHECK(find_flavour("llvm22")->llvm_major == 22);
  CHECK(find_flavour("llvm19") == nullptr);
  CHECK(find_flavour("") == nullptr);
  std::string names;
  for (const Flavour& flavour : all_flavours()) {
    CHECK(find_flavour(flavour.name) == &flavour);
    CHECK(flavour.name == fmt::format("llvm{}", flavour.llvm_major));
    names += (names.empty() ? "" : ", ") + std::string(flavour.name);
  }
  CHECK(flavour_names() == names);
}

}  // namespace
}  // namespace wavesmith::lowering::testing
