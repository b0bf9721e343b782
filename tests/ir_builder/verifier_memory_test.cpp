// Verifier, memory and order in time: address spaces, uniform operands, sizes, alignments, alias scopes,
// waits and scheduling marks.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

constexpr auto read_scope = static_cast<std::int64_t>(AliasScope::lds_read);
constexpr auto dma_scope = static_cast<std::int64_t>(AliasScope::dma_write);
const std::string sizes = "moves 16, 32, 64, 96 (of 32-bit elements) or 128 bits of numbers";

using Attrs = std::initializer_list<std::pair<Attr, std::int64_t>>;

// A kernel with one operation whose operands are picked from Operands.
std::function<void(TestKernel&)> one(OpKind kind,
                                     std::function<std::vector<Value>(const Operands&, TestKernel&)> operands,
                                     std::vector<Type> results = {}, Attrs attrs = {}) {
  return [=, attributes = std::vector(attrs)](TestKernel& k) {
    const Operands o(k);
    Op* op = k.b.append(kind, operands(o, k), results, "r");
    op->attrs = attributes;
    const std::vector<Value> made = op->results;
    for (const Value& value : made) k.keep(value);
  };
}

std::function<void(TestKernel&)> descriptor(std::function<Value(const Operands&, TestKernel&)> base,
                                            std::function<Value(const Operands&, TestKernel&)> bytes,
                                            Type result = buffer_resource) {
  return one(OpKind::make_buffer_resource,
             [=](const Operands& o, TestKernel& k) { return std::vector{base(o, k), bytes(o, k)}; },
             {result});
}

TEST_CASE("verifier: a buffer descriptor is made of a uniform global pointer and a uniform size") {
  const auto source = [](const Operands&, TestKernel& k) { return k.source; };
  const auto count = [](const Operands&, TestKernel& k) { return k.count; };
  const std::string reason = "): needs a uniform global pointer and a uniform i32 number of bytes";
  const std::string op = "%r = make_buffer_resource(";
  const auto valid = descriptor(source, count);
  check_rules({
      {"base in LDS",
       valid,
       descriptor([](const Operands& o, TestKernel&) { return o.lds; }, count),
       {op + "ptr<lds>, i32" + reason}},
      {"64-bit size",
       valid,
       descriptor(source, [](const Operands&, TestKernel& k) { return k.wide; }),
       {op + "ptr<global>, i64" + reason}},
      {"divergent size",
       valid,
       descriptor(source, [](const Operands& o, TestKernel&) { return o.lane; }),
       {op + "ptr<global>, i32" + reason}},
      {"divergent base",
       descriptor([](const Operands&, TestKernel& k) { return k.b.ptr_offset(k.source, k.wide); }, count),
       descriptor([](const Operands& o, TestKernel& k) { return k.b.ptr_offset(k.source, o.i64_lane); },
                  count),
       {op + "ptr<global>, i32" + reason}},
      {"another result", valid, descriptor(source, count, global_ptr), {op + "ptr<global>, i32" + reason}},
  });
}

TEST_CASE(
    "verifier: a buffer load takes a uniform descriptor, an i32 offset, and one access' worth of numbers") {
  const auto load = [](Type type, Attrs attrs = {}) {
    return one(
        OpKind::buffer_load, [](const Operands& o, TestKernel&) { return std::vector{o.in, o.lane}; }, {type},
        attrs);
  };
  const auto load_from = [](auto operands) { return one(OpKind::buffer_load, operands, {i32}); };
  const std::string reason = "): needs a uniform descriptor and an i32 offset";
  check_rules({
      {"a pointer",
       load(i32),
       load_from([](const Operands& o, TestKernel& k) { return std::vector{k.source, o.lane}; }),
       {"%r = buffer_load(ptr<global>, i32" + reason}},
      {"64-bit offset",
       load(i32),
       load_from([](const Operands& o, TestKernel&) { return std::vector{o.in, o.i64_lane}; }),
       {"%r = buffer_load(ptr<buffer_resource>, i64" + reason}},
      {"divergent descriptor",
       load_from([](const Operands& o, TestKernel& k) {
         return std::vector{k.b.select(o.flag, o.in, o.in), o.lane};
       }),
       load_from([](const Operands& o, TestKernel& k) {
         return std::vector{k.b.select(o.lane_flag, o.in, o.in), o.lane};
       }),
       {"%r = buffer_load(ptr<buffer_resource>, i32" + reason}},
      {"one bit", load(bf16), load(i1), {"%r = buffer_load(ptr<buffer_resource>, i32): " + sizes}},
      {"256 bits",
       load(i32.vector(4)),
       load(i32.vector(8)),
       {"%r = buffer_load(ptr<buffer_resource>, i32): " + sizes}},
      {"48 bits",
       load(i16.vector(2)),
       load(i16.vector(3)),
       {"%r = buffer_load(ptr<buffer_resource>, i32): " + sizes}},
      {"96 bits of 16",
       load(f32.vector(3)),
       load(f16.vector(6)),
       {"%r = buffer_load(ptr<buffer_resource>, i32): " + sizes}},
      {"a pointer as result",
       load(i64),
       load(global_ptr),
       {"%r = buffer_load(ptr<buffer_resource>, i32): " + sizes}},
      {"cache policy",
       load(i32, {{Attr::cache_policy, 17}}),
       load(i32, {{Attr::cache_policy, 32}}),
       {"%r = buffer_load(ptr<buffer_resource>, i32): needs a cache policy from 0 to 31"}},
  });
}

