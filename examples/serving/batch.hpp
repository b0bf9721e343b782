// A batch: requests of one model packed one after another, on its way through a stream of its own. A
// BatchSlot has the stream and the memory, and takes one batch after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wavesmith.hpp"
#include "workload.hpp"

namespace serving {

/// A model that is served.
struct Model {
  ModelShape shape;
  example::Request request;
  example::Kernel kernel;         ///< null until it is compiled
  example::LoadedKernel loaded;   ///< null until it is on the device
  std::vector<Request> waiting;   ///< requests, first come first
  double asked = -1, ready = -1;  ///< seconds after the start
  std::string failure;            ///< why there will be no kernel
  wavesmith_status status = WAVESMITH_OK;
};

class BatchSlot {
 public:
  /// Room for the largest batch of any of the models.
  BatchSlot(wavesmith_launcher* launcher, const std::vector<Model>& models, const Options& options);

  /// Packs requests and puts copies and launch into the stream; waits for nothing.
  void launch(Model& model, std::vector<Request> requests, std::size_t number);
  /// Waits for the batch; its requests are done. The largest error of their results, if they are checked.
  double finish(bool check);

  [[nodiscard]] bool busy() const { return model_ != nullptr; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const std::vector<Request>& requests() const { return requests_; }

 private:
  void pack(const ModelShape& shape);
  [[nodiscard]] wavesmith_launch plan(const Model& model) const;

  wavesmith_launcher* launcher_;
  // Copies run when the stream gets to them, so what they read and write stays here until then.
  std::vector<std::uint16_t> host_q_, host_k_, host_v_, host_o_;
  std::vector<std::int32_t> cu_q_, cu_kv_;
  example::Buffer q_, k_, v_, o_, cu_seqlens_q_, cu_seqlens_kv_;
  example::Stream stream_;  ///< destroyed, and waited for, before the memory
  std::vector<Request> requests_;
  Model* model_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace serving
