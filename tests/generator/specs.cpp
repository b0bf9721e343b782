#include "tests/generator/specs.h"

#include <stdexcept>

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
