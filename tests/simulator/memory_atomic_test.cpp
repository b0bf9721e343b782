// GLOBAL, MUBUF and FLAT atomics: every implemented form, lanes meeting at the same addresses, edge values of
// each type, with and without the old value; alignment, range check and order.
#include <algorithm>
#include <cstring>
#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "atomic_reference.h"
#include "memory_cases.h"
#include "simulator/wave.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// "global_atomic_umin_x2" and the like, taken apart.
AtomicCase case_of(std::string_view mnemonic) {
  const std::string_view name = mnemonic.substr(mnemonic.find("_atomic_") + 8);
  static constexpr struct {
    std::string_view name, operation, type;
  } known[] = {
      {"swap", "swap", "b32"},
      {"cmpswap", "cmpswap", "b32"},
      {"add", "add", "u32"},
      {"sub", "sub", "u32"},
      {"smin", "min", "i32"},
      {"umin", "min", "u32"},
      {"smax", "max", "i32"},
      {"umax", "max", "u32"},
      {"and", "and", "b32"},
      {"or", "or", "b32"},
      {"xor", "xor", "b32"},
      {"inc", "inc", "u32"},
      {"dec", "dec", "u32"},
      {"swap_x2", "swap", "b64"},
      {"cmpswap_x2", "cmpswap", "b64"},
      {"add_x2", "add", "u64"},
      {"sub_x2", "sub", "u64"},
      {"smin_x2", "min", "i64"},
      {"umin_x2", "min", "u64"},
      {"smax_x2", "max", "i64"},
      {"umax_x2", "max", "u64"},
      {"and_x2", "and", "b64"},
      {"or_x2", "or", "b64"},
      {"xor_x2", "xor", "b64"},
      {"inc_x2", "inc", "u64"},
      {"dec_x2", "dec", "u64"},
      {"min_f64", "min", "f64"},
      {"max_f64", "max", "f64"},
      {"add_f32", "add", "f32"},
      {"add_f64", "add", "f64"},
      {"pk_add_f16", "pk_add", "f16"},
      {"pk_add_bf16", "pk_add", "bf16"},
  };
  for (const auto& one : known) {
    if (one.name == name) return {one.operation, one.type};
  }
  throw std::runtime_error("no reference for " + std::string(mnemonic));
}

/// Memory as slots of eight bytes, and what the lanes do to it one after the other.
class Slots {
 public:
  Slots(Random& random, AtomicCase atomic, std::size_t count) : atomic_(atomic), values_(count) {
    for (u64& value : values_) value = edge_value(random, atomic);
  }
  u64 apply(std::size_t slot, u64 first, u64 second, bool flush) {
    const u64 old = atomic_.bytes() == 8 ? values_[slot] : values_[slot] & 0xffffffff;
    const u64 high = atomic_.bytes() == 8 ? 0 : values_[slot] & ~u64{0xffffffff};
    values_[slot] = high | atomic_result(atomic_, old, first, second, flush);
    return old;
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(values_)); }
  void check(std::span<const std::byte> memory) const {
    for (std::size_t s = 0; s < values_.size(); ++s) {
      u64 got = 0;
      std::memcpy(&got, &memory[8 * s], 8);
      const u64 mask = atomic_.bytes() == 8 ? ~u64{0} : 0xffffffff;
      REQUIRE(same_result(atomic_, got & mask, values_[s] & mask));
      REQUIRE((got & ~mask) == (values_[s] & ~mask));
    }
  }

 private:
  AtomicCase atomic_;
  std::vector<u64> values_;
};

/// Data of 64 lanes, as values and as registers v8 and up.
struct Data {
  std::array<u64, 64> first{}, second{};
  std::array<Lanes32, 4> registers{};

  Data(Random& random, AtomicCase atomic, Input& in) {
    const unsigned dwords = atomic.bytes() / 4;
    for (u32 l = 0; l < 64; ++l) {
      first[l] = edge_value(random, atomic);
      second[l] = edge_value(random, atomic);
      if (dwords == 1) first[l] &= 0xffffffff, second[l] &= 0xffffffff;
      for (unsigned d = 0; d < dwords; ++d) {
        registers[d][l] = static_cast<u32>(first[l] >> (32 * d));
        registers[dwords + d][l] = static_cast<u32>(second[l] >> (32 * d));
      }
    }
    for (unsigned d = 0; d < 4; ++d) in.v(8 + d, registers[d]);
  }
};

