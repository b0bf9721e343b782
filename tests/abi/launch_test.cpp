// Launches planned through the C interface: grid and argument block against figures worked out by hand and
// against plan_launch(), and every way in which shapes can be refused.
#include "generator/attention_dense/launch.h"

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "generator/families.h"
#include "tests/abi/support.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::test;
namespace dense = wavesmith::generator::attention_dense;

namespace {

template <class T>
T with_size() {
  T made{};
  made.struct_size = sizeof made;
  return made;
}

wavesmith_strides strides_of(std::int32_t layout, std::int64_t seqlen, std::int64_t heads) {
  wavesmith_strides strides{};
  ok(wavesmith_contiguous_strides(layout, seqlen, heads, 64, &strides));
  return strides;
}

/// One value of the argument block, at the place that the kernel says.
template <class T>
T value_of(const wavesmith_kernel* kernel, const wavesmith_launch& launch, std::string_view name) {
  for (std::size_t i = 0; i < info_of(kernel).argument_count; ++i) {
    auto argument = with_size<wavesmith_kernel_argument>();
    ok(wavesmith_kernel_get_argument(kernel, i, &argument));
    if (argument.name != name) continue;
    REQUIRE(argument.bytes == sizeof(T));
    REQUIRE(argument.offset + sizeof(T) <= launch.arguments_bytes);
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(launch.arguments) + argument.offset, sizeof value);
    return value;
  }
  FAIL("no argument " << name);
  return {};
}

}  // namespace

TEST_CASE("abi: a planned launch has the grid of its shapes and the values where the kernel reads them") {
  const TemporaryFolder folder;
  const AbiJit jit = jit_on(folder.file("cache"));
  const Request request = request_of(small_kernel(R"("lse": true)"));
  const Kernel kernel = kernel_of(jit.get(), request.get());

  auto shapes = with_size<wavesmith_attention_shapes>();
  shapes.batch = 3;
  shapes.seqlen_q = 300;
  shapes.seqlen_kv = 500;
  shapes.q = shapes.o = strides_of(WAVESMITH_BSHD, 300, 2);
  shapes.k = shapes.v = strides_of(WAVESMITH_BHSD, 500, 1);
  CHECK(shapes.q.batch == 300 * 2 * 64);
  CHECK(shapes.k.head == 500 * 64);
  auto buffers = with_size<wavesmith_attention_buffers>();
  buffers.q = 0x10000;
  buffers.k = 0x20000;
  buffers.v = 0x30000;
  buffers.o = 0x40000;
  buffers.lse = 0x50000;
  auto launch = with_size<wavesmith_launch>();
  ok(wavesmith_plan_attention(kernel.get(), &shapes, &buffers, &launch));
  // Blocks of 128 rows, query heads, batch; four waves of 64.
  CHECK(std::to_array(launch.grid) == std::array<std::uint32_t, 3>{3, 2, 3});
  CHECK(std::to_array(launch.block) == std::array<std::uint32_t, 3>{256, 1, 1});
  CHECK(launch.work_items == 18);
  CHECK(launch.dynamic_lds_bytes == 0);
  CHECK(value_of<std::uint64_t>(kernel.get(), launch, "k") == 0x20000);
  CHECK(value_of<std::uint64_t>(kernel.get(), launch, "lse") == 0x50000);
  CHECK(value_of<std::int64_t>(kernel.get(), launch, "q_stride_batch") == 300 * 2 * 64);
  CHECK(value_of<std::int64_t>(kernel.get(), launch, "lse_stride_batch") == 300 * 2);
  CHECK(value_of<std::int32_t>(kernel.get(), launch, "k_stride_token") == 64);
  CHECK(value_of<std::int32_t>(kernel.get(), launch, "seqlen_kv") == 500);
  CHECK(value_of<float>(kernel.get(), launch, "softmax_scale") == 0.125F);
  shapes.given = WAVESMITH_GIVEN_SOFTMAX_SCALE;
  shapes.softmax_scale = 0.3F;
  ok(wavesmith_plan_attention(kernel.get(), &shapes, &buffers, &launch));
  CHECK(value_of<float>(kernel.get(), launch, "softmax_scale") == 0.3F);

  // The whole block: naturally aligned members in the order of the arguments, as C lays out a struct.
  const auto resolved = generator::find_family("attention-dense")
                            ->resolve({{"head_size", "64"},
                                       {"num_query_heads", "2"},
                                       {"num_kv_heads", "1"},
                                       {"block_m", "128"},
                                       {"block_n", "32"},
                                       {"lse", "true"}},
                                      "", lowering::TargetId{.processor = "gfx950"});
  REQUIRE(resolved);
  const auto strides = [](const wavesmith_strides& s) { return dense::Strides{s.batch, s.token, s.head}; };
  const auto planned = dense::plan_launch(
      generator::plan_of(**resolved).value(),
      {.batch = 3,
       .seqlen_q = 300,
       .seqlen_kv = 500,
       .q = strides(shapes.q),
       .k = strides(shapes.k),
       .v = strides(shapes.v),
       .o = strides(shapes.o),
       .softmax_scale = 0.3F},
      dense::Buffers{.q = 0x10000, .k = 0x20000, .v = 0x30000, .o = 0x40000, .lse = 0x50000});
  REQUIRE(planned);
  std::vector<unsigned char> block;
  for (const auto& argument : planned->arguments)
    std::visit(
        [&](auto value) {
          while (block.size() % sizeof value != 0) block.push_back(0);
          const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
          block.insert(block.end(), bytes, bytes + sizeof value);
        },
        argument.value);
  REQUIRE(launch.arguments_bytes == block.size());
  CHECK(std::memcmp(launch.arguments, block.data(), block.size()) == 0);
}