TEST_CASE("verifier: a buffer store takes data, a uniform descriptor and an i32 offset") {
  const auto store = [](auto operands) { return one(OpKind::buffer_store, operands); };
  const auto valid =
      store([](const Operands& o, TestKernel&) { return std::vector{o.i32x4, o.out, o.lane}; });
  const std::string reason = "): needs data, a uniform descriptor and an i32 offset";
  check_rules({
      {"descriptor first",
       valid,
       store([](const Operands& o, TestKernel&) { return std::vector{o.out, o.i32x4, o.lane}; }),
       {"buffer_store(ptr<buffer_resource>, vec<4 x i32>, i32" + reason,
        "buffer_store(ptr<buffer_resource>, vec<4 x i32>, i32): " + sizes}},
      {"divergent descriptor",
       valid,
       store([](const Operands& o, TestKernel& k) {
         return std::vector{o.i32x4, k.b.select(o.lane_flag, o.out, o.out), o.lane};
       }),
       {"buffer_store(vec<4 x i32>, ptr<buffer_resource>, i32" + reason}},
      {"too much data",
       valid,
       store([](const Operands& o, TestKernel&) { return std::vector{o.f32x16, o.out, o.lane}; }),
       {"buffer_store(vec<16 x f32>, ptr<buffer_resource>, i32): " + sizes}},
      {"64-bit offset",
       valid,
       store([](const Operands& o, TestKernel&) { return std::vector{o.i32x4, o.out, o.i64_lane}; }),
       {"buffer_store(vec<4 x i32>, ptr<buffer_resource>, i64" + reason}},
  });
}

TEST_CASE("verifier: LDS DMA takes a uniform descriptor and LDS base, and a width that the hardware has") {
  const auto dma = [](auto operands, std::int64_t bytes = 4, std::int64_t scope = dma_scope) {
    return one(OpKind::buffer_load_lds, operands, {}, {{Attr::bytes, bytes}, {Attr::alias_scope, scope}});
  };
  const auto good = [](const Operands& o, TestKernel&) { return std::vector{o.in, o.lane, o.lds}; };
  const std::string op = "buffer_load_lds(ptr<buffer_resource>, i32, ptr<lds>): ";
  const std::string reason = "): needs a uniform descriptor, an i32 offset and a uniform LDS pointer";
  check_rules({
      {"divergent base",
       dma(good),
       dma([](const Operands& o, TestKernel&) { return std::vector{o.in, o.lane, o.lds_at}; }),
       {"buffer_load_lds(ptr<buffer_resource>, i32, ptr<lds>" + reason}},
      {"divergent descriptor",
       dma(good),
       dma([](const Operands& o, TestKernel& k) {
         return std::vector{k.b.select(o.lane_flag, o.in, o.in), o.lane, o.lds};
       }),
       {"buffer_load_lds(ptr<buffer_resource>, i32, ptr<lds>" + reason}},
      {"base in global memory",
       dma(good),
       dma([](const Operands& o, TestKernel& k) { return std::vector{o.in, o.lane, k.source}; }),
       {"buffer_load_lds(ptr<buffer_resource>, i32, ptr<global>" + reason}},
      {"unknown scope", dma(good, 4, 0), dma(good, 4, 3), {op + "needs one of the alias scopes"}},
  });
  // CDNA4 ISA: BUFFER_LOAD_UBYTE, _USHORT, _DWORD, _DWORDX3 and _DWORDX4 with LDS = 1.
  const std::vector<std::pair<int, int>> widths{{1, 0}, {2, 3}, {4, 8}, {12, 11}, {16, 17}};
  for (const auto& [valid, broken] : widths)
    check_rules(
        {{"width", dma(good, valid), dma(good, broken), {op + "moves 1, 2, 4, 12 or 16 bytes a lane"}}});
}

