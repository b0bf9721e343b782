// Random requests.
#include "workload.hpp"

#include <algorithm>
#include <random>

#include "wavesmith.hpp"

namespace serving {

std::string ModelShape::fields() const {
  return "\"head_size\": " + std::to_string(head_size) +
         ", \"num_query_heads\": " + std::to_string(query_heads) +
         ", \"num_kv_heads\": " + std::to_string(kv_heads) + ", \"mask\": \"" + (causal ? "causal" : "full") +
         "\", \"sequences\": \"varlen\", \"block_m\": 128";
}

std::vector<ModelShape> models(std::size_t count) {
  std::vector<ModelShape> all{
      {"grouped", 4, 1, 64, true}, {"wide", 1, 1, 128, true}, {"encoder", 2, 2, 64, false}};
  all.resize(std::min(count, all.size()));
  return all;
}

std::vector<Request> arrivals(const Options& options) {
  std::mt19937_64 random(options.seed);
  std::exponential_distribution<double> pause(options.rate);
  std::uniform_int_distribution<std::size_t> model(0, options.models - 1);
  std::uniform_int_distribution<int> length(1, options.max_length);
  std::bernoulli_distribution continued(0.25);
  std::vector<Request> requests(options.requests);
  double now = 0;
  for (std::size_t id = 0; id < requests.size(); ++id) {
    Request& request = requests[id];
    now += pause(random);
    request.id = id;
    request.model = model(random);
    request.arrival = now;
    request.keys = length(random);
    request.queries =
        continued(random) ? std::uniform_int_distribution<int>(1, request.keys)(random) : request.keys;
  }
  return requests;
}

void fill(Request& request, const ModelShape& model, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1'000'003 + request.id);
  const auto tensor = [&](int tokens, int heads, float range) {
    std::uniform_real_distribution<float> uniform(-range, range);
    std::vector<std::uint16_t> values(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(heads) *
                                      static_cast<std::size_t>(model.head_size));
    std::generate(values.begin(), values.end(), [&] { return example::to_bf16(uniform(random)); });
    return values;
  };
  request.q = tensor(request.queries, model.query_heads, 3);
  request.k = tensor(request.keys, model.kv_heads, 1);
  request.v = tensor(request.keys, model.kv_heads, 1);
}

}  // namespace serving
