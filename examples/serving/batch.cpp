// Packing, launching and judging one batch.
#include "batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference.hpp"

namespace serving {
namespace {

using example::Buffer;
using example::check;
using example::sized;

std::size_t elements(int tokens, int heads, int head_size) {
  return static_cast<std::size_t>(tokens) * static_cast<std::size_t>(heads) *
         static_cast<std::size_t>(head_size);
}

/// Bytes of the most tokens that a batch has, with as many heads as any model.
std::size_t most_bytes(const std::vector<Model>& models, const Options& options, int ModelShape::* heads) {
  std::size_t most = 0;
  for (const Model& model : models)
    most = std::max(most, 2 * elements(options.max_tokens, model.shape.*heads, model.shape.head_size));
  return most;
}

void append(std::vector<std::uint16_t>& to, const std::vector<std::uint16_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

BatchSlot::BatchSlot(wavesmith_launcher* launcher, const std::vector<Model>& models, const Options& options)
    : launcher_(launcher),
      q_(launcher, 0, most_bytes(models, options, &ModelShape::query_heads)),
      k_(launcher, 0, most_bytes(models, options, &ModelShape::kv_heads)),
      v_(launcher, 0, k_.bytes()),
      o_(launcher, 0, q_.bytes()),
      cu_seqlens_q_(launcher, 0, (options.max_batch + 1) * sizeof(std::int32_t)),
      cu_seqlens_kv_(launcher, 0, cu_seqlens_q_.bytes()),
      stream_(launcher, 0) {}

void BatchSlot::pack(const ModelShape& shape) {
  host_q_.clear();
  host_k_.clear();
  host_v_.clear();
  cu_q_ = cu_kv_ = {0};
  for (const Request& request : requests_) {
    append(host_q_, request.q);
    append(host_k_, request.k);
    append(host_v_, request.v);
    cu_q_.push_back(cu_q_.back() + request.queries);
    cu_kv_.push_back(cu_kv_.back() + request.keys);
  }
  host_o_.assign(elements(cu_q_.back(), shape.query_heads, shape.head_size), 0);
}

wavesmith_launch BatchSlot::plan(const Model& model) const {
  const ModelShape& shape = model.shape;
  auto shapes = sized<wavesmith_attention_shapes>();
  shapes.batch = static_cast<std::int64_t>(requests_.size());
  for (const Request& request : requests_) {
    shapes.seqlen_q = std::max<std::int64_t>(shapes.seqlen_q, request.queries);
    shapes.seqlen_kv = std::max<std::int64_t>(shapes.seqlen_kv, request.keys);
  }
  check(wavesmith_contiguous_strides(WAVESMITH_THD, 0, shape.query_heads, shape.head_size, &shapes.q));
  check(wavesmith_contiguous_strides(WAVESMITH_THD, 0, shape.kv_heads, shape.head_size, &shapes.k));
  shapes.o = shapes.q;
  shapes.v = shapes.k;
  auto data = sized<wavesmith_sequence_data>();
  data.cu_seqlens_q = cu_q_.data();
  data.cu_seqlens_q_count = cu_q_.size();
  data.cu_seqlens_kv = cu_kv_.data();
  data.cu_seqlens_kv_count = cu_kv_.size();
  check(wavesmith_check_sequences(model.kernel.get(), &shapes, &data));
  auto buffers = sized<wavesmith_attention_buffers>();
  buffers.q = q_.address();
  buffers.k = k_.address();
  buffers.v = v_.address();
  buffers.o = o_.address();
  buffers.cu_seqlens_q = cu_seqlens_q_.address();
  buffers.cu_seqlens_kv = cu_seqlens_kv_.address();
  auto launch = sized<wavesmith_launch>();
  check(wavesmith_plan_attention(model.kernel.get(), &shapes, &buffers, &launch));
  return launch;
}

void BatchSlot::launch(Model& model, std::vector<Request> requests, std::size_t number) {
  requests_ = std::move(requests);
  number_ = number;
  pack(model.shape);
  const wavesmith_launch planned = plan(model);
  model_ = &model;
  q_.upload(host_q_.data(), host_q_.size() * 2, stream_);
  k_.upload(host_k_.data(), host_k_.size() * 2, stream_);
  v_.upload(host_v_.data(), host_v_.size() * 2, stream_);
  cu_seqlens_q_.upload(cu_q_.data(), cu_q_.size() * sizeof(std::int32_t), stream_);
  cu_seqlens_kv_.upload(cu_kv_.data(), cu_kv_.size() * sizeof(std::int32_t), stream_);
  o_.poison(stream_);
  check(wavesmith_launcher_launch(launcher_, model.loaded.get(), &planned, stream_.get()));
  o_.download(host_o_.data(), host_o_.size() * 2, stream_);
}

double BatchSlot::finish(bool check_results) {
  const ModelShape& shape = model_->shape;
  model_ = nullptr;
  stream_.synchronize();
  double error = 0;
  if (!check_results) return error;
  const std::uint16_t* o = host_o_.data();
  constexpr int all = std::numeric_limits<int>::max();
  for (const Request& request : requests_) {
    const example::AttentionResult expected = example::reference(
        {request.q.data(), request.k.data(), request.v.data(), request.queries, request.keys,
         shape.query_heads, shape.kv_heads, shape.head_size, all, shape.causal ? 0 : all});
    for (const double value : expected.o) {
      const double difference = std::abs(static_cast<double>(example::from_bf16(*o++)) - value);
      if (!std::isnan(error) && !(difference <= error)) error = difference;  // NaN comes and stays
    }
  }
  return error;
}

}  // namespace serving
