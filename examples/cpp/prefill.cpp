// Attention prefill from C++: a window of keys, and the logarithms of the denominators beside the result.
// Compiles in the background, launches through HIP, and compares with a reference in double precision.
//
//   prefill [HIP-LIBRARY]
//
// Exit status: 0 right, 1 wrong numbers, else the status that the library gave (4: no GPU).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "reference.hpp"
#include "wavesmith.hpp"

namespace {

using namespace example;

constexpr int kQueries = 90, kKeys = 130, kQueryHeads = 4, kKvHeads = 2, kHeadSize = 64;
constexpr int kWindowLeft = 40, kWindowRight = 0;

std::vector<std::uint16_t> random_tensor(int tokens, int heads, unsigned seed, float range) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-range, range);
  std::vector<std::uint16_t> tensor(static_cast<std::size_t>(tokens) * heads * kHeadSize);
  std::generate(tensor.begin(), tensor.end(), [&] { return to_bf16(uniform(random)); });
  return tensor;
}

/// The kernel, without ever waiting inside the library; a server would do something else meanwhile.
Kernel prepared(wavesmith_jit* jit, const wavesmith_request* request) {
  wavesmith_kernel* kernel = nullptr;
  wavesmith_status status = WAVESMITH_NOT_READY;
  for (int asked = 0; status == WAVESMITH_NOT_READY; ++asked) {
    if (asked > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    status = wavesmith_jit_prepare(jit, request, &kernel);
  }
  check(status);
  return Kernel(kernel);
}

Request request_for(const wavesmith_device_info& device) {
  const std::string json =
      std::string(R"({"head_size": 64, "num_query_heads": 4, "num_kv_heads": 2, "mask": "window",)") +
      R"( "lse": true, "block_m": 128, "target": ")" + device.target + "\"}";
  return made<Request>(wavesmith_request_from_json, json.c_str());
}

wavesmith_strides strides_of(int seqlen, int heads) {
  wavesmith_strides strides{};
  check(wavesmith_contiguous_strides(WAVESMITH_BSHD, seqlen, heads, kHeadSize, &strides));
  return strides;
}

/// NaN comes and stays.
double largest(double error, double difference) {
  return std::isnan(error) || difference <= error ? error : difference;
}

int prefill(const char* library) {
  const Launcher launcher = made<Launcher>(wavesmith_launcher_open, library);
  auto device = sized<wavesmith_device_info>();
  check(wavesmith_launcher_get_device(launcher.get(), 0, &device));
  const Jit jit = made<Jit>(wavesmith_jit_create, static_cast<const wavesmith_jit_options*>(nullptr));
  const Request request = request_for(device);
  const Kernel kernel = prepared(jit.get(), request.get());
  const LoadedKernel loaded = made<LoadedKernel>(wavesmith_launcher_load, launcher.get(), 0, kernel.get());

  const auto q = random_tensor(kQueries, kQueryHeads, 1, 3), k = random_tensor(kKeys, kKvHeads, 2, 1),
             v = random_tensor(kKeys, kKvHeads, 3, 1);
  std::vector<std::uint16_t> o(q.size());
  std::vector<float> lse(static_cast<std::size_t>(kQueryHeads) * kQueries);
  // Last in, first out: the stream ends before its memory does.
  const Buffer device_q(launcher.get(), 0, q.size() * 2), device_k(launcher.get(), 0, k.size() * 2),
      device_v(launcher.get(), 0, v.size() * 2), device_o(launcher.get(), 0, o.size() * 2),
      device_lse(launcher.get(), 0, lse.size() * 4);
  const Stream stream(launcher.get(), 0);
  device_q.upload(q.data(), stream);
  device_k.upload(k.data(), stream);
  device_v.upload(v.data(), stream);
  device_o.poison(stream);
  device_lse.poison(stream);

  auto shapes = sized<wavesmith_attention_shapes>();
  shapes.given = WAVESMITH_GIVEN_WINDOW_LEFT | WAVESMITH_GIVEN_WINDOW_RIGHT;
  shapes.batch = 1;
  shapes.seqlen_q = kQueries;
  shapes.seqlen_kv = kKeys;
  shapes.q = shapes.o = strides_of(kQueries, kQueryHeads);
  shapes.k = shapes.v = strides_of(kKeys, kKvHeads);
  shapes.window_left = kWindowLeft;
  shapes.window_right = kWindowRight;
  auto buffers = sized<wavesmith_attention_buffers>();
  buffers.q = device_q.address();
  buffers.k = device_k.address();
  buffers.v = device_v.address();
  buffers.o = device_o.address();
  buffers.lse = device_lse.address();
  auto launch = sized<wavesmith_launch>();
  check(wavesmith_plan_attention(kernel.get(), &shapes, &buffers, &launch));
  check(wavesmith_launcher_launch(launcher.get(), loaded.get(), &launch, stream.get()));
  device_o.download(o.data(), o.size() * 2, stream);
  device_lse.download(lse.data(), lse.size() * 4, stream);
  stream.synchronize();

  const AttentionResult expected = reference({q.data(), k.data(), v.data(), kQueries, kKeys, kQueryHeads,
                                              kKvHeads, kHeadSize, kWindowLeft, kWindowRight});
  double error = 0, lse_error = 0;
  for (std::size_t i = 0; i < o.size(); ++i)
    error = largest(error, std::abs(static_cast<double>(from_bf16(o[i])) - expected.o[i]));
  for (std::size_t i = 0; i < lse.size(); ++i)
    lse_error = largest(lse_error, std::abs(static_cast<double>(lse[i]) - expected.lse[i]));
  constexpr double kTolerance = 0.01, kLseTolerance = 0.001;
  std::printf("%s, %s\nlargest error %.2e, allowed %.2e; of the logarithms %.2e, allowed %.2e\n", device.name,
              device.target, error, kTolerance, lse_error, kLseTolerance);
  return error <= kTolerance && lse_error <= kLseTolerance ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return prefill(count > 1 ? words[1] : nullptr);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return failure.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return WAVESMITH_INTERNAL;
  }
}
