// Verifier, the kernel's interface: parameters and what is promised of them, and the workgroup's size.
#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

TEST_CASE("interface: a parameter is a number or a global pointer, and only a pointer is promised anything") {
  const auto parameter = [](Type type, unsigned align = 0, bool writeonly = false) {
    return [=](TestKernel& k) { k.b.parameter(type, "p", "a parameter", align, writeonly); };
  };
  const std::string numbers = ": is a number of at least 16 bits or a global pointer";
  const std::string promises = ": only a pointer is writeonly or aligned";
  check_rules({
      {"a bit", parameter(i32), parameter(i1), {"parameter %p : i1" + numbers}},
      {"a vector", parameter(f32), parameter(f32.vector(4)), {"parameter %p : vec<4 x f32>" + numbers}},
      {"a pointer into LDS", parameter(i64), parameter(lds_ptr), {"parameter %p : ptr<lds>" + numbers}},
      {"a descriptor",
       parameter(global_ptr, 4),
       parameter(buffer_resource),
       {"parameter %p : ptr<buffer_resource>" + numbers}},
      {"no alignment",
       parameter(global_ptr, 1),
       parameter(global_ptr, 0),
       {"parameter %p : ptr<global>: align = 0 is no power of two"}},
      {"odd alignment",
       parameter(global_ptr, 8),
       parameter(global_ptr, 12),
       {"parameter %p : ptr<global>: align = 12 is no power of two"}},
      {"an aligned number", parameter(i32), parameter(i32, 4), {"parameter %p : i32" + promises}},
      {"a writeonly number",
       parameter(global_ptr, 2, true),
       parameter(i32, 0, true),
       {"parameter %p : i32" + promises}},
  });
}

TEST_CASE("interface: a workgroup has 1 to 1024 work-items and at least one wave") {
  const auto with = [](unsigned size, unsigned waves) {
    return [=](TestKernel& k) {
      k.b.kernel().attributes.workgroup_size = size;
      k.b.kernel().attributes.waves_per_eu = waves;
    };
  };
  check_rules({
      {"none", with(1, 1), with(0, 1), {"workgroup_size = 0: 1 to 1024 work-items"}},
      {"too many", with(1024, 1), with(1025, 1), {"workgroup_size = 1025: 1 to 1024 work-items"}},
      {"no wave", with(64, 1), with(64, 0), {"waves_per_eu = 0: at least 1 wave"}},
  });
}

const std::string reads_target = "buffer_load: reads through parameter %target, which is writeonly";
const std::string writes_source = "buffer_store: writes through parameter %source, which is readonly";

TEST_CASE("interface: a load reads only readonly parameters, a store writes only writeonly ones") {
  const auto load = [](bool from_target) {
    return [=](TestKernel& k) {
      const Operands o(k);
      k.b.buffer_load(from_target ? o.out : o.in, o.lane, i32);
    };
  };
  const auto store = [](bool to_source) {
    return [=](TestKernel& k) {
      const Operands o(k);
      k.b.buffer_store(o.lane, to_source ? o.in : o.out, o.lane);
    };
  };
  const auto dma = [](bool from_target) {
    return [=](TestKernel& k) {
      const Operands o(k);
      k.b.buffer_load_lds(from_target ? o.out : o.in, o.lane, o.lds, 4, AliasScope::dma_write);
    };
  };
  check_rules({
      {"load", load(false), load(true), {reads_target}},
      {"store", store(false), store(true), {writes_source}},
      {"LDS DMA",
       dma(false),
       dma(true),
       {"buffer_load_lds: reads through parameter %target, which is writeonly"}},
  });
}

TEST_CASE("interface: a pointer that is read from the argument block is the parameter that it stands for") {
  const auto load = [](bool from_target) {
    return [=](TestKernel& k) {
      const Operands o(k);
      const Value base = k.b.load_argument(from_target ? k.target : k.source, k.count >> 31);
      k.b.buffer_load(k.b.make_buffer_resource(base, k.b.i32(64)), o.lane, i32);
    };
  };
  check_rules({{"load", load(false), load(true), {reads_target}}});
}

TEST_CASE("interface: the parameter behind a descriptor is found through offsets, selects, ifs and loops") {
  // Each way hands `base` on; a load through the result must be refused when base is the target.
  using Way = std::function<Value(TestKernel&, Value base)>;
  const std::vector<std::pair<std::string, Way>> ways{
      {"offset",
       [](TestKernel& k, Value base) { return k.b.ptr_offset(k.b.ptr_offset(base, k.wide), k.wide); }},
      {"select, first",
       [](TestKernel& k, Value base) { return k.b.select(k.count < k.count, base, k.source); }},
      {"select, second",
       [](TestKernel& k, Value base) { return k.b.select(k.count < k.count, k.source, base); }},
      {"if, taken",
       [](TestKernel& k, Value base) {
         const std::array otherwise{k.source};
         return k.b.if_then(k.count < k.count, otherwise, [&] { return std::vector{base}; })[0];
       }},
      {"if, not taken",
       [](TestKernel& k, Value base) {
         const std::array otherwise{base};
         return k.b.if_then(k.count < k.count, otherwise, [&] { return std::vector{k.source}; })[0];
       }},
      {"loop, start",
       [](TestKernel& k, Value base) {
         const std::array carried{Carried{"other", k.source}, Carried{"p", base}};
         return k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "i", carried,
                             [&](Value, std::span<const Value> p) {
                               return std::vector{p[0], k.b.ptr_offset(p[1], k.wide)};
                             })[1];
       }},
      {"loop, later round",
       [](TestKernel& k, Value base) {
         const std::array carried{Carried{"p", k.source}, Carried{"next", k.source}};
         return k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "i", carried,
                             [&](Value, std::span<const Value> p) { return std::vector{p[1], base}; })[0];
       }},
  };
  for (const auto& [name, way] : ways) {
    const auto load = [&, of = way](bool from_target) {
      return [=](TestKernel& k) {
        const Value resource = k.b.make_buffer_resource(of(k, from_target ? k.target : k.source), k.count);
        k.b.buffer_load(resource, k.count, i32);
      };
    };
    check_rules({{name, load(false), load(true), {reads_target}}});
  }
}

TEST_CASE("interface: a descriptor that is carried round a loop is followed too") {
  const auto kernel = [](bool from_target) {
    return [=](TestKernel& k) {
      const Operands o(k);
      const std::array carried{Carried{"rsrc", o.in}};
      k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "i", carried,
                   [&](Value i, std::span<const Value> resource) {
                     k.b.buffer_load(resource[0], i, i32);
                     return std::vector{from_target ? o.out : resource[0]};
                   });
    };
  };
  check_rules({{"carried", kernel(false), kernel(true), {reads_target}}});
}

}  // namespace
}  // namespace wavesmith::ir::testing
