// SHA-256 through nettle.
#include "generator/identity.h"

#include <array>
#include <cstdint>

#include <nettle/sha2.h>

#include "emitter_sources.h"

namespace wavesmith::generator {

std::string sha256_hex(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string_view emitter_identity() {
  return emitter_sources_sha256;
}

}  // namespace wavesmith::generator
