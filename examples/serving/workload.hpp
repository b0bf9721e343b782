// What is to be served: models, and requests for them that arrive at random times with prompts of random
// lengths. All of it follows from the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"

namespace serving {

/// The attention of one model.
struct ModelShape {
  std::string name;
  int query_heads, kv_heads, head_size;
  bool causal;
  /// The fields of its kernel as JSON, without the target.
  [[nodiscard]] std::string fields() const;
};

/// The first `count` models.
std::vector<ModelShape> models(std::size_t count);

/// A prompt of `queries` tokens, whose keys begin with those of an earlier part.
struct Request {
  std::size_t id = 0;
  std::size_t model = 0;
  double arrival = 0;  ///< seconds after the start
  int queries = 0, keys = 0;
  std::vector<std::uint16_t> q, k, v;  ///< bf16, [token, head, head size]
};

/// Requests without their tensors, in the order of their arrival: a Poisson process.
std::vector<Request> arrivals(const Options& options);

/// Fills in the tensors.
void fill(Request& request, const ModelShape& model, std::uint64_t seed);

}  // namespace serving
