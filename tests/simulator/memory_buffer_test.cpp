// MUBUF loads and stores: addresses, the range check dword by dword, swizzling and the lane-number index, for
// every implemented form with random resources, and by hand at the edges.
#include <algorithm>
#include <cstring>
#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kBytes = 3 << 18;

bool is_load(std::string_view mnemonic) {
  return mnemonic.find("_load_") != std::string_view::npos;
}
Element element_of(std::string_view mnemonic) {
  const std::size_t at = is_load(mnemonic) ? mnemonic.find("_load_") + 6 : mnemonic.find("_store_") + 7;
  return element_named(mnemonic.substr(at));
}

/// A resource as a driver would fill it.
struct Resource {
  u64 base = 0;
  u32 stride = 0, records = 0, index_stride_code = 0;
  bool swizzle = false, add_tid = false, cache_swizzle = false;

  void put(Input& in, unsigned reg) const {
    in.s(reg, static_cast<u32>(base));
    in.s(reg + 1, static_cast<u32>(base >> 32) | (stride & 0x3fff) << 16 | (cache_swizzle ? 1u << 30 : 0) |
                      (swizzle ? 1u << 31 : 0));
    in.s(reg + 2, records);
    // 0x27000 carries formats, which loads without conversion ignore; with add_tid its upper format bits are
    // the upper bits of the stride.
    const u32 format = add_tid ? (stride >> 14) << 15 : 0x27000;
    in.s(reg + 3, format | index_stride_code << 21 | (add_tid ? 1u << 23 : 0));
  }
};

/// Where dword `d` of a lane's access is, or nothing when it is out of range. CDNA4 guide 9.1.5, in integers
/// wide enough not to wrap.
std::optional<u64> place_of(const Resource& r, bool idxen, u64 index_vgpr, u64 offset, u64 soffset, u32 lane,
                            u32 d) {
  const u64 index = (idxen ? index_vgpr : 0) + (r.add_tid ? lane : 0);
  const bool raw = r.stride == 0 || (!idxen && !r.add_tid && !r.swizzle);
  const u64 at = offset + 4 * u64{d};
  if (raw ? at >= r.records : index >= r.records) return std::nullopt;
  u64 linear = index * r.stride + at;
  if (r.swizzle) {
    const u64 group = u64{8} << r.index_stride_code;
    // Inside a group of structures, dword k of all of them comes before dword k + 1.
    linear = index / group * group * r.stride + at / 4 * 4 * group + index % group * 4 + at % 4;
  }
  return r.base + soffset + linear;
}

class Case {
 public:
  Case(Snippets& snippets, const Snippets::Buffer& buffer, ImplementedForm form, u32 immediate,
       std::string soffset)
      : snippets_(snippets),
        buffer_(buffer),
        form_(std::move(form)),
        element_(element_of(form_.mnemonic)),
        immediate_(immediate) {
    const bool both = form_.form == "bothen";
    idxen_ = both || form_.form == "idxen";
    offen_ = both || form_.form == "offen";
    text_ = fmt::format("{} {}, {}, s[4:7], {}{}{}{}\ns_waitcnt vmcnt(0)", form_.mnemonic,
                        registers(8, element_.registers()),
                        both               ? "v[4:5]"
                        : idxen_ || offen_ ? "v4"
                                           : "off",
                        soffset, idxen_ ? " idxen" : "", offen_ ? " offen" : "",
                        immediate != 0 ? fmt::format(" offset:{}", immediate) : "");
  }

