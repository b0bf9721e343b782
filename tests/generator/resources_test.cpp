// Registers, LDS and occupancy of every variant, read from code objects; and what a pad may and may not
// change.
#include <set>
#include <tuple>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "generator/identity.h"
#include "runtime/compiler.h"
#include "runtime/occupancy.h"
#include "tests/generator/code_objects.h"
#include "tests/generator/specs.h"

namespace wavesmith::test {
namespace {

using dense::DType;
using dense::Mask;
using dense::Spec;

runtime::Occupancy occupancy_of(const Compiled& compiled) {
  const auto result = runtime::occupancy(compiled.object, compiled.kernel());
  REQUIRE(result);
  return *result;
}

Spec with_pad(int pad, int query_heads = 32, int kv_heads = 8) {
  Spec s = spec(64, query_heads, kv_heads);
  s.lds_k_group_pad = pad;
  return s;
}

TEST_CASE("resources: no variant spills, uses scratch or accumulation registers") {
  for (int head_size : {64, 128})
    for (DType dtype : {DType::bf16, DType::fp16})
      for (Mask mask : {Mask::full, Mask::causal})
        for (const auto& [query_heads, kv_heads] : {std::pair{8, 8}, {32, 8}, {8, 1}, {40, 8}}) {
          const Spec s = spec(head_size, query_heads, kv_heads, dtype, mask);
          CAPTURE(generator::spec_text(s));
          const Compiled compiled = compile(emitted(s));
          const runtime::Kernel& kernel = compiled.kernel();
          CHECK(kernel.vgpr_spills == 0);
          CHECK(kernel.sgpr_spills == 0);
          CHECK(kernel.scratch_bytes == 0);
          CHECK(kernel.agprs == 0);
          CHECK_FALSE(kernel.uses_dynamic_stack);
          // Published: 145 vector registers and 33792 bytes for head size 64 with pad 8. Head size 128 has
          // 256 registers for one workgroup of eight waves: 2 rows of [64, 128 + 8] and [64, 128 + 32]
          // elements.
          CHECK(kernel.total_vgprs <= (head_size == 64 ? 145U : 256U));
          CHECK(kernel.lds_bytes == (head_size == 64 ? 33792U : 75776U));
          // All explicit: 4 pointers, 4 batch strides, 8 token and head strides, 2 lengths, 1 scale, 15 of
          // the order.
          CHECK(kernel.kernarg_bytes == 4 * 8 + 4 * 8 + 8 * 4 + 2 * 4 + 4 + 15 * 4);
        }
}

TEST_CASE("resources: at the most waves per SIMD that are accepted, nothing spills") {
  for (const Spec& geometry : all_geometries())
    for (const auto& [lse, persistent, mask, sinks] : {std::tuple{false, false, Mask::causal, false},
                                                       {true, false, Mask::window, true},
                                                       {false, true, Mask::window, false},
                                                       {true, true, Mask::causal_top_left, true}}) {
      Spec s = geometry;
      s.lse = lse;
      s.persistent = persistent;
      s.mask = mask;
      s.sinks = sinks && !(persistent && s.block_n == 128);  // refused
      s.waves_per_eu = 1;
      for (int waves = 1; waves <= 8; ++waves) {
        Spec more = s;
        more.waves_per_eu = waves;
        if (dense::refusals_of(more, target()).empty()) s = more;
      }
      INFO(name_of(s));
      const Compiled compiled = compile(emitted(s));
      const runtime::Kernel& kernel = compiled.kernel();
      CHECK(kernel.vgpr_spills == 0);
      CHECK(kernel.sgpr_spills == 0);
      CHECK(kernel.scratch_bytes == 0);
      // 512 registers a SIMD in blocks of 8.
      CHECK(kernel.total_vgprs <= 512U / static_cast<unsigned>(s.waves_per_eu) / 8 * 8);
      // Two buffers of K and V, with the default pads: 8 and 0 after two rows of 64, 8 and 32 after one of
      // 128.
      const auto rows = static_cast<unsigned>(s.block_n);
      CHECK(kernel.lds_bytes ==
            (s.head_size == 64 ? 2 * (rows / 2) * (136 + 128) * 2 : 2 * rows * (136 + 160) * 2));
    }
}

TEST_CASE("resources: sequences and pages spill nothing beside a window, sinks and LSE") {
  using dense::Kv;
  using dense::Sequences;
  for (const Spec& geometry : all_geometries())
    for (const auto& [sequences, kv, page_size, persistent] :
         {std::tuple{Sequences::varlen, Kv::contiguous, 64, true},
          {Sequences::varlen, Kv::paged, 16, false},
          {Sequences::ragged, Kv::paged, 128, true}}) {
      Spec s = geometry;
      s.sequences = sequences;
      s.kv = kv;
      s.page_size = page_size;
      s.lse = s.sinks = true;
      s.mask = Mask::window;
      s.persistent = persistent && s.block_n != 128;  // refused
      INFO(name_of(s) << " page_size " << page_size << " persistent " << persistent);
      const Compiled compiled = compile(emitted(s));
      const runtime::Kernel& kernel = compiled.kernel();
      CHECK(kernel.vgpr_spills == 0);
      CHECK(kernel.sgpr_spills == 0);
      CHECK(kernel.scratch_bytes == 0);
    }
}

TEST_CASE("resources: a code object comes out the same ten times") {
  for (int head_size : {64, 128}) {
    Spec s = spec(head_size, 32, 8);
    s.block_n = 32;
    runtime::CompileRequest request;
    request.ir = emitted(s);
    request.target = "gfx950";
    // A worker that has served before and one that has not.
    std::set<std::string> hashes;
    for (int fresh = 0; fresh < 2; ++fresh) {
      runtime::CompilerPool pool;
      for (int i = 0; i < 5; ++i) {
        const auto result = pool.compile(request);
        REQUIRE(result);
        const auto* bytes = reinterpret_cast<const char*>(result->hsaco.data());
        hashes.insert(generator::sha256_hex({bytes, result->hsaco.size()}));
      }
    }
    CHECK(hashes.size() == 1);
  }
}

TEST_CASE("resources: head size 64 keeps the published kernel's bounds and occupancy") {
  for (const auto& [pad, vgprs, lds] : {std::tuple{8, 145U, 33792U}, {0, 141U, 32768U}}) {
    CAPTURE(pad);
    const Compiled compiled = compile(emitted(with_pad(pad)));
    CHECK(compiled.kernel().total_vgprs <= vgprs);
    CHECK(compiled.kernel().lds_bytes == lds);
    CHECK(compiled.kernel().agprs == 0);
    const runtime::Occupancy occupancy = occupancy_of(compiled);
    CHECK(occupancy.waves_per_cu == 12);
    CHECK(runtime::name_of(occupancy.limiter) == "VGPR");
    // Twelve waves are one and a half workgroups of eight: one is resident.
    CHECK(occupancy.waves_per_workgroup == 8);
    CHECK(occupancy.workgroups_per_cu() == 1);
    CHECK(occupancy.resident_waves == 8);
  }
}

TEST_CASE("resources: the published table's occupancy follows from its registers") {
  for (const auto& [vgprs, waves] : {std::pair{141U, 12U}, {145U, 12U}, {197U, 8U}}) {
    const auto result = runtime::occupancy({.processor = "gfx950",
                                            .vgprs = vgprs,
                                            .sgprs = 46,
                                            .lds_bytes = 33792,
                                            .workgroup_size = 512,
                                            .wavefront_size = 64,
                                            .wgp_mode = false});
    REQUIRE(result);
    CHECK(result->waves_per_cu == waves);
    CHECK(runtime::name_of(result->limiter) == "VGPR");
  }
}

TEST_CASE("resources: a pad of K costs LDS and nothing else") {
  const Compiled unpadded = compile(emitted(with_pad(0)));
  for (int pad : {8, 16, 24, 32}) {
    CAPTURE(pad);
    const Compiled padded = compile(emitted(with_pad(pad)));
    // Two buffers of 32 row groups, and two bytes an element.
    CHECK(padded.kernel().lds_bytes == unpadded.kernel().lds_bytes + 2 * 32 * static_cast<unsigned>(pad) * 2);
    REQUIRE(padded.listing.loops.size() == unpadded.listing.loops.size());
    for (std::size_t loop = 0; loop < padded.listing.loops.size(); ++loop)
      CHECK(padded.listing.loops[loop].size() == unpadded.listing.loops[loop].size());
    const auto vgprs = [](const Compiled& c) { return static_cast<int>(c.kernel().total_vgprs); };
    CHECK(std::abs(vgprs(padded) - vgprs(unpadded)) <= 4);
    CHECK(occupancy_of(padded).waves_per_cu == occupancy_of(unpadded).waves_per_cu);
  }
}

TEST_CASE("resources: a persistent kernel at head size 64 keeps the published bound, whatever its pad") {
  // Published: 197 vector registers and eight waves for head size 64 and 64 keys a tile.
  std::set<unsigned> registers;
  for (int pad : {0, 8}) {
    Spec s = with_pad(pad);
    s.persistent = true;
    const Compiled compiled = compile(emitted(s));
    CHECK(compiled.kernel().total_vgprs <= 197);
    CHECK(compiled.kernel().agprs == 0);
    CHECK(compiled.kernel().vgpr_spills == 0);
    CHECK(compiled.kernel().sgpr_spills == 0);
    CHECK(compiled.kernel().scratch_bytes == 0);
    CHECK(compiled.kernel().lds_bytes == 2 * (32 * (128 + static_cast<unsigned>(pad)) + 64 * 64) * 2);
    CHECK(occupancy_of(compiled).resident_waves == 8);
    CHECK(occupancy_of(compiled).waves_per_cu >= 8);
    registers.insert(compiled.kernel().total_vgprs);
  }
  CHECK(registers.size() == 1);
}

// Offsets of all V reads from V's base, in the order of the code.
std::vector<unsigned> v_offsets(const Spec& s) {
  std::vector<unsigned> offsets;
  const unsigned base = resolved(s).v_base;
  for (const Instruction& read : those(compile(emitted(s)).listing.instructions, "ds_read_b64_tr_b16"))
    offsets.push_back(offset_of(read) - base);
  return offsets;
}

TEST_CASE("resources: a pad of K moves no V read relative to V's base") {
  const std::vector<unsigned> unpadded = v_offsets(with_pad(0));
  // Three times PV: in two loops and at the end; head size 64 has 2 column tiles, 4 key steps, 2 halves.
  CHECK(unpadded.size() == 3 * 16);
  for (int pad : {8, 16, 24, 32, 64}) {
    CAPTURE(pad);
    CHECK(v_offsets(with_pad(pad)) == unpadded);
  }
  // A pad of V does move them.
  Spec v_padded = with_pad(0);
  v_padded.lds_v_group_pad = 32;
  CHECK(v_offsets(v_padded) != unpadded);
}

}  // namespace
}  // namespace wavesmith::test