u64 result_of(const Output& out, unsigned reg, AtomicCase atomic, u32 lane) {
  return atomic.bytes() == 8 ? out.v64(reg, lane) : out.v(reg)[lane];
}

constexpr std::size_t kSlots = 12;

void run_global(Snippets& snippets, const Snippets::Buffer& buffer, Random& random,
                const ImplementedForm& form, u64 exec) {
  const AtomicCase atomic = case_of(form.mnemonic);
  const bool returns = form.form.ends_with("_return"), scalar = form.form.starts_with("saddr");
  const unsigned dwords = atomic.bytes() / 4;
  const std::string data_text = registers(8, dwords * (atomic.two_values() ? 2 : 1));
  const std::string text = fmt::format("{} {}{}, {}, {} offset:-64{}\ns_waitcnt vmcnt(0)", form.mnemonic,
                                       returns ? registers(16, dwords) + ", " : "", scalar ? "v4" : "v[4:5]",
                                       data_text, scalar ? "s[2:3]" : "off", returns ? " sc0" : "");
  INFO(text << " exec " << std::hex << exec);
  Input in;
  in.exec = exec;
  const Data data(random, atomic, in);
  const Lanes32 slot = lanes([&](u32) { return below(random, kSlots); });
  std::array<u64, 64> address{};
  for (u32 l = 0; l < 64; ++l) address[l] = buffer.address + 64 + 8 * slot[l];
  if (scalar) {
    in.s64(2, buffer.address + 64).v(4, lanes([&](u32 l) { return 8 * slot[l]; }));
  } else {
    in.v64(4, address);
  }
  in.v(16, 3u).v(17, 3u);
  Slots slots(random, atomic, kSlots);
  std::ranges::copy(slots.bytes(), buffer.bytes.begin());
  const Output out = snippets.run(text, in);
  if (out.fault) FAIL(out.fault->message());
  const bool flush = atomic.type == "f32";  // the caches flush f32 and nothing else
  for (u32 l = 0; l < 64; ++l) {
    const u64 untouched = atomic.bytes() == 8 ? 3 | u64{3} << 32 : 3;
    const u64 old = active(exec, l) ? slots.apply(slot[l], data.first[l], data.second[l], flush) : untouched;
    if (returns) REQUIRE(same_result(atomic, result_of(out, 16, atomic, l), old));
  }
  slots.check(buffer.bytes);
  CHECK(out.counters[0].bytes == static_cast<u64>(std::popcount(exec)) * atomic.bytes());
}

void run_buffer(Snippets& snippets, const Snippets::Buffer& buffer, Random& random,
                const ImplementedForm& form, u64 exec) {
  const AtomicCase atomic = case_of(form.mnemonic);
  const bool returns = form.form.ends_with("_return");
  const std::string_view kind = std::string_view(form.form).substr(0, form.form.find('_'));
  const bool both = kind == "bothen", index = both || kind == "idxen", off = kind == "offset";
  const unsigned dwords = atomic.bytes() / 4 * (atomic.two_values() ? 2 : 1);
  const std::string text = fmt::format(
      "{} {}, {}, s[4:7], s2{}{} offset:16{}\ns_waitcnt vmcnt(0)", form.mnemonic, registers(8, dwords),
      both  ? "v[4:5]"
      : off ? "off"
            : "v4",
      index ? " idxen" : "", both || kind == "offen" ? " offen" : "", returns ? " sc0" : "");
  INFO(text << " exec " << std::hex << exec);
  Input in;
  in.exec = exec;
  const Data data(random, atomic, in);
  // Slots 2 and up are in range; raw buffers end so that x2 at the last slot but one is half inside.
  const Lanes32 slot = lanes([&](u32) { return off ? 2 : 2 + below(random, kSlots - 2); });
  const u32 in_range = 8;
  in.s64(4, buffer.address | (index ? u64{8} << 48 : 0)).s(7, 0x20000).s(2, 8);
  const bool half = !index;
  in.s(6, index ? in_range : 16 + 8 * in_range - (half ? 4 : 0));
  // address = base + 8 (scalar) + 16 (immediate) + 8 * (slot - 2) - 8
  in.v(4, lanes([&](u32 l) { return index ? (both ? 0 : slot[l] - 2) : 8 * (slot[l] - 2); }));
  in.v(5, lanes([&](u32 l) { return 8 * (slot[l] - 2); }));
  Slots slots(random, atomic, kSlots + 2);
  std::ranges::copy(slots.bytes(), buffer.bytes.begin());
  const Output out = snippets.run(text, in);
  if (out.fault) FAIL(out.fault->message());
  for (u32 l = 0; l < 64; ++l) {
    const u32 place = slot[l] + 1;  // 8 + 16 + 8 * (slot - 2), in slots
    bool inside = true;
    if (index) {
      inside = both || slot[l] - 2 < in_range;
    } else {
      const u32 first = 16 + 8 * (slot[l] - 2), last = first + atomic.bytes() - 4;
      inside = last < 16 + 8 * in_range - 4;
    }
    u64 old =
        atomic.bytes() == 8 ? data.registers[0][l] | u64{data.registers[1][l]} << 32 : data.registers[0][l];
    if (active(exec, l)) {
      const u64 before = inside ? slots.apply(place, data.first[l], data.second[l], atomic.type == "f32") : 0;
      if (returns) old = before;
    }
    REQUIRE(same_result(atomic, result_of(out, 8, atomic, l), old));
  }
  slots.check(buffer.bytes);
}