  void run(Random& random, const Resource& resource, u32 soffset, u32 index_limit, u32 offset_limit,
           u64 exec) {
    INFO(text_ << " exec " << std::hex << exec << " stride " << resource.stride << " records "
               << resource.records << " swizzle " << resource.swizzle << " add_tid " << resource.add_tid
               << " soffset " << soffset);
    Input in;
    in.exec = exec;
    resource.put(in, 4);
    in.s(2, soffset);
    const u32 step = element_.bytes < 4 && !resource.swizzle ? element_.bytes : 4;
    const Lanes32 index = lanes([&](u32) { return below(random, index_limit); });
    const Lanes32 offset = lanes([&](u32) { return below(random, offset_limit / step) * step; });
    in.v(4, idxen_ ? index : offset).v(5, offset);
    std::array<Lanes32, 4> data;
    for (u32 d = 0; d < 4; ++d) in.v(8 + d, data[d] = random_lanes(random));
    if (before_.empty()) before_ = random_bytes(random, kBytes);
    std::ranges::copy(before_, buffer_.bytes.begin());
    const Output out = snippets_.run(text_, in);
    if (out.fault) FAIL(out.fault->message());

    std::vector<std::byte> memory = before_;
    std::set<std::size_t> written, contested;
    Lines lines;
    u64 bytes = 0;
    for (u32 l = 0; l < 64; ++l) {
      std::vector<std::byte> lane_bytes(16);
      const u32 source[] = {data[0][l], data[1][l], data[2][l], data[3][l]};
      const std::vector<std::byte> store_bytes = stored(element_, source);
      for (u32 d = 0; d < element_.registers(); ++d) {
        const u32 count = std::min(element_.bytes, 4u);
        const u64 total = u64{immediate_} + (offen_ ? offset[l] : 0);
        const auto at = place_of(resource, idxen_, index[l], total, soffset, l, d);
        if (active(exec, l) && at) {
          ++moved_;
          bytes += count;
          lines.add(*at, count);
          const std::size_t local = static_cast<std::size_t>(*at - buffer_.address);
          REQUIRE(local + count <= kBytes);
          std::copy_n(before_.begin() + static_cast<std::ptrdiff_t>(local), count,
                      lane_bytes.begin() + 4 * d);
          for (u32 b = 0; b < count && !is_load(form_.mnemonic); ++b) {
            if (!written.insert(local + b).second) contested.insert(local + b);
            memory[local + b] = store_bytes[4 * d + b];
          }
        }
        const u32 expected = active(exec, l) && is_load(form_.mnemonic)
                                 ? loaded(element_, lane_bytes, d, 0, false)
                                 : data[d][l];
        REQUIRE(out.v(8 + d)[l] == expected);
      }
    }
    // Where lanes overlap the order of their stores is not defined.
    for (const std::size_t at : contested) memory[at] = buffer_.bytes[at];
    REQUIRE(std::memcmp(memory.data(), buffer_.bytes.data(), kBytes) == 0);
    CHECK(out.counters[0].bytes == bytes);
    CHECK(out.counters[0].cache_lines == lines.count());
  }

  u64 moved() const { return moved_; }

 private:
  Snippets& snippets_;
  const Snippets::Buffer& buffer_;
  ImplementedForm form_;
  Element element_;
  u32 immediate_;
  bool idxen_ = false, offen_ = false;
  std::string text_;
  std::vector<std::byte> before_;
  u64 moved_ = 0;
};

}  // namespace

TEST_CASE("every MUBUF load and store addresses and checks its range as the resource says") {
  Random random(51);
  for (const std::string processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    const auto buffer = snippets.allocate(kBytes, {.name = "data"});
    std::size_t driven = 0;
    for (const ImplementedForm& form : forms_of(processor, "buffer_")) {
      if (form.form.starts_with("lds_") || form.mnemonic.find("_atomic_") != std::string::npos ||
          form.form == "plain")
        continue;
      ++driven;
      for (const u32 immediate : {0u, 4u, 4095u - 3u}) {
        Case one(snippets, buffer, form, immediate, "s2");
        const auto exec = [&] { return exec_patterns()[below(random, 8)]; };
        Resource r;
        r.base = buffer.address + 64;
        r.records = 9000;  // raw: some offsets are beyond
        one.run(random, r, 0, 40, 12000, exec());
        r.cache_swizzle = true;
        r.stride = 0x2000 | 256;  // bit 13 and up: a hint; without an index the stride does not count
        one.run(random, r, 128, 1, 12000, form.form == "bothen" || form.form == "idxen" ? 0 : ~u64{0});
        r = {.base = buffer.address, .stride = 48, .records = 30};  // structures; some indices are beyond
        if (form.form == "bothen" || form.form == "idxen") one.run(random, r, 256, 40, 48, ~u64{0});
        r = {.base = buffer.address,
             .stride = 16,
             .records = 50,
             .add_tid = true};  // lanes from 50 on are beyond
        one.run(random, r, 4, 10, 16, exec());
        for (const u32 code : {0u, 1u, 2u, 3u}) {
          r = {.base = buffer.address,
               .stride = 32,
               .records = 100,
               .index_stride_code = code,
               .swizzle = true};
          one.run(random, r, 8, 120, 32, exec());
          r.add_tid = true;
          one.run(random, r, 0, 60, 32, ~u64{0});
        }
        CHECK(one.moved() != 0);
      }
    }
    CHECK(driven == 4 * 22);
  }
}

