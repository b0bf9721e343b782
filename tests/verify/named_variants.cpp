// The lists.
#include "tests/verify/named_variants.h"

#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    v.shape.window_left = 127;
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
  add("window of 128 keys", window);
  add("persistent, window of 128 keys", [&](NamedVariant& v) {
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

std::vector<NamedVariant> named_shapes(int head_size) {
  std::vector<NamedVariant> all;
  const auto base = [&](std::int64_t seqlen_q, std::int64_t seqlen_kv, bool persistent) {
    NamedVariant one{.name = fmt::format("{} x {}{}", seqlen_q, seqlen_kv, persistent ? ", persistent" : ""),
                     .spec = {},
                     .shape = {.seqlen_q = seqlen_q, .seqlen_kv = seqlen_kv, .softmax_scale = {}}};
    one.spec.head_size = head_size;
    one.spec.num_query_heads = 2;
    one.spec.num_kv_heads = 1;
    one.spec.lse = true;
    one.spec.persistent = persistent;
    if (persistent) one.shape.num_persistent = 3;
    return one;
  };
  for (const bool persistent : {false, true}) {
    for (const std::int64_t length : {1, 63, 64, 65, 500, 2049})
      all.push_back(base(length, length, persistent));
    for (const bool sinks : {false, true})
      for (const auto& [queries, keys] : {std::pair{65, 500}, {500, 65}, {2049, 64}, {64, 2049}}) {
        NamedVariant one = base(queries, keys, persistent);
        one.spec.sinks = sinks;
        one.name += sinks ? ", causal, sinks" : ", causal";
        all.push_back(std::move(one));
      }
    // Of so many keys, the query's own included.
    for (const std::int64_t keys : {1, 2, 127, 128, 129, 5000}) {
      NamedVariant one = base(500, 500, persistent);
      one.spec.mask = dense::Mask::window;
      one.shape.window_left = keys - 1;
      one.shape.window_right = 0;
      one.name += fmt::format(", window of {} keys", keys);
      all.push_back(std::move(one));
    }
    // One kernel for both: lengths are in memory, and the longest is the same.
    for (const std::vector<std::int64_t>& lengths :
         {std::vector<std::int64_t>{256, 512, 768, 1024, 1536, 2048}, std::vector<std::int64_t>(4, 2048)}) {
      NamedVariant one = base(0, 0, persistent);
      one.spec.sequences = dense::Sequences::varlen;
      one.shape.batch = static_cast<std::int64_t>(lengths.size());
      one.shape.seqlens_q = one.shape.seqlens_kv = lengths;
      one.name = fmt::format("varlen {}{}", fmt::join(lengths, ","), persistent ? ", persistent" : "");
      all.push_back(std::move(one));
    }
    if (head_size != 64) continue;
    NamedVariant model = base(300, 400, persistent);
    model.spec.num_query_heads = 64;
    model.spec.num_kv_heads = 8;
    model.spec.mask = dense::Mask::window;
    model.spec.sinks = true;
    model.shape.window_left = 127;
    model.shape.window_right = 0;
    model.name += ", 64 query heads, 8 kv heads, window of 128 keys, sinks";
    all.push_back(std::move(model));
  }
  return all;
}

}  // namespace wavesmith::test
