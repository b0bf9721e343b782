#include "tests/verify/cases.h"

#include <fmt/format.h>

#include "generator/fields.h"

namespace wavesmith::test {
namespace {

verify::AttentionCase shape(std::int64_t batch, std::int64_t seqlen_q, std::int64_t seqlen_kv, bool bhsd) {
  return {.batch = batch, .seqlen_q = seqlen_q, .seqlen_kv = seqlen_kv, .bhsd = bhsd, .softmax_scale = {}};
}

}  // namespace

std::string Variant::name() const {
  return fmt::format("{} {} d{}", generator::value_text(mask), generator::value_text(dtype), head_size);
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const dense::Mask mask : {dense::Mask::full, dense::Mask::causal})
    for (const dense::DType dtype : {dense::DType::bf16, dense::DType::fp16})
      for (const int head_size : {64, 128}) variants.push_back({mask, dtype, head_size});
  return variants;
}

dense::Spec spec_of(const Variant& variant, const Heads& heads) {
  dense::Spec spec;
  spec.head_size = variant.head_size;
  spec.num_query_heads = heads.query;
  spec.num_kv_heads = heads.kv;
  spec.dtype = variant.dtype;
  spec.mask = variant.mask;
  return spec;
}

std::vector<verify::AttentionCase> all_shapes() {
  std::vector<verify::AttentionCase> shapes;
  for (const std::int64_t seqlen_q : lengths)
    for (const std::int64_t seqlen_kv : lengths)
      for (const std::int64_t batch : {1, 2, 3})
        shapes.push_back(shape(batch, seqlen_q, seqlen_kv, shapes.size() % 2 != 0));
  return shapes;
}

std::vector<verify::AttentionCase> covering_shapes(std::size_t variant, std::size_t heads) {
  // Found by trying factors; a test checks what the header promises.
  std::vector<verify::AttentionCase> shapes;
  for (std::size_t t = heads; t < 4 * all_heads.size(); t += all_heads.size()) {
    // The oracle takes seconds for 120 heads.
    const std::size_t batch = all_heads.at(heads).query > 16 ? 1 : 1 + (2 * t + variant) % 3;
    shapes.push_back(shape(static_cast<std::int64_t>(batch), lengths[(t + variant) % 8],
                           lengths[(3 * t + 5 * (t / 8)) % 8], (t / 3 + variant) % 2 != 0));
  }
  // Full and masked tiles, with and without rescaling before every PV, which four heads are enough for; and a
  // first tile that is the only one.
  const std::int64_t four_heads = (4 + all_heads.at(heads).query - 1) / all_heads[heads].query;
  shapes.push_back(shape(four_heads, 64, 255, false));
  shapes.push_back(shape(1, 63, 63, false));
  return shapes;
}

std::string name(const verify::AttentionCase& shape) {
  return fmt::format("batch {}, {} x {}, {}", shape.batch, shape.seqlen_q, shape.seqlen_kv,
                     shape.bhsd ? "bhsd" : "bshd");
}

}  // namespace wavesmith::test
