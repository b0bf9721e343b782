// Launch files: JSON that names one launch of any kernel, with its buffers and values. parse_launch_file()
// turns the text into a LaunchFile and refuses everything that is malformed in itself; simulate.h checks it
// against a code object and runs it. docs/verification.md describes the format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::verify {

enum class DataType : std::uint8_t { bf16, fp16, f32, i32, u8 };
enum class Init : std::uint8_t {
  normal,   ///< mean 0, standard deviation `scale`
  uniform,  ///< from -scale to scale
  iota,     ///< 0, scale, 2 * scale, …
  nan,      ///< floating types only
  zero,
};

[[nodiscard]] std::size_t bytes_of(DataType type);

/// A buffer with generated contents. Integer types get the rounded value, saturated.
struct BufferArgument {
  DataType type{};
  std::uint64_t elements = 0;  ///< at least 1, at most 2^40 bytes in all, 2^34 unless it is zero
  Init init{};
  std::uint64_t seed = 1;
  double scale = 1;

  [[nodiscard]] std::uint64_t bytes() const { return elements * bytes_of(type); }
};

/// A buffer that holds a file's bytes.
struct FileArgument {
  std::string path;  ///< as written; simulate.h says what it is relative to
};

/// A number, little-endian, aligned to its size.
struct ValueArgument {
  std::vector<std::byte> bytes;
};

struct LaunchArgument;

/// A structure by value: members at their natural alignment, padded to the largest of them, as in C.
struct StructArgument {
  std::vector<LaunchArgument> members;
};

/// Buffers and files become their device address.
struct LaunchArgument {
  std::string name;
  std::variant<BufferArgument, FileArgument, ValueArgument, StructArgument> value;
};

/// Writes the device address of buffer `to`, plus some bytes, into buffer `in`. Buffers inside structures are
/// called STRUCT.MEMBER.
struct PointerPatch {
  std::string in;
  std::uint64_t at = 0;  ///< byte offset
  std::string to;
  std::uint64_t plus = 0;  ///< bytes
};

struct LaunchFile {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{};   ///< workgroups
  std::array<std::uint32_t, 3> block{};  ///< work-items
  std::uint32_t dynamic_lds_bytes = 0;
  std::vector<LaunchArgument> arguments;
  std::vector<PointerPatch> pointers;
};

/// Errors: invalid_request with every refused value; fields read like "args[2].buffer.dtype". Buffers that
/// `pointers` names exist; whether offsets fit them is left to who knows the sizes of files.
[[nodiscard]] Expected<LaunchFile> parse_launch_file(std::string_view text);

}  // namespace wavesmith::verify
