// GLOBAL loads and stores: every implemented form on both CDNA processors against a byte-wise reference, with
// immediates at their limits, addresses around 4 GiB and 2^47, sparse buffers of many GiB, and strays.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "memory_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kBytes = 16384;
constexpr int kOffsets[] = {0, 4, 4095, -4096, -1};  // 13 bits, signed

/// The words of the mnemonic behind "load_" or "store_".
std::string_view element_name(std::string_view mnemonic) {
  const std::size_t load = mnemonic.find("_load_"), store = mnemonic.find("_store_");
  return load != std::string_view::npos ? mnemonic.substr(load + 6) : mnemonic.substr(store + 7);
}
bool is_load(std::string_view mnemonic) {
  return mnemonic.find("_load_") != std::string_view::npos;
}
bool is_plain(std::string_view mnemonic) {
  return mnemonic.find("_lds_") == std::string_view::npos &&
         mnemonic.find("_atomic_") == std::string_view::npos;
}

/// One form, with lanes at random places of a buffer.
class Case {
 public:
  Case(Snippets& snippets, const Snippets::Buffer& buffer, const ImplementedForm& form, int offset)
      : snippets_(snippets),
        buffer_(buffer),
        form_(form),
        element_(element_named(element_name(form.mnemonic))),
        offset_(offset) {
    const std::string data = registers(8, element_.registers());
    const bool scalar = form.form == "saddr";
    const std::string address = scalar ? "v4" : "v[4:5]", base = scalar ? "s[2:3]" : "off";
    text_ = form.mnemonic + " ";
    text_ += is_load(form.mnemonic) ? data + ", " + address : address + ", " + data;
    text_ += ", " + base + (offset == 0 ? "" : " offset:" + std::to_string(offset)) + "\ns_waitcnt vmcnt(0)";
  }

