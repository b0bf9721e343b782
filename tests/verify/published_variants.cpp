// The nineteen, as what they change of one base case.
#include "tests/verify/published_variants.h"

#include <functional>

namespace wavesmith::test {

std::vector<NamedVariant> published_variants(int head_size) {
  using dense::DType;
  using dense::Mask;
  std::vector<NamedVariant> all;
  const auto add = [&](std::string name, const std::function<void(NamedVariant&)>& change) {
    NamedVariant variant{.name = std::move(name), .spec = {}, .shape = {.softmax_scale = {}}};
    variant.spec.head_size = head_size;
    variant.spec.num_query_heads = 4;
    variant.spec.num_kv_heads = 1;
    // Two blocks of rows and eight tiles: the published cases' length.
    variant.shape.seqlen_q = variant.shape.seqlen_kv = 512;
    change(variant);
    all.push_back(std::move(variant));
  };
  const auto heads = [](NamedVariant& v, int query, int kv) {
    v.spec.num_query_heads = query;
    v.spec.num_kv_heads = kv;
  };
  const auto persistent = [](NamedVariant& v) {
    v.spec.persistent = true;
    v.shape.num_persistent = 3;
  };
  const auto window = [](NamedVariant& v) {
    v.spec.mask = Mask::window;
    v.shape.window_left = 128;
    v.shape.window_right = 0;
  };
  const auto ragged = [](NamedVariant& v) { v.shape.seqlen_q = v.shape.seqlen_kv = 500; };
  add("causal bf16, 4 query heads to a key/value head", [](NamedVariant&) {});
  add("full bf16", [](NamedVariant& v) { v.spec.mask = Mask::full; });
  add("causal fp16", [](NamedVariant& v) { v.spec.dtype = DType::fp16; });
  add("full fp16", [](NamedVariant& v) {
    v.spec.dtype = DType::fp16;
    v.spec.mask = Mask::full;
  });
  add("MHA", [&](NamedVariant& v) { heads(v, 2, 2); });
  add("GQA 8", [&](NamedVariant& v) { heads(v, 8, 1); });
  add("GQA 16", [&](NamedVariant& v) { heads(v, 16, 1); });
  add("persistent", persistent);
  add("persistent, full", [&](NamedVariant& v) {
    persistent(v);
    v.spec.mask = Mask::full;
  });
  add("persistent, GQA 16", [&](NamedVariant& v) {
    persistent(v);
    heads(v, 16, 1);
  });
  add("block_n 32", [](NamedVariant& v) { v.spec.block_n = 32; });
  add("block_n 128", [](NamedVariant& v) { v.spec.block_n = 128; });
  add("persistent, block_n 128", [&](NamedVariant& v) {
    persistent(v);
    v.spec.block_n = 128;
  });
  add("window 128", window);
  add("persistent, window 128", [&](NamedVariant& v) {
    persistent(v);
    window(v);
  });
  add("500 rows and keys", ragged);
  add("persistent, 500 rows and keys", [&](NamedVariant& v) {
    persistent(v);
    ragged(v);
  });
  add("no lazy rescale", [](NamedVariant& v) { v.spec.lazy_rescale = false; });
  add("waves_per_eu 1, block_m 128", [](NamedVariant& v) {
    v.spec.waves_per_eu = 1;
    v.spec.block_m = 128;
  });
  return all;
}

}  // namespace wavesmith::test