TEST_CASE("a raw buffer ends at num_records: each dword of a wide access is checked by itself") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, 0x1000 + d);
  Input in;
  Resource r{.base = buffer.address};
  const auto load = [&](u32 records, u32 offset) {
    r.records = records;
    r.put(in, 4);
    in.v(4, offset);
    for (u32 d = 8; d < 12; ++d) in.v(d, 7u);
    const Output out =
        snippets.run("buffer_load_dwordx4 v[8:11], v4, s[4:7], 0 offen\ns_waitcnt vmcnt(0)", in);
    REQUIRE(!out.fault);
    return std::array{out.v(8)[0], out.v(9)[0], out.v(10)[0], out.v(11)[0]};
  };
  using Four = std::array<u32, 4>;
  CHECK(load(64, 48) == Four{0x100c, 0x100d, 0x100e, 0x100f});
  CHECK(load(64, 52) == Four{0x100d, 0x100e, 0x100f, 0});
  CHECK(load(64, 56) == Four{0x100e, 0x100f, 0, 0});
  CHECK(load(64, 60) == Four{0x100f, 0, 0, 0});
  CHECK(load(64, 64) == Four{0, 0, 0, 0});
  CHECK(load(0, 0) == Four{0, 0, 0, 0});
  // The check compares the first byte of a dword: one that begins in range is read whole.
  CHECK(load(61, 60) == Four{0x100f, 0, 0, 0});
  CHECK(load(60, 60) == Four{0, 0, 0, 0});
  CHECK(load(57, 48) == Four{0x100c, 0x100d, 0x100e, 0});
  // Offsets are unsigned and the check saturates: -4 does not come back in with its second dword.
  CHECK(load(64, 0xfffffffc) == Four{0, 0, 0, 0});
  CHECK(load(0xffffffff, 0) == Four{0x1000, 0x1001, 0x1002, 0x1003});
}

TEST_CASE("stores beyond num_records are dropped dword by dword") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(256, {.name = "data"});
  Input in;
  Resource{.base = buffer.address, .records = 72}.put(in, 4);
  in.exec = 1;
  in.v(4, 60u).v(8, 1u).v(9, 2u).v(10, 3u).v(11, 4u);
  Output out = snippets.run("buffer_store_dwordx4 v[8:11], v4, s[4:7], 0 offen", in);
  REQUIRE(!out.fault);
  CHECK(buffer.dword(15) == 1);
  CHECK(buffer.dword(16) == 2);
  CHECK(buffer.dword(17) == 3);
  CHECK(buffer.dword(18) == 0);
  CHECK(out.counters[0].bytes == 12);
  in.v(4, 72u).v(8, 0xffffffffu);
  out = snippets.run("buffer_store_byte v8, v4, s[4:7], 0 offen", in);
  CHECK(buffer.dword(18) == 0);
  in.v(4, 71u);
  out = snippets.run("buffer_store_byte v8, v4, s[4:7], 0 offen", in);
  CHECK(buffer.dword(17) == 0xff000003);
}