  void run(Random& random, u64 exec) {
    INFO(text_ << " exec " << std::hex << exec);
    std::array<u64, 64> address{};
    // Stores of different lanes must not overlap, or their order would matter.
    std::vector<u32> slots(kBytes / 16 / 4);
    for (u32 s = 0; s < slots.size(); ++s) slots[s] = s;
    std::ranges::shuffle(slots, random);
    for (u32 l = 0; l < 64; ++l) {
      const u32 within = element_.bytes == 16 ? 0 : below(random, 16 - element_.bytes) / element_.bytes;
      address[l] = buffer_.address + kBytes / 2 + u64{slots[l]} * 16 + within * element_.bytes;
    }
    Input in;
    in.exec = exec;
    const u64 delta = static_cast<u64>(std::int64_t{offset_});
    std::array<u64, 64> vector{};
    if (form_.form == "saddr") {
      const u64 base = buffer_.address + 0x100 - delta;
      in.s64(2, base).v(4, lanes([&](u32 l) { return address[l] - base - delta; }));
    } else {
      for (u32 l = 0; l < 64; ++l) vector[l] = address[l] - delta;
      in.v64(4, vector);
    }
    std::array<Lanes32, 4> data;
    for (u32 d = 0; d < 4; ++d) in.v(8 + d, data[d] = random_lanes(random));
    const std::vector<std::byte> before = random_bytes(random, kBytes);
    std::ranges::copy(before, buffer_.bytes.begin());
    const Output out = snippets_.run(text_, in);
    if (out.fault) FAIL(out.fault->message());

    std::vector<std::byte> memory = before;
    Lines lines;
    u64 lanes_active = 0;
    for (u32 l = 0; l < 64; ++l) {
      const std::size_t at = static_cast<std::size_t>(address[l] - buffer_.address);
      if (active(exec, l)) {
        ++lanes_active;
        lines.add(address[l], element_.bytes);
      }
      for (u32 d = 0; d < element_.registers(); ++d) {
        const bool written = active(exec, l) && is_load(form_.mnemonic);
        const u32 expected =
            written ? loaded(element_, std::span(before).subspan(at), d, data[d][l], false) : data[d][l];
        REQUIRE(out.v(8 + d)[l] == expected);
      }
      if (active(exec, l) && !is_load(form_.mnemonic)) {
        const u32 source[] = {data[0][l], data[1][l], data[2][l], data[3][l]};
        std::ranges::copy(stored(element_, source), memory.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    REQUIRE(std::ranges::equal(memory, buffer_.bytes));
    CHECK(out.counters[0].executions == 1);
    CHECK(out.counters[0].active_lanes == lanes_active);
    CHECK(out.counters[0].bytes == lanes_active * element_.bytes);
    CHECK(out.counters[0].cache_lines == lines.count());
    CHECK(out.counters[0].lds_cycles == 0);
  }

 private:
  Snippets& snippets_;
  const Snippets::Buffer& buffer_;
  ImplementedForm form_;
  Element element_;
  int offset_;
  std::string text_;
};

}  // namespace

TEST_CASE("every GLOBAL load and store moves the bytes its name says, in both address forms") {
  Random random(1);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    const auto buffer = snippets.allocate(kBytes, {.name = "data"});
    std::size_t driven = 0;
    for (const ImplementedForm& form : forms_of(processor, "global_")) {
      if (!is_plain(form.mnemonic)) continue;
      ++driven;
      for (const int offset : kOffsets) {
        Case one(snippets, buffer, form, offset);
        for (const u64 exec : exec_patterns()) one.run(random, exec);
      }
    }
    CHECK(driven == 2 * 22);  // 14 loads and 8 stores
  }
}

TEST_CASE("GLOBAL addresses carry across 4 GiB and reach up to 2^47") {
  Random random(2);
  Snippets snippets("gfx950");
  constexpr u64 four_gib = u64{1} << 32, top = u64{1} << 47;
  for (const u64 start : {four_gib - kBytes / 2 - 512, 5 * four_gib - kBytes + 4096, top - kBytes}) {
    const auto buffer = snippets.allocate(kBytes, {.name = "far", .address = start & ~u64{255}});
    for (const std::string mnemonic : {"global_load_dwordx4", "global_store_dwordx3", "global_load_ubyte"}) {
      for (const std::string form : {"vaddr", "saddr"}) {
        for (const int offset : {0, 4095, -4096}) {
          Case one(snippets, buffer, {mnemonic, form}, offset);
          one.run(random, ~u64{0});
        }
      }
    }
  }
}

TEST_CASE("an element across a 4 GiB boundary is one element") {
  Snippets snippets("gfx950");
  constexpr u64 boundary = u64{3} << 32;
  const auto buffer = snippets.allocate(512, {.name = "across", .address = boundary - 256});
  for (u32 d = 0; d < 128; ++d) buffer.bytes[4 * d] = static_cast<std::byte>(d);
  Input in;
  in.exec = 1;
  in.v64(0, [&] {
    std::array<u64, 64> address{};
    address[0] = boundary - 8;
    return address;
  }());
  const Output out = snippets.run("global_load_dwordx4 v[4:7], v[0:1], off\ns_waitcnt vmcnt(0)", in);
  REQUIRE(!out.fault);
  for (u32 d = 0; d < 4; ++d) CHECK(out.v(4 + d)[0] == 62 + d);
}

TEST_CASE("a VGPR offset beside an SGPR base is unsigned, the immediate is signed") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(u64{8} << 30, {.name = "sparse"});  // backed only where touched
  const std::size_t far = 0xfffffff0u;
  buffer.bytes[far] = std::byte{0x5a};
  buffer.bytes[far - 4096] = std::byte{0x77};
  Input in;
  in.v(2, 0xfffffff0u).s64(2, buffer.address);
  const Output out = snippets.run(
      "global_load_ubyte v4, v2, s[2:3]\nglobal_load_ubyte v5, v2, s[2:3] offset:-4096\ns_waitcnt vmcnt(0)",
      in);
  REQUIRE(!out.fault);
  CHECK(out.v(4)[17] == 0x5a);
  CHECK(out.v(5)[63] == 0x77);
}

TEST_CASE("GLOBAL data can be AGPRs") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(4096, {.name = "data"});
  Random random(3);
  Input in;
  in.v(0, lanes([](u32 l) { return 32 * l; })).s64(2, buffer.address);
  std::array<Lanes32, 4> data;
  for (u32 d = 0; d < 4; ++d) in.a(4 + d, data[d] = random_lanes(random));
  const Output out = snippets.run(
      "global_store_dwordx4 v0, a[4:7], s[2:3]\nglobal_load_dwordx4 a[8:11], v0, s[2:3]\ns_waitcnt vmcnt(0)",
      in);
  REQUIRE(!out.fault);
  for (u32 d = 0; d < 4; ++d) CHECK(out.a(8 + d) == data[d]);
  CHECK(buffer.dword(9) == data[1][1]);
}

