// Printer: the full text of a small kernel with every construct of the notation, and how constants print.
#include "ir_builder/printer.h"

#include <array>
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

TEST_CASE("printer: the full text of a small kernel") {
  auto kernel = std::make_unique<Kernel>("scale_rows", KernelAttributes{.workgroup_size = 128});
  kernel->set_lds_bytes(2048);
  Builder b(*kernel);
  const Value x = b.parameter(global_ptr, "x", "the rows", 16);
  const Value y = b.parameter(global_ptr, "y", "scaled rows", 16, true);
  const Value bytes = b.parameter(i32, "bytes", "of each");
  const Value factor = b.parameter(f32, "factor", "what each element is multiplied with");
  const Value lane = b.workitem_id();
  const Value in = b.make_buffer_resource(x, bytes);
  const Value out = b.make_buffer_resource(y, bytes);
  b.return_if(bytes <= b.i32(0));
  b.buffer_load_lds(in, lane * 4, b.lds_address(512), 4, AliasScope::dma_write);
  b.wait_vmcnt(0);
  b.barrier();
  const std::array carried{Carried{"sum", b.constant_f32(0, 4)}};
  const auto sums = b.for_loop(b.i32(0), bytes, b.i32(16), "at", carried, [&](Value at, auto sum) {
    const Value row = b.lds_load(b.ptr_offset(b.lds_address(0), at), f32.vector(4), 16, AliasScope::lds_read);
    return std::vector{sum[0] + row * b.splat(factor, 4)};
  });
  const std::array otherwise{sums[0]};
  const auto stored = b.if_then(b.any_lane(lane < b.i32(-3)), otherwise, [&] {
    return std::vector{b.fma(sums[0], b.constant_f32(-1.5F, 4), sums[0])};
  });
  b.buffer_store(stored[0], out, lane << 4);
  const Expected<FinishedKernel> finished = finish(std::move(kernel));
  REQUIRE(finished.has_value());
  CHECK(
      print(**finished) ==
      R"(kernel scale_rows(%x : ptr<global>, %y : ptr<global>, %bytes : i32, %factor : f32) {lds = 2048, workgroup = 128} {
  %is : i1 = icmp(%bytes, 0 : i32) {predicate = sle}
  if(%is)
  () {
    return()
  }
  %rsrc : ptr<buffer_resource> = make_buffer_resource(%x, %bytes)
  %tid : i32 = workitem_id()
  %mul : i32 = mul(%tid, 4 : i32)
  %lds : ptr<lds> = lds_address() {bytes = 512}
  buffer_load_lds(%rsrc, %mul, %lds) {bytes = 4, alias_scope = 1}
  waitcnt() {vmcnt = 0}
  barrier()
  %sum.1 : vec<4 x f32> = for(0 : i32, %bytes, 16 : i32, 0 : vec<4 x f32>)
  (%at : i32, %sum : vec<4 x f32>) {
    %lds.1 : ptr<lds> = lds_address() {bytes = 0}
    %addr : ptr<lds> = ptr_offset(%lds.1, %at)
    %ds : vec<4 x f32> = lds_load(%addr) {align = 16, alias_scope = 2}
    %splat : vec<4 x f32> = splat(%factor)
    %fmul : vec<4 x f32> = fmul(%ds, %splat)
    %fadd : vec<4 x f32> = fadd(%sum, %fmul)
    yield(%fadd)
  }
  %is.1 : i1 = icmp(%tid, -3 : i32) {predicate = slt}
  %ballot : i64 = ballot(%is.1)
  %is.2 : i1 = icmp(%ballot, 0 : i64) {predicate = ne}
  %sum.2 : vec<4 x f32> = if(%is.2, %sum.1)
  () {
    %fma : vec<4 x f32> = fma(%sum.1, -1.5 : vec<4 x f32>, %sum.1)
    yield(%fma)
  }
  %rsrc.1 : ptr<buffer_resource> = make_buffer_resource(%y, %bytes)
  %shl : i32 = shl(%tid, 4 : i32)
  buffer_store(%sum.2, %rsrc.1, %shl)
}
)");
}

TEST_CASE("printer: constants print their value and type") {
  TestKernel k;
  Builder& b = k.b;
  CHECK(print_operand(b.i32(-1)) == "-1 : i32");
  CHECK(print_operand(b.i32(0x7fffffff)) == "2147483647 : i32");
  CHECK(print_operand(b.i64(std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808 : i64");
  CHECK(print_operand(b.constant(i16, -2)) == "-2 : i16");
  CHECK(print_operand(b.constant(i32.vector(4), 3)) == "3 : vec<4 x i32>");
  CHECK(print_operand(b.constant_f32(0.1F)) == "0.1 : f32");
  CHECK(print_operand(b.constant_f32(-std::numeric_limits<float>::infinity())) == "-inf : f32");
}

TEST_CASE("printer: types") {
  CHECK(to_string(bf16.vector(8)) == "vec<8 x bf16>");
  CHECK(to_string(i1) == "i1");
  CHECK(to_string(f16) == "f16");
  CHECK(to_string(buffer_resource) == "ptr<buffer_resource>");
}

}  // namespace
}  // namespace wavesmith::ir::testing
