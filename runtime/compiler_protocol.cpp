// Encoding and decoding of frames. `fields` lists each struct's members once; Encoder and Decoder walk that
// list.
#include "runtime/compiler_protocol.h"

#include <concepts>
#include <cstring>
#include <type_traits>
#include <vector>

namespace wavesmith::runtime::protocol {
namespace {

/// T itself or const T, so that one list of members serves reading and writing.
template <class T, class Plain>
concept Maybe = std::same_as<std::remove_const_t<T>, Plain>;

void fields(auto& codec, Maybe<CompilerInfo> auto& value) {
  codec(value.version, value.identity, value.llvm_major, value.processors);
}
void fields(auto& codec, Maybe<Hello> auto& value) {
  codec(value.llvm);
}
void fields(auto& codec, Maybe<CompileRequest> auto& value) {
  codec(value.ir, value.target, value.code_object_version, value.optimization_level, value.backend,
        value.want_assembly, value.want_disassembly);
}
void fields(auto& codec, Maybe<CompileMilliseconds> auto& value) {
  codec(value.parse, value.verify, value.optimize, value.codegen, value.link);
}
void fields(auto& codec, Maybe<CompileResult> auto& value) {
  codec(value.hsaco, value.assembly, value.disassembly, value.log, value.compiler, value.milliseconds);
}
void fields(auto& codec, Maybe<Query> auto& value) {
  codec(value.backend);
}
void fields(auto& codec, Maybe<Refusal> auto& value) {
  codec(value.field, value.value, value.allowed);
}
void fields(auto& codec, Maybe<Error> auto& value) {
  codec(value.kind, value.message, value.log, value.refusals);
}

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Encoder {
 public:
  void operator()(const auto&... values) { (put(values), ...); }

  std::string bytes;

 private:
  void put(const Scalar auto& value) { append(&value, sizeof value); }
  void put(const std::string& text) { put_block(text.data(), text.size()); }
  void put(const std::vector<std::byte>& block) { put_block(block.data(), block.size()); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    for (const T& element : list) put(element);
  }
  template <class T>
    requires std::is_class_v<T>
  void put(const T& value) {
    fields(*this, value);
  }

  void put_block(const void* data, std::size_t size) {
    put(std::uint64_t{size});
    append(data, size);
  }
  void append(const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); }
};

/// Reads in the same order; the first thing that does not fit ends it, and `ok` says so.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  void operator()(auto&... values) { (get(values), ...); }
  [[nodiscard]] bool complete() const { return ok_ && rest_.empty(); }

 private:
  template <Scalar T>
  void get(T& value) {
    const std::string_view bytes = take(sizeof value);
    if (!ok_) return;
    if constexpr (std::same_as<T, bool>) {
      value = bytes[0] != 0;
    } else {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
  }
  void get(std::string& text) { text = take_block(); }
  void get(std::vector<std::byte>& block) {
    const std::string_view bytes = take_block();
    block.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(block.data(), bytes.data(), bytes.size());
  }
  template <class T>
  void get(std::vector<T>& list) {
    std::uint64_t size = 0;
    get(size);
    // Grown one by one: a corrupt count ends at the end of the bytes, not in an allocation.
    while (ok_ && size-- > 0) get(list.emplace_back());
  }
  template <class T>
    requires std::is_class_v<T>
  void get(T& value) {
    fields(*this, value);
  }

  std::string_view take(std::uint64_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view take_block() {
    std::uint64_t size = 0;
    get(size);
    return ok_ ? take(size) : std::string_view();
  }

  std::string_view rest_;
  bool ok_ = true;
};

template <class T>
std::string frame(FrameKind kind, const T& value) {
  Encoder encoder;
  encoder.bytes.resize(sizeof(FrameHeader));
  encoder(value);
  const FrameHeader header{
      .magic = kMagic, .kind = kind, .payload_bytes = encoder.bytes.size() - sizeof(FrameHeader)};
  std::memcpy(encoder.bytes.data(), &header, sizeof header);
  return std::move(encoder.bytes);
}

template <class T>
std::optional<T> payload_as(std::string_view payload) {
  T value;
  Decoder decoder(payload);
  decoder(value);
  if (!decoder.complete()) return std::nullopt;
  return value;
}

}  // namespace

std::string encode(const Hello& hello) {
  return frame(FrameKind::hello, hello);
}
std::string encode(const CompileRequest& request) {
  return frame(FrameKind::request, request);
}
std::string encode(const CompileResult& result) {
  return frame(FrameKind::result, result);
}
std::string encode(const Error& error) {
  return frame(FrameKind::error, error);
}
std::string encode(const Query& query) {
  return frame(FrameKind::query, query);
}
std::string encode(const CompilerInfo& info) {
  return frame(FrameKind::info, info);
}

std::optional<FrameHeader> decode_header(std::string_view bytes) {
  FrameHeader header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool known_kind = header.kind >= FrameKind::hello && header.kind <= FrameKind::info;
  if (header.magic != kMagic || !known_kind || header.payload_bytes > kMaxPayloadBytes) return std::nullopt;
  return header;
}

std::optional<Hello> decode_hello(std::string_view payload) {
  return payload_as<Hello>(payload);
}
std::optional<CompileRequest> decode_request(std::string_view payload) {
  return payload_as<CompileRequest>(payload);
}
std::optional<CompileResult> decode_result(std::string_view payload) {
  return payload_as<CompileResult>(payload);
}
std::optional<Query> decode_query(std::string_view payload) {
  return payload_as<Query>(payload);
}
std::optional<CompilerInfo> decode_info(std::string_view payload) {
  return payload_as<CompilerInfo>(payload);
}
std::optional<Error> decode_error(std::string_view payload) {
  std::optional<Error> error = payload_as<Error>(payload);
  if (error && (error->kind < ErrorKind::check_failed || error->kind > ErrorKind::environment))
    return std::nullopt;
  return error;
}

}  // namespace wavesmith::runtime::protocol