TEST_CASE("GLOBAL accesses that leave their allocation by any byte are faults that name lane and address") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(1000, {.name = "short"});
  const auto constant = snippets.allocate(1000, {.name = "constant", .writable = false});
  const auto stray = [&](const std::string& text, u64 base, const Lanes32& offset, u64 exec = ~u64{0}) {
    Input in;
    in.exec = exec;
    in.v(4, offset).s64(2, base);
    for (u32 r = 8; r < 12; ++r) in.v(r, 1);
    return snippets.run(text + "\ns_waitcnt vmcnt(0)", in).fault;
  };
  const Lanes32 zero{};
  for (const auto& [text, bytes] :
       {std::pair{"global_load_ubyte v8, v4, s[2:3]", 1u}, std::pair{"global_load_dword v8, v4, s[2:3]", 4u},
        std::pair{"global_load_dwordx3 v[8:10], v4, s[2:3]", 12u},
        std::pair{"global_load_dwordx4 v[8:11], v4, s[2:3]", 16u},
        std::pair{"global_store_byte v4, v8, s[2:3]", 1u}, std::pair{"global_store_short v4, v8, s[2:3]", 2u},
        std::pair{"global_store_dwordx4 v4, v[8:11], s[2:3]", 16u}}) {
    INFO(text);
    Lanes32 last = zero;
    last[37] = 1000 - bytes;
    CHECK(!stray(text, buffer.address, last));
    last[37] += 1;
    const auto fault = stray(text, buffer.address, last);
    REQUIRE(fault);
    CHECK(fault->lane == 37);
    CHECK(fault->memory_address == buffer.address + 1001 - bytes);
    CHECK(fault->what.find("'short'") != std::string::npos);
    CHECK(!stray(text, buffer.address, last, ~(u64{1} << 37)));  // an inactive lane may point anywhere
    Lanes32 before = zero;
    before[5] = 0xffffffffu;  // unsigned: 4 GiB on, not one byte back
    REQUIRE(stray(text, buffer.address, before));
    CHECK(stray(text, buffer.address, before)->memory_address == buffer.address + 0xffffffffu);
  }
  CHECK(!stray("global_load_dword v8, v4, s[2:3]", constant.address, zero));
  const auto fault = stray("global_store_dword v4, v8, s[2:3]", constant.address, zero);
  REQUIRE(fault);
  CHECK(fault->what.find("read-only") != std::string::npos);
  const auto low = stray("global_load_dword v8, v4, s[2:3] offset:-4", buffer.address, zero);
  REQUIRE(low);
  CHECK(low->memory_address == buffer.address - 4);
}

TEST_CASE("D16 loads zero the other half, or keep it where the option says that SRAMECC is off") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(256, {.name = "data"});
  buffer.set_dword(0, 0x1234fedc);
  Input in;
  in.v(4, 0u).v(8, 0xaaaabbbbu).v(9, 0xaaaabbbbu).v(10, 0xaaaabbbbu).s64(2, buffer.address);
  const std::string text =
      "global_load_short_d16 v8, v4, s[2:3]\nglobal_load_short_d16_hi v9, v4, s[2:3]\n"
      "global_load_sbyte_d16_hi v10, v4, s[2:3]\ns_waitcnt vmcnt(0)";
  const Output zeroed = snippets.run(text, in);
  CHECK(zeroed.v(8)[0] == 0x0000fedc);
  CHECK(zeroed.v(9)[0] == 0xfedc0000);
  CHECK(zeroed.v(10)[0] == 0xffdc0000);
  in.options.d16_load = D16Load::keeps_other_half;
  const Output kept = snippets.run(text, in);
  CHECK(kept.v(8)[0] == 0xaaaafedc);
  CHECK(kept.v(9)[0] == 0xfedcbbbb);
  CHECK(kept.v(10)[0] == 0xffdcbbbb);
}
