// Prints cases of plan-score and the emulation's scores for plan_score_reference.py, a case a line, all
// numbers the bits in hexadecimal: key type, scale, query's elements, key's elements, score.
#include <bit>
#include <cstdio>
#include <random>

#include "simulator/oracle/plan_score.h"

namespace oracle = wavesmith::oracle;
using oracle::ElementType;

namespace {

// Finite numbers of either sign with random mantissas, one in sixteen a zero.
class Draw {
 public:
  std::uint32_t query() { return number(23, 107, 40); }
  std::uint16_t key(ElementType type) {
    return static_cast<std::uint16_t>(type == ElementType::bf16 ? number(7, 107, 40) : number(10, 0, 31));
  }

 private:
  // The exponent field is one of `exponents` from `least`; the sign is above it.
  std::uint32_t number(unsigned mantissa_bits, std::uint32_t least, std::uint32_t exponents) {
    const unsigned exponent_bits = mantissa_bits == 10 ? 5 : 8;
    const std::uint64_t random = engine_();
    const auto sign = static_cast<std::uint32_t>(random & 1) << (mantissa_bits + exponent_bits);
    if ((random >> 1) % 16 == 0) return sign;
    const auto exponent = least + static_cast<std::uint32_t>((random >> 5) % exponents);
    const auto mantissa = static_cast<std::uint32_t>(random >> (64 - mantissa_bits));
    return sign | exponent << mantissa_bits | mantissa;
  }

  std::mt19937_64 engine_{8};
};

}  // namespace

int main() {
  Draw draw;
  for (const ElementType type : {ElementType::bf16, ElementType::fp16})
    for (const std::size_t size : {20U, 64U, 80U, 128U, 256U})
      for (int i = 0; i < 40; ++i) {
        std::vector<float> query;
        std::vector<std::uint16_t> key;
        for (std::size_t element = 0; element < size; ++element) {
          query.push_back(std::bit_cast<float>(draw.query()));
          key.push_back(draw.key(type));
        }
        const float scale = oracle::plan_score_scale(static_cast<std::int64_t>(size));
        std::printf("%s %x ", type == ElementType::bf16 ? "bf16" : "fp16",
                    std::bit_cast<std::uint32_t>(scale));
        for (const float one : query) std::printf("%08x", std::bit_cast<std::uint32_t>(one));
        std::printf(" ");
        for (const std::uint16_t one : key) std::printf("%04x", static_cast<unsigned>(one));
        std::printf(" %x\n", std::bit_cast<std::uint32_t>(
                                 oracle::plan_score(query, oracle::widen_all(type, key), scale)));
      }
}