TEST_CASE("the scalar offset is outside the range check, and memory itself has the last word") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, 0x1000 + d);
  Input in;
  Resource{.base = buffer.address, .records = 64}.put(in, 4);
  in.v(4, lanes([](u32 l) { return 4 * l; }));
  const auto load = [&](u32 soffset, u64 exec) {
    in.exec = exec;
    in.s(2, soffset).v(8, 7u);
    return snippets.run("buffer_load_dword v8, v4, s[4:7], s2 offen\ns_waitcnt vmcnt(0)", in);
  };
  // 64 bytes are in range by VGPR offset, wherever the scalar offset then leads.
  Output out = load(2048, ~u64{0});
  REQUIRE(!out.fault);
  for (u32 l = 0; l < 64; ++l) CHECK(out.v(8)[l] == (l < 16 ? 0x1000 + 512 + l : 0));
  out = load(4096 - 32, ~u64{0});
  REQUIRE(out.fault);  // past the allocation: not hidden by the range check
  CHECK(out.fault->lane == 8);
  CHECK(out.fault->memory_address == buffer.address + 4096);
  CHECK(!load(4096 - 32, 0xff).fault);
  CHECK(!load(4096 - 32, 0xff | ~u64{0xffff}).fault);  // lanes beyond num_records touch nothing
  // An inline constant is a scalar offset as well.
  out = snippets.run("buffer_load_dword v8, v4, s[4:7], 64 offen\ns_waitcnt vmcnt(0)", in.s(2, 0));
  CHECK(out.v(8)[1] == 0x1000 + 16 + 1);
  out = snippets.run("buffer_load_dword v8, off, s[4:7], -1\ns_waitcnt vmcnt(0)", in);
  REQUIRE(out.fault);
  CHECK(out.fault->memory_address == buffer.address + 0xffffffffu);
}

TEST_CASE("num_records counts structures when there is an index, bytes when there is none") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, 0x1000 + d);
  Input in;
  Resource{.base = buffer.address, .stride = 16, .records = 5}.put(in, 4);
  in.v(4, lanes([](u32 l) { return l; })).v(6, lanes([](u32 l) { return l; })).v(7, 0u);
  Output out = snippets.run("buffer_load_dword v8, v4, s[4:7], 0 idxen offset:4\ns_waitcnt vmcnt(0)", in);
  for (u32 l = 0; l < 64; ++l) CHECK(out.v(8)[l] == (l < 5 ? 0x1000 + 4 * l + 1 : 0));
  // The offset is not checked against the stride: it may reach into the next structure.
  out = snippets.run("buffer_load_dword v8, v4, s[4:7], 0 idxen offset:20\ns_waitcnt vmcnt(0)", in);
  CHECK(out.v(8)[4] == 0x1000 + 4 * 4 + 5);
  out = snippets.run("buffer_load_ubyte v8, v4, s[4:7], 0 offen\ns_waitcnt vmcnt(0)", in);
  CHECK(out.v(8)[4] == 1);
  CHECK(out.v(8)[5] == 0);
  // Without a stride an index neither moves the address nor counts.
  Resource{.base = buffer.address, .records = 8}.put(in, 4);
  out = snippets.run("buffer_load_dword v8, v4, s[4:7], 0 idxen offset:4\ns_waitcnt vmcnt(0)", in);
  CHECK(out.v(8)[63] == 0x1001);
}

TEST_CASE("swizzled structures of one lane's four dwords lie a group apart") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "data"});
  for (u32 d = 0; d < 1024; ++d) buffer.set_dword(d, d);
  Input in;
  Resource{.base = buffer.address, .stride = 16, .records = 64, .index_stride_code = 3, .swizzle = true}.put(
      in, 4);
  in.v(4, lanes([](u32 l) { return l; }));
  const Output out = snippets.run("buffer_load_dwordx4 v[8:11], v4, s[4:7], 0 idxen\ns_waitcnt vmcnt(0)", in);
  for (u32 l = 0; l < 64; ++l) {
    for (u32 d = 0; d < 4; ++d) CHECK(out.v(8 + d)[l] == 64 * d + l);
  }
}

