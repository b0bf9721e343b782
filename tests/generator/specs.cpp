#include "tests/generator/specs.h"

#include <stdexcept>

#include <fmt/format.h>

#include "generator/attention_dense/emit.h"

namespace wavesmith::test {

const lowering::TargetId& target() {
  static const lowering::TargetId gfx950{.processor = "gfx950"};
  return gfx950;
}

dense::Spec spec(int head_size, int query_heads, int kv_heads, dense::DType dtype, dense::Mask mask) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = query_heads;
  spec.num_kv_heads = kv_heads;
  spec.dtype = dtype;
  spec.mask = mask;
  return spec;
}

std::vector<dense::Spec> all_geometries() {
  std::vector<dense::Spec> specs;
  for (const int head_size : {64, 128})
    for (const int block_m : {128, 256})
      for (const int block_n : {32, 64, 128}) {
        dense::Spec one = spec(head_size, 4, 1);
        one.block_m = block_m;
        one.block_n = block_n;
        if (head_size == 128 && block_m == 128 && block_n == 128) one.waves_per_eu = 1;
        specs.push_back(one);
      }
  return specs;
}

std::string name_of(const dense::Spec& spec) {
  return fmt::format("d{} bm{} bn{} {} {} w{}{}{}", spec.head_size, spec.block_m, spec.block_n,
                     generator::value_text(spec.mask), generator::value_text(spec.dtype), spec.waves_per_eu,
                     spec.lse ? " lse" : "", spec.lazy_rescale ? "" : " exact") +
         (spec.persistent ? " persistent" : "");
}

dense::Plan resolved(const dense::Spec& spec) {
  Expected<dense::Plan> plan = dense::resolve(spec, target());
  if (!plan) throw std::runtime_error(plan.error().message);
  return *std::move(plan);
}

std::string emitted(const dense::Spec& spec) {
  Expected<std::string> text = dense::emit(resolved(spec), *lowering::find_flavour("llvm22"));
  if (!text) throw std::runtime_error(text.error().message);
  return *std::move(text);
}

std::string masked(std::string text, std::string_view symbol) {
  constexpr std::string_view mask = "SYMBOL";
  for (std::size_t at = 0; (at = text.find(symbol, at)) != std::string::npos; at += mask.size())
    text.replace(at, symbol.size(), mask);
  return text;
}

}  // namespace wavesmith::test
