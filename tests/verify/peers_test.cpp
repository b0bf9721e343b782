// Code objects that another compiler made (Triton's flash attention for gfx950 and gfx942) give right numbers
// and have no hazard: their README describes one interface for all. Without their folder these tests are
// skipped.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/simulator.h"

#include "tools/verify/accuracy.h"
#include "tools/verify/data.h"

namespace oracle = wavesmith::oracle;
namespace simulator = wavesmith::simulator;
namespace verify = wavesmith::verify;

namespace {

/// What the name and the README say of one of them.
struct Peer {
  const char* target;
  const char* file;
  std::int64_t head_size;
  std::uint32_t block_m, waves, dynamic_lds_bytes;
  bool causal;  ///< top-left
};
constexpr Peer causal_d64{
    "gfx950", "triton_fa_gfx950_d64_bm128_bn64_bf16_causal_w4_s2_wpe2.hsaco", 64, 128, 4, 16384, true};
constexpr Peer full_d128{
    "gfx950", "triton_fa_gfx950_d128_bm256_bn64_bf16_full_w8_s2_wpe2.hsaco", 128, 256, 8, 65536, false};

constexpr Peer gfx942_d64{
    "gfx942", "triton_fa_gfx942_d64_bm128_bn64_bf16_causal_w4_s2_wpe2.hsaco", 64, 128, 4, 16384, true};

std::vector<char> code_of(const Peer& peer) {
  const std::filesystem::path folder = WAVESMITH_PEERS;
  if (folder.empty()) SKIP("WAVESMITH_PEER_CODE_OBJECTS is not set");
  std::ifstream file(folder / peer.file, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
T take(wavesmith::Expected<T> value) {
  INFO((value ? std::string() : value.error().message));
  REQUIRE(value);
  return std::move(*value);
}

struct Shape {
  std::int64_t batch, seqlen_q, seqlen_kv, query_heads, kv_heads;
};

verify::TensorData tensor(std::int64_t batch, std::int64_t tokens, std::int64_t heads, std::int64_t head_size,
                          verify::Random& random) {
  const verify::TensorShape shape{
      batch, tokens, heads, head_size, {tokens * heads * head_size, heads * head_size, head_size}};
  return verify::normal(shape, oracle::ElementType::bf16, 1, random);
}

void check_peer(const Peer& peer, const Shape& s) {
  const std::vector<char> code = code_of(peer);
  REQUIRE_FALSE(code.empty());
  verify::Random random(1);
  const verify::TensorData q = tensor(s.batch, s.seqlen_q, s.query_heads, peer.head_size, random);
  const verify::TensorData k = tensor(s.batch, s.seqlen_kv, s.kv_heads, peer.head_size, random);
  const verify::TensorData v = tensor(s.batch, s.seqlen_kv, s.kv_heads, peer.head_size, random);
  const verify::TensorData o = verify::poisoned(q.shape);

  simulator::Device device = take(simulator::Device::create(peer.target));
  const simulator::Module module = take(device.load(std::as_bytes(std::span(code)), peer.file));
  std::vector<simulator::DeviceAddress> addresses;
  for (const verify::TensorData* one : {&q, &k, &v, &o}) {
    addresses.push_back(take(device.allocate(2 * one->bits.size())));
    REQUIRE(device.write(addresses.back(), std::as_bytes(std::span(one->bits))));
  }
  const float scale = 1 / std::sqrt(static_cast<float>(peer.head_size));
  using simulator::Argument;
  const auto i32 = [](std::int64_t value) { return Argument::of(static_cast<std::int32_t>(value)); };
  const simulator::Launch launch{
      .kernel = "fa_fwd",
      .grid = {static_cast<std::uint32_t>(s.seqlen_q) / peer.block_m,
               static_cast<std::uint32_t>(s.query_heads), static_cast<std::uint32_t>(s.batch)},
      .block = {64 * peer.waves, 1, 1},
      .dynamic_lds_bytes = peer.dynamic_lds_bytes,
      .arguments = {Argument::of(addresses[0]), Argument::of(addresses[1]), Argument::of(addresses[2]),
                    Argument::of(addresses[3]), Argument::of(scale * std::numbers::log2e_v<float>),
                    i32(s.seqlen_q), i32(s.seqlen_kv), i32(s.query_heads), i32(s.kv_heads),
                    Argument::of(std::uint64_t{0}), Argument::of(std::uint64_t{0})},
      .options = {.threads = 2, .hazards = true, .uninitialized = true}};
  const simulator::Report report = take(device.launch(module, launch));
  INFO((report.fault ? report.fault->message() : ""));
  REQUIRE_FALSE(report.fault);
  REQUIRE(report.hazards);
  for (const simulator::Hazard& hazard : *report.hazards)
    FAIL_CHECK(hazard.kind << ": " << hazard.first.message());

  oracle::Problem problem;
  problem.query_heads = s.query_heads;
  problem.kv_heads = s.kv_heads;
  problem.head_size = peer.head_size;
  problem.seqlen_q.assign(static_cast<std::size_t>(s.batch), s.seqlen_q);
  problem.seqlen_kv.assign(static_cast<std::size_t>(s.batch), s.seqlen_kv);
  problem.q = q.view();
  problem.k = k.view();
  problem.v = v.view();
  problem.softmax_scale = static_cast<double>(scale);
  problem.top_left = true;
  problem.window_right = peer.causal ? 0 : -1;
  verify::Sample sample{std::vector<std::uint16_t>(o.bits.size()), attention(problem, 2),
                        attention_rounded(problem, oracle::ElementType::bf16, 2)};
  REQUIRE(device.read(addresses[3], std::as_writable_bytes(std::span(sample.output))));
  const verify::Accuracy accuracy = verify::judge(o.shape, oracle::ElementType::bf16, std::span(&sample, 1));
  INFO((accuracy.mismatches.empty() ? "" : accuracy.mismatches.front().where));
  CHECK(accuracy.mismatched == 0);
  CHECK(accuracy.rms_error <= accuracy.rms_tolerance());
}

}  // namespace

TEST_CASE("peers: Triton's causal kernel of head size 64 is right") {
  check_peer(causal_d64, {2, 256, 256, 4, 2});
  check_peer(causal_d64, {1, 128, 256, 2, 1});
}

TEST_CASE("peers: Triton's full kernel of head size 128 is right") {
  check_peer(full_d128, {1, 256, 128, 4, 2});
  check_peer(full_d128, {2, 512, 192, 2, 2});
}

TEST_CASE("peers: Triton's kernel for gfx942 is right") {
  check_peer(gfx942_d64, {2, 256, 256, 4, 2});
}