TEST_CASE("verifier: LDS reads take an LDS pointer, a valid alignment and a type that one access moves") {
  const auto at = [](const Operands& o, TestKernel&) { return std::vector{o.lds_at}; };
  const auto global = [](const Operands&, TestKernel& k) { return std::vector{k.source}; };
  const auto load = [](auto operands, Type type, std::int64_t align) {
    return one(OpKind::lds_load, operands, {type}, {{Attr::align, align}, {Attr::alias_scope, read_scope}});
  };
  const auto transposed = [](auto operands, Type type) {
    return one(OpKind::lds_read_tr16, operands, {type}, {{Attr::alias_scope, read_scope}});
  };
  const Type bf16x4 = bf16.vector(4);
  const std::string four = "needs an LDS pointer and gives four 16-bit elements";
  check_rules({
      {"global load",
       load(at, i32, 4),
       load(global, i32, 4),
       {"%r = lds_load(ptr<global>): needs an LDS pointer"}},
      {"256 bits",
       load(at, i32.vector(4), 16),
       load(at, i32.vector(8), 16),
       {"%r = lds_load(ptr<lds>): " + sizes}},
      {"bits", load(at, i16, 2), load(at, i1.vector(32), 4), {"%r = lds_load(ptr<lds>): " + sizes}},
      {"no alignment",
       load(at, i32, 1),
       load(at, i32, 0),
       {"%r = lds_load(ptr<lds>): needs a power of two as its alignment"}},
      {"no power of two",
       load(at, i32, 8),
       load(at, i32, 12),
       {"%r = lds_load(ptr<lds>): needs a power of two as its alignment"}},
      {"negative alignment",
       load(at, i32, 8),
       load(at, i32, -8),
       {"%r = lds_load(ptr<lds>): needs a power of two as its alignment"}},
      {"transposed read of global memory",
       transposed(at, bf16x4),
       transposed(global, bf16x4),
       {"%r = lds_read_tr16(ptr<global>): " + four}},
      {"transposed read of eight",
       transposed(at, f16.vector(4)),
       transposed(at, f16.vector(8)),
       {"%r = lds_read_tr16(ptr<lds>): " + four}},
      {"transposed read of words",
       transposed(at, i16.vector(4)),
       transposed(at, i32.vector(4)),
       {"%r = lds_read_tr16(ptr<lds>): " + four}},
  });
}

TEST_CASE("verifier: without an LDS pool no LDS address is valid") {
  const auto with_pool = [](unsigned bytes) {
    return [=](TestKernel& k) {
      k.b.kernel().set_lds_bytes(bytes);
      k.keep(k.b.lds_address(0));
    };
  };
  check_rules({{"no pool",
                with_pool(1),
                with_pool(0),
                {"%lds = lds_address(): needs an offset within the LDS pool"}}});
}

TEST_CASE("verifier: waits, scheduling marks and priorities stay in the range of their fields") {
  const auto mark = [](OpKind kind, Attrs attrs) {
    return one(kind, [](const Operands&, TestKernel&) { return std::vector<Value>{}; }, {}, attrs);
  };
  const auto wait = [&](Attrs attrs) { return mark(OpKind::waitcnt, attrs); };
  const auto group = [&](std::int64_t mask, std::int64_t size, std::int64_t id) {
    return mark(OpKind::sched_group_barrier, {{Attr::mask, mask}, {Attr::size, size}, {Attr::group, id}});
  };
  const std::string counts = "waitcnt(): counts vmcnt to 63 and lgkmcnt to 15";
  const std::string mask_reason = "(): needs classes of instructions as its mask";
  const std::string size_reason =
      "sched_group_barrier(): needs a size of at least 1 and a group of at least 0";
  check_rules({
      {"vmcnt too large", wait({{Attr::vmcnt, 63}}), wait({{Attr::vmcnt, 64}}), {counts}},
      {"vmcnt negative", wait({{Attr::vmcnt, 0}}), wait({{Attr::vmcnt, -1}}), {counts}},
      {"lgkmcnt too large", wait({{Attr::lgkmcnt, 15}}), wait({{Attr::lgkmcnt, 16}}), {counts}},
      {"one of two too large",
       wait({{Attr::vmcnt, 63}, {Attr::lgkmcnt, 15}}),
       wait({{Attr::vmcnt, 63}, {Attr::lgkmcnt, 63}}),
       {counts}},
      {"nothing", wait({{Attr::vmcnt, 1}}), wait({}), {"waitcnt(): waits for nothing"}},
      {"mark",
       mark(OpKind::sched_barrier, {{Attr::mask, 0x7ff}}),
       mark(OpKind::sched_barrier, {{Attr::mask, 0x800}}),
       {"sched_barrier" + mask_reason}},
      {"negative mark",
       mark(OpKind::sched_barrier, {{Attr::mask, 0}}),
       mark(OpKind::sched_barrier, {{Attr::mask, -1}}),
       {"sched_barrier" + mask_reason}},
      {"group of nothing", group(sched::mfma, 1, 0), group(0, 1, 0), {"sched_group_barrier" + mask_reason}},
      {"group of none", group(sched::valu, 4, 2), group(sched::valu, 0, 2), {size_reason}},
      {"negative group", group(sched::valu, 4, 0), group(sched::valu, 4, -1), {size_reason}},
      {"priority",
       mark(OpKind::set_priority, {{Attr::priority, 3}}),
       mark(OpKind::set_priority, {{Attr::priority, 4}}),
       {"set_priority(): needs a priority from 0 to 3"}},
      {"negative priority",
       mark(OpKind::set_priority, {{Attr::priority, 0}}),
       mark(OpKind::set_priority, {{Attr::priority, -1}}),
       {"set_priority(): needs a priority from 0 to 3"}},
  });
}

}  // namespace
}  // namespace wavesmith::ir::testing
