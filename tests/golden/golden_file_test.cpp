// The golden file's form, byte for byte, and what is no golden file.
#include "golden/golden_file.h"

#include <catch2/catch_test_macros.hpp>

using wavesmith::ErrorKind;
using wavesmith::golden::Goldens;
using wavesmith::golden::goldens_text;
using wavesmith::golden::parse_goldens;

namespace {

const std::string digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

// Written by hand after the specification of the schema.
const std::string two_flavours = R"({
  "flavours": {
    "llvm21": {
      "cases": {}
    },
    "llvm22": {
      "cases": {
        "family/gfx950/a": {
          "bytes": 7,
          "sha256": ")" + digits +
                                 R"(",
          "symbol": "kernel_a"
        },
        "family/gfx950/b": {
          "bytes": 12345,
          "sha256": ")" + digits +
                                 R"(",
          "symbol": "kernel_b"
        }
      }
    }
  },
  "schema": "wavesmith.golden.ir/1"
}
)";

std::string message(const std::string& text) {
  const auto goldens = parse_goldens(text, "F");
  REQUIRE_FALSE(goldens);
  CHECK(goldens.error().kind == ErrorKind::check_failed);
  CHECK(goldens.error().message.starts_with("F is not a golden file: "));
  return goldens.error().message;
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = two_flavours;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a golden file is written with sorted keys, two spaces and a line end") {
  Goldens goldens;
  goldens["llvm22"]["family/gfx950/b"] = {.symbol = "kernel_b", .sha256 = digits, .bytes = 12345};
  goldens["llvm22"]["family/gfx950/a"] = {.symbol = "kernel_a", .sha256 = digits, .bytes = 7};
  goldens["llvm21"];
  CHECK(goldens_text(goldens) == two_flavours);
}

TEST_CASE("reading and writing a golden file are inverse") {
  const auto goldens = parse_goldens(two_flavours, "F");
  REQUIRE(goldens);
  CHECK(goldens->at("llvm22").at("family/gfx950/b").bytes == 12345);
  CHECK(goldens_text(*goldens) == two_flavours);
}

TEST_CASE("what is not exactly the schema is no golden file") {
  CHECK(message("").find("parse error") != std::string::npos);
  CHECK(message("[1]").find("not an object") != std::string::npos);
  CHECK(message(changed("ir/1", "ir/2")).find("schema is \"wavesmith.golden.ir/2\"") != std::string::npos);
  CHECK(message(changed("\"symbol\": \"kernel_a\"", "\"name\": \"a\"")).find("family/gfx950/a") !=
        std::string::npos);
  CHECK(message(changed("kernel_a", "")).find("symbol") != std::string::npos);
  CHECK(message(changed("\"bytes\": 7", "\"bytes\": -7")).find("bytes") != std::string::npos);
  CHECK(message(changed("\"bytes\": 7", "\"bytes\": \"7\"")).find("bytes") != std::string::npos);
  CHECK(message(changed("0123", "01A3")).find("hexadecimal") != std::string::npos);
  CHECK(message(changed("0123", "123")).find("64") != std::string::npos);
  CHECK(message(changed("\"cases\": {}", "\"cases\": []")).find("llvm21") != std::string::npos);
  CHECK(message(changed("\"cases\": {}", "\"cases\": {}, \"note\": 1")).find("note") != std::string::npos);
}

TEST_CASE("a case that stands twice is an error, not one of the two") {
  CHECK(message(changed("family/gfx950/b", "family/gfx950/a")).find("\"family/gfx950/a\" stands twice") !=
        std::string::npos);
}
