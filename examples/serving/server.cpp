// One thread that admits, launches and finishes in turn.
#include "server.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace serving {
namespace {

using example::check;
using example::made;
using example::sized;

example::Jit make_jit(const Options& options) {
  auto jit = sized<wavesmith_jit_options>();
  jit.cache_directory = options.cache.empty() ? nullptr : options.cache.c_str();
  return made<example::Jit>(wavesmith_jit_create, &jit);
}

std::vector<Model> make_models(const wavesmith_launcher* launcher, std::size_t count) {
  auto device = sized<wavesmith_device_info>();
  check(wavesmith_launcher_get_device(launcher, 0, &device));
  std::printf("device %s, %s\n", device.name, device.target);
  std::vector<Model> result;
  for (ModelShape& shape : models(count)) {
    Model model;
    const std::string json = "{" + shape.fields() + ", \"target\": \"" + device.target + "\"}";
    model.request = made<example::Request>(wavesmith_request_from_json, json.c_str());
    // Refused now and not with the first request.
    check(wavesmith_supports(model.request.get()));
    model.shape = std::move(shape);
    result.push_back(std::move(model));
  }
  return result;
}

}  // namespace

Server::Server(const Options& options)
    : options_(options),
      start_(std::chrono::steady_clock::now()),
      launcher_(made<example::Launcher>(wavesmith_launcher_open,
                                        options.hip.empty() ? nullptr : options.hip.c_str())),
      jit_(make_jit(options)),
      models_(make_models(launcher_.get(), options.models)) {
  for (std::size_t i = 0; i < options.streams; ++i)
    slots_.push_back(std::make_unique<BatchSlot>(launcher_.get(), models_, options));
}

double Server::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Server::admit(std::vector<Request>& arriving, std::size_t& next) {
  for (; next < arriving.size() && arriving[next].arrival <= now(); ++next) {
    Request request = std::move(arriving[next]);
    Model& model = models_[request.model];
    fill(request, model.shape, options_.seed);
    std::printf("%8.3f request %zu for %s: %d tokens, %d keys\n", now(), request.id, model.shape.name.c_str(),
                request.queries, request.keys);
    model.waiting.push_back(std::move(request));
  }
}

bool Server::ready(Model& model) {
  if (model.loaded) return true;
  if (!model.failure.empty()) return false;
  if (model.asked < 0) model.asked = now();
  wavesmith_kernel* kernel = nullptr;
  const double before = now();
  const wavesmith_status status = wavesmith_jit_prepare(jit_.get(), model.request.get(), &kernel);
  summary_.longest_prepare = std::max(summary_.longest_prepare, now() - before);
  if (status == WAVESMITH_NOT_READY) return false;
  if (status != WAVESMITH_OK) {
    model.failure = std::string(wavesmith_last_error()) + "\n" + wavesmith_last_error_log();
    model.status = status;
    return false;
  }
  model.kernel.reset(kernel);
  model.loaded = made<example::LoadedKernel>(wavesmith_launcher_load, launcher_.get(), 0, model.kernel.get());
  model.ready = now();
  auto info = sized<wavesmith_kernel_info>();
  check(wavesmith_kernel_get_info(model.kernel.get(), &info));
  std::printf("%8.3f kernel of %s is ready after %.0f ms: %s\n", now(), model.shape.name.c_str(),
              1000 * (model.ready - model.asked), info.symbol);
  return true;
}

void Server::give_up(Model& model) {
  std::fprintf(stderr, "no kernel for %s, %zu requests fail: %s\n", model.shape.name.c_str(),
               model.waiting.size(), model.failure.c_str());
  summary_.failed += model.waiting.size();
  summary_.status = model.status;
  model.waiting.clear();
}

bool Server::launch_batch(Model& model) {
  const auto slot = std::find_if(slots_.begin(), slots_.end(), [](const auto& one) { return !one->busy(); });
  if (slot == slots_.end()) return false;
  int tokens = 0;
  std::size_t count = 0;
  while (count < model.waiting.size() && count < options_.max_batch &&
         tokens + model.waiting[count].keys <= options_.max_tokens)
    tokens += model.waiting[count++].keys;
  const auto end = model.waiting.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Request> requests(std::make_move_iterator(model.waiting.begin()), std::make_move_iterator(end));
  model.waiting.erase(model.waiting.begin(), end);
  std::printf("%8.3f batch %zu of %s: %zu requests, %d keys, stream %zu\n", now(), summary_.batches,
              model.shape.name.c_str(), count, tokens, static_cast<std::size_t>(slot - slots_.begin()));
  (*slot)->launch(model, std::move(requests), summary_.batches++);
  return true;
}

bool Server::finish_oldest() {
  BatchSlot* oldest = nullptr;
  for (const auto& slot : slots_)
    if (slot->busy() && (oldest == nullptr || slot->number() < oldest->number())) oldest = slot.get();
  if (oldest == nullptr) return false;
  const bool compiling = anything_compiles();
  const double error = oldest->finish(options_.check);
  if (!std::isnan(summary_.largest_error) && !(error <= summary_.largest_error))
    summary_.largest_error = error;
  summary_.served += oldest->requests().size();
  summary_.batches_beside_compiles += compiling ? 1 : 0;
  std::printf("%8.3f batch %zu is done", now(), oldest->number());
  std::printf(options_.check ? ", largest error %.2e\n" : "\n", error);
  return true;
}

bool Server::anything_waits() const {
  return std::any_of(models_.begin(), models_.end(),
                     [](const Model& model) { return !model.waiting.empty(); });
}

bool Server::anything_compiles() const {
  return std::any_of(models_.begin(), models_.end(), [](const Model& model) {
    return model.asked >= 0 && !model.loaded && model.failure.empty();
  });
}

Summary Server::run(std::vector<Request> arriving, const std::atomic<bool>& stop) {
  start_ = std::chrono::steady_clock::now();
  std::size_t next = 0;
  while (!stop) {
    admit(arriving, next);
    bool progress = false;
    for (Model& model : models_) {
      if (model.waiting.empty()) continue;
      if (ready(model))
        progress = launch_batch(model) || progress;
      else if (!model.failure.empty())
        give_up(model);
    }
    if (progress || finish_oldest()) continue;
    if (next == arriving.size() && !anything_waits()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (finish_oldest()) continue;
  for (const Model& model : models_) summary_.dropped += model.waiting.size();
  summary_.dropped += arriving.size() - next;
  return summary_;
}

wavesmith_statistics Server::statistics() const {
  auto statistics = sized<wavesmith_statistics>();
  check(wavesmith_jit_statistics(jit_.get(), &statistics));
  return statistics;
}

}  // namespace serving
