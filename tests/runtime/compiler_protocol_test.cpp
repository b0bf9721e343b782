// The wire format: every value comes back as it was sent, and bytes that are no such value are told apart.
#include "runtime/compiler_protocol.h"

#include <random>

#include <catch2/catch_test_macros.hpp>

#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

std::string_view payload_of(std::string_view frame) {
  return frame.substr(sizeof(protocol::FrameHeader));
}

CompileResult full_result() {
  CompileResult result;
  result.hsaco =
      test::to_bytes(std::string("\x7f"
                                 "ELF\0\1\2",
                                 7));
  result.assembly = "s_endpgm";
  result.disassembly = "0: s_endpgm";
  result.log = "warning: w\n";
  result.compiler = "LLVM";
  result.milliseconds = {.parse = 1, .verify = 2.5, .optimize = 3, .codegen = 4, .link = 5};
  return result;
}

}  // namespace

TEST_CASE("requests, results and errors survive the wire") {
  CompileRequest request;
  request.ir = std::string("a\0b", 3);
  request.target = "gfx950";
  request.code_object_version = 6;
  request.optimization_level = 1;
  request.backend = Backend::llvm;
  request.want_disassembly = true;
  const auto frame = protocol::encode(request);
  const auto header = protocol::decode_header(frame);
  REQUIRE(header);
  CHECK(header->kind == protocol::FrameKind::request);
  CHECK(header->payload_bytes == payload_of(frame).size());
  const auto same_request = protocol::decode_request(payload_of(frame));
  REQUIRE(same_request);
  CHECK(same_request->ir == request.ir);
  CHECK(same_request->target == request.target);
  CHECK(same_request->code_object_version == 6);
  CHECK(same_request->optimization_level == 1);
  CHECK(same_request->backend == Backend::llvm);
  CHECK_FALSE(same_request->want_assembly);
  CHECK(same_request->want_disassembly);

  const CompileResult result = full_result();
  const auto same_result = protocol::decode_result(payload_of(protocol::encode(result)));
  REQUIRE(same_result);
  CHECK(same_result->hsaco == result.hsaco);
  CHECK(same_result->assembly == result.assembly);
  CHECK(same_result->disassembly == result.disassembly);
  CHECK(same_result->log == result.log);
  CHECK(same_result->compiler == result.compiler);
  CHECK(same_result->milliseconds.verify == 2.5);
  CHECK(same_result->milliseconds.total() == 15.5);

  const CompilerInfo info{.version = "LLVM 1",
                          .identity = "LLVM 1, build 2",
                          .llvm_major = 1,
                          .processors = {"gfx950", "gfx942"}};
  const auto same_info = protocol::decode_info(payload_of(protocol::encode(info)));
  REQUIRE(same_info);
  CHECK(same_info->version == info.version);
  CHECK(same_info->identity == info.identity);
  CHECK(same_info->llvm_major == 1);
  CHECK(same_info->processors == info.processors);
  const auto same_hello = protocol::decode_hello(payload_of(protocol::encode(protocol::Hello{.llvm = info})));
  REQUIRE(same_hello);
  CHECK(same_hello->llvm.identity == info.identity);
  const auto same_query =
      protocol::decode_query(payload_of(protocol::encode(protocol::Query{.backend = Backend::comgr})));
  REQUIRE(same_query);
  CHECK(same_query->backend == Backend::comgr);

  const Error error{ErrorKind::environment, "message", "log", {{"f", "v", "a"}, {"g", "w", "b"}}};
  const auto same_error = protocol::decode_error(payload_of(protocol::encode(error)));
  REQUIRE(same_error);
  CHECK(same_error->kind == error.kind);
  CHECK(same_error->message == error.message);
  CHECK(same_error->log == error.log);
  CHECK(same_error->refusals == error.refusals);
}

TEST_CASE("truncated, longer and damaged payloads are no values and allocate nothing") {
  const std::string frame = protocol::encode(full_result());
  const std::string payload(payload_of(frame));
  for (std::size_t size = 0; size < payload.size(); ++size)
    CHECK_FALSE(protocol::decode_result(payload.substr(0, size)));
  CHECK_FALSE(protocol::decode_result(payload + "x"));
  CHECK_FALSE(protocol::decode_error(std::string(64, '\xff')));
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = payload;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    static_cast<void>(protocol::decode_result(damaged));  // sanitizers watch
    static_cast<void>(protocol::decode_error(damaged));
  }
}

TEST_CASE("headers of other versions, kinds and sizes are refused") {
  const std::string frame =
      protocol::encode(protocol::Hello{.llvm = {.version = "x", .identity = "y", .processors = {}}});
  CHECK(protocol::decode_header(frame));
  CHECK_FALSE(protocol::decode_header(std::string_view(frame).substr(0, sizeof(protocol::FrameHeader) - 1)));
  const auto with_byte = [&](std::size_t at, char value) {
    std::string changed = frame;
    changed[at] = value;
    return protocol::decode_header(changed).has_value();
  };
  CHECK_FALSE(with_byte(0, char(protocol::kVersion + 1)));  // low byte of the magic number
  CHECK_FALSE(with_byte(4, 0));                             // kind
  CHECK_FALSE(with_byte(4, 9));
  CHECK_FALSE(with_byte(15, 1));  // 2^56 bytes
}
