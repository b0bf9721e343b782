// Identities: hashes that stand for a request, a symbol, an emitter. SHA-256 throughout.
#pragma once

#include <string>
#include <string_view>

namespace wavesmith::generator {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// SHA-256 over the sources of generator, ir_builder and lowering, taken at build time: what an older emitter
/// made is never served as this one's.
[[nodiscard]] std::string_view emitter_identity();

}  // namespace wavesmith::generator
