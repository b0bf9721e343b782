// The wire format between CompilerPool and the worker program: frames of a fixed header and a payload, and
// payloads that are the values of compiler_interface.h field by field. Each struct's fields are listed once
// (compiler_protocol.cpp) for both directions. Both ends run on one machine and come from one build; kVersion
// guards against mixing builds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

#include "runtime/compiler_interface.h"

namespace wavesmith::runtime::protocol {

/// Changes with the frame header or any payload.
inline constexpr std::uint32_t kVersion = 2;

enum class FrameKind : std::uint32_t {
  hello = 1,    ///< worker to pool, once, when it is ready: Hello
  request = 2,  ///< pool to worker: CompileRequest
  result = 3,   ///< worker to pool: CompileResult
  error = 4,    ///< worker to pool: Error
  query = 5,    ///< pool to worker: Query
  info = 6,     ///< worker to pool: CompilerInfo
};

/// Starts every frame.
struct FrameHeader {
  std::uint32_t magic = 0;
  FrameKind kind{};
  std::uint64_t payload_bytes = 0;
};
inline constexpr std::uint32_t kMagic = 0x57534d00 + kVersion;  // "WSM" and the version

/// Longest payload that either end accepts: a corrupt length must not become an allocation.
inline constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 30;

/// The file descriptor of the worker's end of the connection.
inline constexpr int kWorkerDescriptor = 3;

/// Says that a worker is ready.
struct Hello {
  CompilerInfo llvm;  ///< the backend that every worker has
};

/// Asks what another backend is; looking for it may take time or fail.
struct Query {
  Backend backend = Backend::comgr;
};

// Whole frames, header included.
[[nodiscard]] std::string encode(const Hello& hello);
[[nodiscard]] std::string encode(const CompileRequest& request);
[[nodiscard]] std::string encode(const CompileResult& result);
[[nodiscard]] std::string encode(const Error& error);
[[nodiscard]] std::string encode(const Query& query);
[[nodiscard]] std::string encode(const CompilerInfo& info);

/// Reads a header and checks magic and length; empty when it is not one of this version.
[[nodiscard]] std::optional<FrameHeader> decode_header(std::string_view bytes);

// Payloads. Empty when the bytes are not exactly one such value.
[[nodiscard]] std::optional<Hello> decode_hello(std::string_view payload);
[[nodiscard]] std::optional<CompileRequest> decode_request(std::string_view payload);
[[nodiscard]] std::optional<CompileResult> decode_result(std::string_view payload);
[[nodiscard]] std::optional<Error> decode_error(std::string_view payload);
[[nodiscard]] std::optional<Query> decode_query(std::string_view payload);
[[nodiscard]] std::optional<CompilerInfo> decode_info(std::string_view payload);

}  // namespace wavesmith::runtime::protocol
