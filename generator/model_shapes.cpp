// The table of shapes.
#include "generator/model_shapes.h"

#include <algorithm>
#include <array>
#include <string>

namespace wavesmith::generator {
namespace {

// Sources are repositories on huggingface.co; head size is head_dim, or hidden_size / num_attention_heads
// where a config has none. Configs name float32 for some encoders, which run in fp16.
constexpr std::array shapes{
    ModelShape{"llama-2-7b", "meta-llama/Llama-2-7b-hf", 128, 32, 32, "causal", 0, false, "fp16"},
    ModelShape{"llama-3.1-8b", "meta-llama/Llama-3.1-8B", 128, 32, 8, "causal", 0, false, "bf16"},
    ModelShape{"llama-3.1-70b", "meta-llama/Llama-3.1-70B", 128, 64, 8, "causal", 0, false, "bf16"},
    ModelShape{"llama-3.1-405b", "meta-llama/Llama-3.1-405B", 128, 128, 8, "causal", 0, false, "bf16"},
    ModelShape{"llama-3.2-1b", "meta-llama/Llama-3.2-1B", 64, 32, 8, "causal", 0, false, "bf16"},
    ModelShape{"llama-3.2-3b", "meta-llama/Llama-3.2-3B", 128, 24, 8, "causal", 0, false, "bf16"},
    ModelShape{"qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B", 64, 14, 2, "causal", 0, false, "bf16"},
    ModelShape{"qwen2.5-7b", "Qwen/Qwen2.5-7B", 128, 28, 4, "causal", 0, false, "bf16"},
    ModelShape{"qwen3-0.6b", "Qwen/Qwen3-0.6B", 128, 16, 8, "causal", 0, false, "bf16"},
    ModelShape{"qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B", 128, 64, 4, "causal", 0, false, "bf16"},
    ModelShape{"mistral-7b", "mistralai/Mistral-7B-v0.3", 128, 32, 8, "causal", 0, false, "bf16"},
    ModelShape{"phi-4", "microsoft/phi-4", 128, 40, 10, "causal", 0, false, "bf16"},
    ModelShape{"falcon-7b", "tiiuae/falcon-7b", 64, 71, 1, "causal", 0, false, "bf16"},
    ModelShape{"gpt2", "openai-community/gpt2", 64, 12, 12, "causal", 0, false, "fp16"},
    ModelShape{"smollm2-135m", "HuggingFaceTB/SmolLM2-135M", 64, 9, 3, "causal", 0, false, "bf16"},
    ModelShape{"whisper-large-v3/encoder", "openai/whisper-large-v3", 64, 20, 20, "full", 0, false, "fp16"},
    ModelShape{"bert-base", "google-bert/bert-base-uncased", 64, 12, 12, "full", 0, false, "fp16"},
    ModelShape{"vit-large", "google/vit-large-patch16-224", 64, 16, 16, "full", 0, false, "fp16"},
    // Windows and sinks; what is not built are other head sizes.
    ModelShape{"mistral-7b-v0.1", "mistralai/Mistral-7B-v0.1", 128, 32, 8, "window", 4096, false, "bf16"},
    ModelShape{"starcoder2-3b", "bigcode/starcoder2-3b", 128, 24, 2, "window", 4096, false, "bf16"},
    ModelShape{"gemma-3-27b", "google/gemma-3-27b-pt", 128, 32, 16, "causal", 0, false, "bf16"},
    ModelShape{"gemma-3-27b/local", "google/gemma-3-27b-pt", 128, 32, 16, "window", 1024, false, "bf16"},
    ModelShape{"gpt-oss-120b", "openai/gpt-oss-120b", 64, 64, 8, "causal", 0, true, "bf16"},
    ModelShape{"gpt-oss-120b/local", "openai/gpt-oss-120b", 64, 64, 8, "window", 128, true, "bf16"},
    ModelShape{"gemma-2b", "google/gemma-2b", 256, 8, 1, "causal", 0, false, "bf16"},
    ModelShape{"phi-3-mini-4k", "microsoft/Phi-3-mini-4k-instruct", 96, 32, 32, "window", 2047, false,
               "bf16"},
};

}  // namespace

std::span<const ModelShape> model_shapes() {
  return shapes;
}

const ModelShape* find_model_shape(std::string_view name) {
  const auto* const found = std::ranges::find(shapes, name, &ModelShape::name);
  return found == shapes.end() ? nullptr : found;
}

FieldTexts fields_of(const ModelShape& shape) {
  return {{"head_size", std::to_string(shape.head_size)},
          {"num_query_heads", std::to_string(shape.query_heads)},
          {"num_kv_heads", std::to_string(shape.kv_heads)},
          {"mask", std::string(shape.mask)},
          {"sinks", shape.sinks ? "true" : "false"},
          {"dtype", std::string(shape.dtype)}};
}

std::string model_shape_names() {
  std::string names;
  for (const ModelShape& shape : shapes) {
    if (!names.empty()) names += ", ";
    names += shape.name;
  }
  return names;
}

}  // namespace wavesmith::generator