TEST_CASE("abi: shapes, buffers and lengths that a launch must not have are refused by name") {
  const TemporaryFolder folder;
  const AbiJit jit = jit_on(folder.file("cache"));
  const Request request = request_of(small_kernel(R"("sequences": "varlen")"));
  const Kernel kernel = kernel_of(jit.get(), request.get());
  auto shapes = with_size<wavesmith_attention_shapes>();
  shapes.batch = 2;
  shapes.seqlen_q = shapes.seqlen_kv = 100;
  shapes.q = shapes.o = strides_of(WAVESMITH_THD, 0, 2);
  shapes.k = shapes.v = strides_of(WAVESMITH_THD, 0, 1);
  auto buffers = with_size<wavesmith_attention_buffers>();
  buffers.q = buffers.k = buffers.v = buffers.o = 0x10000;
  buffers.cu_seqlens_q = buffers.cu_seqlens_kv = 0x20000;
  auto launch = with_size<wavesmith_launch>();
  ok(wavesmith_plan_attention(kernel.get(), &shapes, &buffers, &launch));
  CHECK(launch.arguments_bytes > 0);

  const auto refused = [&](auto change) {
    auto changed_shapes = shapes;
    auto changed_buffers = buffers;
    change(changed_shapes, changed_buffers);
    const wavesmith_status status =
        wavesmith_plan_attention(kernel.get(), &changed_shapes, &changed_buffers, &launch);
    CHECK(launch.arguments_bytes == 0);
    CHECK((status == WAVESMITH_INVALID_REQUEST || status == WAVESMITH_INVALID_ARGUMENT));
    REQUIRE(wavesmith_refusal_count() >= 1);
    return std::string(refusal(0).field);
  };
  CHECK(refused([](auto& s, auto&) { s.batch = 0; }) == "batch");
  CHECK(refused([](auto& s, auto&) { s.q.token = 63; }) == "q_stride_token");
  CHECK(refused([](auto&, auto& b) { b.k = 2; }) == "k");
  CHECK(refused([](auto&, auto& b) { b.lse = 0x100; }) == "lse");
  CHECK(refused([](auto&, auto& b) { b.block_table = 0x100; }) == "block_table");
  CHECK(refused([](auto& s, auto&) { s.softmax_scale = 0.5F; }) == "softmax_scale");  // its bit is not set
  CHECK(refused([](auto& s, auto&) { s.given = WAVESMITH_GIVEN_SOFTMAX_SCALE; }) == "softmax_scale");  // 0
  CHECK(refused([](auto& s, auto&) { s.given = WAVESMITH_GIVEN_WINDOW_LEFT; }) == "window_left");
  CHECK(refused([](auto& s, auto&) { s.window_right = 4; }) == "window_right");
  CHECK(refused([](auto& s, auto&) { s.given = WAVESMITH_GIVEN_NUM_PERSISTENT; }) == "num_persistent");
  CHECK(refused([](auto& s, auto&) { s.lse_stride_head = 8; }) == "lse_stride_head");
  CHECK(refused([](auto& s, auto&) { s.given = 32; }) == "shapes.given");
  CHECK(refused([](auto& s, auto&) { s.persist_decode = 6; }) == "shapes.persist_decode");
  CHECK(refused([](auto& s, auto&) { s.persist_decode = WAVESMITH_ORDER_CHIPLET; }) == "persist_decode");
  CHECK(refused([](auto& s, auto&) { s.interleave = 2; }) == "shapes.interleave");
  CHECK(refused([](auto& s, auto&) { s.reserved = 1; }) == "shapes.reserved");
  CHECK(refused([](auto& s, auto&) { s.struct_size = 8; }) == "shapes.struct_size");
  CHECK(refused([](auto&, auto& b) { b.struct_size = 8; }) == "buffers.struct_size");
  CHECK(wavesmith_plan_attention(kernel.get(), nullptr, &buffers, &launch) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(wavesmith_plan_attention(kernel.get(), &shapes, nullptr, &launch) == WAVESMITH_INVALID_ARGUMENT);

  auto data = with_size<wavesmith_sequence_data>();
  const std::array<std::int32_t, 3> right{0, 100, 120}, falling{0, 100, 90}, longer{0, 101, 120};
  data.cu_seqlens_q = data.cu_seqlens_kv = right.data();
  data.cu_seqlens_q_count = data.cu_seqlens_kv_count = right.size();
  ok(wavesmith_check_sequences(kernel.get(), &shapes, &data));
  data.cu_seqlens_kv = falling.data();
  CHECK(wavesmith_check_sequences(kernel.get(), &shapes, &data) == WAVESMITH_INVALID_REQUEST);
  CHECK(refusal(0).field == std::string_view("cu_seqlens_kv[2]"));
  data.cu_seqlens_kv = longer.data();
  CHECK(wavesmith_check_sequences(kernel.get(), &shapes, &data) == WAVESMITH_INVALID_REQUEST);
  data.cu_seqlens_kv = nullptr;
  CHECK(wavesmith_check_sequences(kernel.get(), &shapes, &data) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(refusal(0).field == std::string_view("data.cu_seqlens_kv"));

  wavesmith_strides strides{};
  CHECK(wavesmith_contiguous_strides(3, 1, 1, 64, &strides) == WAVESMITH_INVALID_REQUEST);
  CHECK(refusal(0).field == std::string_view("layout"));
  CHECK(wavesmith_contiguous_strides(WAVESMITH_BSHD, -1, 0, INT64_MAX, &strides) ==
        WAVESMITH_INVALID_REQUEST);
  CHECK(wavesmith_refusal_count() == 3);
}