void run_flat(Snippets& snippets, const Snippets::Buffer& buffer, Random& random, const ImplementedForm& form,
              u64 exec, u32 mode) {
  const AtomicCase atomic = case_of(form.mnemonic);
  const bool returns = form.form.ends_with("_return");
  const unsigned dwords = atomic.bytes() / 4;
  const std::string text =
      fmt::format("{} {}v[4:5], {} offset:8{}\ns_waitcnt vmcnt(0) lgkmcnt(0)", form.mnemonic,
                  returns ? registers(16, dwords) + ", " : "",
                  registers(8, dwords * (atomic.two_values() ? 2 : 1)), returns ? " sc0" : "");
  INFO(text << " exec " << std::hex << exec << " mode " << mode);
  Input in;
  in.s64(10, exec).mode = mode;
  in.scratch_bytes = 4 * kScratchDwords;
  const Data data(random, atomic, in);
  Slots global(random, atomic, kSlots), lds(random, atomic, kSlots);
  std::vector<Slots> scratch(64, Slots(random, atomic, 8));
  for (unsigned d = 0; d < kScratchDwords; ++d) {
    Lanes32 values{};
    for (u32 l = 0; l < 64; ++l) std::memcpy(&values[l], &scratch[l].bytes()[4 * d], 4);
    in.v(kScratchIn + d, values);
  }
  in.lds.assign(lds.bytes().begin(), lds.bytes().end());
  std::ranges::copy(global.bytes(), buffer.bytes.begin());
  const Lanes32 space = lanes([&](u32) { return below(random, 3); }),
                slot = lanes([&](u32) { return below(random, 8); });
  std::array<u64, 64> address{};
  for (u32 l = 0; l < 64; ++l) {
    const u64 bases[] = {buffer.address, kSharedAperture, kPrivateAperture};
    address[l] = bases[space[l]] + 8 * slot[l] - 8;
  }
  in.v64(4, address).v(16, 3u).v(17, 3u);
  const Output out = snippets.run(with_scratch(text), in);
  if (out.fault) FAIL(out.fault->message());
  for (u32 l = 0; l < 64; ++l) {
    u64 old = atomic.bytes() == 8 ? 3 | u64{3} << 32 : 3;
    if (active(exec, l)) {
      Slots& memory = space[l] == 0 ? global : space[l] == 1 ? lds : scratch[l];
      const bool f32 = atomic.type == "f32";
      // Caches flush f32 and nothing else; LDS goes by MODE, bits 4 and 5 for f32, 6 and 7 for the others.
      const bool flush = space[l] == 1 ? (mode >> (f32 ? 4 : 6) & 3) == 0 : f32;
      old = memory.apply(slot[l], data.first[l], data.second[l], flush);
    }
    if (returns) REQUIRE(same_result(atomic, result_of(out, 16, atomic, l), old));
  }
  global.check(buffer.bytes);
  lds.check(out.lds);
  for (u32 l = 0; l < 64; ++l) {
    std::array<u32, kScratchDwords> bytes{};
    for (unsigned d = 0; d < kScratchDwords; ++d) bytes[d] = out.v(kScratchOut + d)[l];
    scratch[l].check(std::as_bytes(std::span(bytes)));
  }
}

}  // namespace

