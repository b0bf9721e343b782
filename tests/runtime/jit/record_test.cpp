// Records on disk: what was written comes back, and anything else is noticed, whichever byte it is.
#include "runtime/jit/record.h"

#include <random>

#include <catch2/catch_test_macros.hpp>

#include "generator/identity.h"
#include "runtime/jit/bundle.h"
#include "tests/runtime/jit/stand_in.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

Record sample(std::size_t payload_bytes) {
  Record record{.kind = RecordKind::object,
                .name = generator::sha256_hex("name"),
                .values = {{"compiler", "LLVM 22 with a\nline end"}, {"empty", ""}, {"target", "gfx950"}},
                .payload = test::code_of("payload")};
  record.payload.resize(payload_bytes);
  return record;
}

}  // namespace

TEST_CASE("records: what is written is read back, without a payload too") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4000}}) {
    const Record record = sample(bytes);
    const auto back = decode(encode(record));
    REQUIRE(back);
    CHECK(*back == record);
  }
}

TEST_CASE("records: the layout is the documented one") {
  const Record record{.kind = RecordKind::request,
                      .name = std::string(64, 'a'),
                      .values = {{"x", "yz"}},
                      .payload = test::to_bytes("PAY")};
  const auto length = [](char size) { return std::string(1, size) + std::string(7, '\0'); };
  std::string expected = "WSMITHC1" + length(8 + 7 + 8 + 64 + 8 + 1 + 8 + 2) + length(3);
  expected += length(7) + "request" + length(64) + std::string(64, 'a') + length(1) + "x" + length(2) + "yz";
  expected += "PAY";
  CHECK(encode(record) == expected + generator::sha256_hex(expected));
}

TEST_CASE("records: any changed byte of the header and a thousand elsewhere are noticed") {
  const std::string bytes = encode(sample(4000));
  const std::size_t header_end = bytes.size() - 4000 - 64;
  std::mt19937 random(1);
  const auto rejects = [&](std::size_t at, unsigned flip) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
    return !decode(changed);
  };
  for (std::size_t at = 0; at < header_end; ++at)
    for (unsigned bit = 0; bit < 8; ++bit)
      if (!rejects(at, 1U << bit)) FAIL("bit " << bit << " of byte " << at);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t at = header_end + random() % (bytes.size() - header_end);
    if (!rejects(at, static_cast<unsigned>(1 + random() % 255))) FAIL("byte " << at);
  }
}

TEST_CASE("records: any other length is noticed") {
  const std::string bytes = encode(sample(300));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (decode(std::string_view(bytes).substr(0, size))) FAIL("the first " << size << " bytes");
  CHECK_FALSE(decode(bytes + "x"));
  CHECK_FALSE(decode(bytes + bytes));
}

TEST_CASE("bundles: each record comes back; a damaged record is not served and the others are") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("kernels.bundle");
  std::vector<Record> records;
  for (int i = 0; i < 5; ++i)
    records.push_back({.kind = i % 2 == 0 ? RecordKind::request : RecordKind::object,
                       .name = generator::sha256_hex(std::to_string(i)),
                       .values = {{"i", std::to_string(i)}},
                       .payload = test::code_of(std::to_string(i))});
  REQUIRE(write_bundle(path, records));
  test::Heard heard;
  Warnings warnings(heard.function());
  {
    const auto bundle = Bundle::open(path, warnings);
    REQUIRE(bundle);
    CHECK((*bundle)->keys().size() == 5);
    for (const Record& record : records) CHECK((*bundle)->find(record.kind, record.name) == record);
    CHECK_FALSE((*bundle)->find(RecordKind::object, records[0].name));
  }
  std::vector<std::byte> bytes = test::read_bytes(path);
  bytes[bytes.size() - 100] ^= std::byte{1};  // in the payload of the last record
  test::write_bytes(path, bytes);
  const auto bundle = Bundle::open(path, warnings);
  REQUIRE(bundle);
  CHECK_FALSE((*bundle)->find(records[4].kind, records[4].name));
  CHECK((*bundle)->find(records[3].kind, records[3].name) == records[3]);
  CHECK(heard.texts().size() == 1);
}

TEST_CASE("bundles: any changed byte of the index and any other length refuses the whole bundle") {
  const test::FastFolder folder;
  const std::string path = folder.file("kernels.bundle");
  const Record record{
      .kind = RecordKind::object, .name = std::string(64, 'b'), .values = {}, .payload = test::code_of("x")};
  REQUIRE(write_bundle(path, std::vector{record}));
  const std::vector<std::byte> bytes = test::read_bytes(path);
  const std::size_t index_end = bytes.size() - encode(record).size();
  Warnings warnings([](std::string_view) {});
  for (std::size_t at = 0; at < index_end; ++at) {
    std::vector<std::byte> changed = bytes;
    changed[at] ^= std::byte{4};
    test::write_bytes(path, changed);
    if (Bundle::open(path, warnings)) FAIL("byte " << at);
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{20}, index_end, bytes.size() - 1}) {
    test::write_bytes(path, std::span(bytes).first(size));
    if (Bundle::open(path, warnings)) FAIL("the first " << size << " bytes");
  }
}