TEST_CASE("buffers beyond 4 GiB: base, index and stride make 64-bit addresses") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(u64{40} << 30, {.name = "sparse"});
  const u64 places[] = {0, (u64{4} << 30) - 16000, (u64{20} << 30) - 20 * 16000, u64{2'600'000} * 16000};
  for (const u64 place : places)
    buffer.bytes[place / 16000 * 16000 + 8] = static_cast<std::byte>(1 + place % 251);
  Input in;
  Resource{.base = buffer.address, .stride = 16000, .records = 2'600'001}.put(in, 4);
  Lanes32 index{};
  for (u32 k = 0; k < 4; ++k) index[k] = static_cast<u32>(places[k] / 16000);
  index[4] = 2'600'001;
  const Output out =
      snippets.run("buffer_load_ubyte v8, v4, s[4:7], 0 idxen offset:8\ns_waitcnt vmcnt(0)", in.v(4, index));
  REQUIRE(!out.fault);
  for (u32 k = 0; k < 4; ++k) CHECK(out.v(8)[k] == 1 + places[k] % 251);
  CHECK(out.v(8)[4] == 0);
}

TEST_CASE("with the lane number as index the stride has 18 bits") {
  Snippets snippets("gfx950");
  const auto buffer = snippets.allocate(u64{1} << 24, {.name = "sparse"});
  constexpr u32 stride = 0x25a04;  // bits 17:14 are in the place of a format
  for (u32 l = 0; l < 64; ++l) buffer.bytes[std::size_t{l} * stride + 3] = static_cast<std::byte>(l + 1);
  Input in;
  Resource{.base = buffer.address, .stride = stride, .records = 60, .add_tid = true}.put(in, 4);
  const Output out = snippets.run("buffer_load_ubyte v8, off, s[4:7], 0 offset:3\ns_waitcnt vmcnt(0)", in);
  REQUIRE(!out.fault);
  CHECK(out.v(8) == lanes([](u32 l) { return l < 60 ? l + 1 : 0; }));
}

TEST_CASE("the base is 48 bits: neighbouring bits of the resource do not leak into it") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(4096, {.name = "top", .address = (u64{1} << 47) - 4096});
  buffer.set_dword(3, 99);
  Input in;
  Resource{.base = buffer.address, .stride = 0x3fff, .records = 4096}.put(in, 4);
  const Output out = snippets.run("buffer_load_dword v8, off, s[4:7], 0 offset:12\ns_waitcnt vmcnt(0)", in);
  REQUIRE(!out.fault);
  CHECK(out.v(8)[5] == 99);
}

TEST_CASE("misaligned dwords in a buffer are accessed where they are, with a warning") {
  Snippets snippets("gfx950");
  auto buffer = snippets.allocate(256, {.name = "data"});
  for (u32 b = 0; b < 256; ++b) buffer.bytes[b] = static_cast<std::byte>(b);
  Input in;
  Resource{.base = buffer.address, .records = 256}.put(in, 4);
  Lanes32 offset{};
  offset[6] = 5;
  in.v(4, offset);
  const std::string text = "buffer_load_dword v8, v4, s[4:7], 0 offen\ns_waitcnt vmcnt(0)";
  Output out = snippets.run(text, in);
  CHECK(out.v(8)[6] == 0x08070605);
  REQUIRE(out.warnings.size() == 1);
  CHECK(out.warnings[0].first.lane == 6);
  CHECK(out.warnings[0].first.memory_address == buffer.address + 5);
  in.exec = ~u64{0x40};
  CHECK(snippets.run(text, in).warnings.empty());
  in.exec = ~u64{0};
  CHECK(snippets.run("buffer_load_ushort v8, v4, s[4:7], 0 offen\ns_waitcnt vmcnt(0)", in).warnings.empty());
}