TEST_CASE("every atomic on memory computes what its name says, lane after lane, and returns what was there") {
  Random random(71);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    const auto buffer = snippets.allocate(4096, {.name = "data"});
    std::size_t driven = 0;
    for (int round = 0; round < 3; ++round) {
      for (const u64 exec : exec_patterns()) {
        for (const ImplementedForm& form : forms_of(processor, "global_atomic_"))
          run_global(snippets, buffer, random, form, exec), ++driven;
        for (const ImplementedForm& form : forms_of(processor, "buffer_atomic_"))
          run_buffer(snippets, buffer, random, form, exec), ++driven;
        for (const ImplementedForm& form : forms_of(processor, "flat_atomic_"))
          run_flat(snippets, buffer, random, form, exec, round == 0 ? 0x00 : 0xf0), ++driven;
      }
    }
    const std::size_t operations = 32, buffer_operations = processor == "gfx950" ? 32 : 31;
    CHECK(driven == 3 * exec_patterns().size() * (4 * operations + 8 * buffer_operations + 2 * operations));
  }
}

TEST_CASE("compare-and-swap takes the new value first and the one to compare with second") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(64, {.name = "data"});
  buffer.set_dword(0, 100);
  Input in;
  in.exec = 0b111;
  in.v(4, 0u).s64(2, buffer.address);
  in.v(8, lanes([](u32 l) { return 200 + l; })).v(9, lanes([](u32 l) {
                                                    return l == 1 ? 100 : l == 2 ? 201 : 0;
                                                  }));
  const Output out =
      snippets.run("global_atomic_cmpswap v16, v4, v[8:9], s[2:3] sc0\ns_waitcnt vmcnt(0)", in);
  CHECK(out.v(16)[0] == 100);  // lane 0 compares with 0: nothing happens
  CHECK(out.v(16)[1] == 100);  // lane 1 compares with 100: becomes 201
  CHECK(out.v(16)[2] == 201);  // lane 2 compares with 201: becomes 202
  CHECK(buffer.dword(0) == 202);
}

TEST_CASE("atomics demand alignment to their size and memory that may be written") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(64, {.name = "data"});
  const auto constant = snippets.allocate(64, {.name = "constant", .writable = false});
  const auto fault = [&](const std::string& text, u64 base, u32 offset) {
    Input in;
    in.exec = 0x10;
    in.v(4, offset).s64(2, base).v(8, 1u).v(9, 1u);
    return snippets.run(text + "\ns_waitcnt vmcnt(0)", in).fault;
  };
  CHECK(!fault("global_atomic_add v4, v8, s[2:3]", buffer.address, 60));
  CHECK(!fault("global_atomic_add_x2 v4, v[8:9], s[2:3]", buffer.address, 56));
  const auto misaligned = fault("global_atomic_add_x2 v4, v[8:9], s[2:3]", buffer.address, 4);
  REQUIRE(misaligned);
  CHECK(misaligned->lane == 4);
  CHECK(misaligned->what == "atomic of 8 bytes at an address that is not a multiple of it");
  CHECK(fault("global_atomic_add v4, v8, s[2:3]", buffer.address, 2));
  CHECK(fault("global_atomic_add v4, v8, s[2:3]", buffer.address, 64));
  CHECK(fault("global_atomic_add v4, v8, s[2:3]", constant.address, 0));
}

TEST_CASE("atomics happen when a wait retires them and return registers read as pending until then") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(64, {.name = "data"});
  buffer.set_dword(0, 5);
  Input in;
  in.exec = 1;
  in.v(4, 0u).v(8, 10u).s64(2, buffer.address);
  in.lds.resize(64);
  // LDS writes take their data when they are issued and so show what a register holds at that point.
  const Output out = snippets.run(
      "global_atomic_add v16, v4, v8, s[2:3] sc0\nds_write_b32 v4, v16\nglobal_load_dword v18, v4, s[2:3]\n"
      "s_waitcnt vmcnt(1)\nds_write_b32 v4, v16 offset:4\nds_write_b32 v4, v18 offset:8\ns_waitcnt vmcnt(0)",
      in);
  CHECK(out.lds_dword(0) == 0xfff5fff5);
  CHECK(out.lds_dword(1) == 5);
  CHECK(out.lds_dword(2) == 0xfff5fff5);
  CHECK(out.v(18)[0] == 15);
  CHECK(buffer.dword(0) == 15);
}
