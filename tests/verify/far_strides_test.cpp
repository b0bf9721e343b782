// Tensors whose rows, heads and batches lie further apart than 32 bits reach, in sparse memory: the same bits
// of O and LSE as from dense tensors, and nothing touched but what has a name.
#include <array>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "generator/attention_dense/launch.h"
#include "tests/verify/kernels.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/data.h"

using namespace wavesmith::test;
using wavesmith::simulator::Device;
namespace simulator = wavesmith::simulator;
namespace verify = wavesmith::verify;

namespace {

constexpr std::int64_t two_31 = std::int64_t{1} << 31;

// One batch more than a pair, more rows than one block and no multiple of a tile.
constexpr std::int64_t batch = 2, seqlen_q = 140, seqlen_kv = 150;

/// Where the tensors of one launch lie.
struct Layout {
  dense::Strides q, k, v, o;
  dense::LseStrides lse;
};

Layout compact(const dense::Spec& spec) {
  const auto query = dense::bshd(seqlen_q, spec.num_query_heads, spec.head_size);
  const auto key = dense::bshd(seqlen_kv, spec.num_kv_heads, spec.head_size);
  return {query, key, key, query, {spec.num_query_heads * seqlen_q, seqlen_q}};
}

/// A tensor in simulated memory that is written and read row by row: the whole would not fit into a host.
class SparseTensor {
 public:
  SparseTensor(Device& device, std::string name, verify::TensorShape shape, bool writable)
      : device_(device), shape_(shape) {
    address_ = device
                   .allocate(2 * static_cast<std::uint64_t>(shape.extent()),
                             {.name = std::move(name), .address = {}, .writable = writable})
                   .value();
  }

  [[nodiscard]] std::uint64_t address() const { return address_; }

  /// Calls f(address of the row, index of the row among all of them).
  template <class F>
  void for_each_row(F&& f) const {
    std::size_t row = 0;
    for (std::int64_t b = 0; b < shape_.batch; ++b)
      for (std::int64_t t = 0; t < shape_.tokens; ++t)
        for (std::int64_t h = 0; h < shape_.heads; ++h)
          f(address_ + 2 * static_cast<std::uint64_t>(shape_.offset(b, t, h)), row++);
  }
  /// `rows` are in the order of for_each_row.
  void write(std::span<const std::uint16_t> rows) {
    const auto size = static_cast<std::size_t>(shape_.head_size);
    for_each_row([&](std::uint64_t at, std::size_t row) {
      REQUIRE(device_.write(at, std::as_bytes(rows.subspan(row * size, size))));
    });
  }
  [[nodiscard]] std::vector<std::uint16_t> read() const {
    const auto size = static_cast<std::size_t>(shape_.head_size);
    std::vector<std::uint16_t> rows(static_cast<std::size_t>(shape_.batch * shape_.tokens * shape_.heads) *
                                    size);
    for_each_row([&](std::uint64_t at, std::size_t row) {
      REQUIRE(device_.read(at, std::as_writable_bytes(std::span(rows).subspan(row * size, size))));
    });
    return rows;
  }

 private:
  Device& device_;
  verify::TensorShape shape_;
  std::uint64_t address_ = 0;
};

struct Results {
  std::vector<std::uint16_t> o;
  std::vector<float> lse;
};

/// Runs the kernel on tensors of that layout; the data hang on the spec alone.
Results run_in(const Kernel& kernel, const Layout& layout) {
  const dense::Spec& spec = kernel.plan.spec;
  Device device = Device::create(to_string(kernel.plan.target)).value();
  const auto tensor = [&](std::string name, std::int64_t tokens, std::int64_t heads,
                          const dense::Strides& strides, bool writable = false) {
    return SparseTensor(device, std::move(name), {batch, tokens, heads, spec.head_size, strides}, writable);
  };
  std::array tensors{tensor("q", seqlen_q, spec.num_query_heads, layout.q),
                     tensor("k", seqlen_kv, spec.num_kv_heads, layout.k),
                     tensor("v", seqlen_kv, spec.num_kv_heads, layout.v),
                     tensor("o", seqlen_q, spec.num_query_heads, layout.o, true)};
  auto& [q, k, v, o] = tensors;

  verify::Random random(11);
  const Layout dense_layout = compact(spec);
  const auto type = wavesmith::oracle::ElementType::bf16;
  const auto rows_of = [&](std::int64_t tokens, std::int64_t heads, const dense::Strides& strides) {
    return verify::normal({batch, tokens, heads, spec.head_size, strides}, type, 2, random).bits;
  };
  q.write(rows_of(seqlen_q, spec.num_query_heads, dense_layout.q));
  k.write(rows_of(seqlen_kv, spec.num_kv_heads, dense_layout.k));
  v.write(rows_of(seqlen_kv, spec.num_kv_heads, dense_layout.v));
  o.write(std::vector<std::uint16_t>(
      static_cast<std::size_t>(batch * seqlen_q * spec.num_query_heads * spec.head_size),
      verify::poison_bits));

  const auto lse_offset = [&](std::int64_t b, std::int64_t h) {
    return 4 * static_cast<std::uint64_t>(b * layout.lse.batch + h * layout.lse.head);
  };
  const std::uint64_t lse = device
                                .allocate(lse_offset(batch - 1, spec.num_query_heads - 1) +
                                              4 * static_cast<std::uint64_t>(seqlen_q),
                                          {.name = "lse", .address = {}, .writable = true})
                                .value();

  const dense::Shapes shapes{.batch = batch,
                             .seqlen_q = seqlen_q,
                             .seqlen_kv = seqlen_kv,
                             .q = layout.q,
                             .k = layout.k,
                             .v = layout.v,
                             .o = layout.o,
                             .lse = layout.lse,
                             .softmax_scale = {}};
  const auto launch = dense::plan_launch(
      kernel.plan, shapes,
      dense::Buffers{.q = q.address(), .k = k.address(), .v = v.address(), .o = o.address(), .lse = lse});
  if (!launch) FAIL(launch.error().message);
  simulator::Launch dispatch = verify::dispatch_of(kernel.plan, *launch);
  dispatch.options.threads = 2;
  dispatch.options.hazards = true;
  const auto report = device.launch(device.load(kernel.code).value(), dispatch);
  if (!report) FAIL(report.error().message);
  if (report->fault) FAIL(report->fault->what);
  CHECK(report->hazards->empty());

  Results results{o.read(), {}};
  std::vector<float> rows(static_cast<std::size_t>(seqlen_q));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < spec.num_query_heads; ++h) {
      REQUIRE(device.read(lse + lse_offset(b, h), std::as_writable_bytes(std::span(rows))));
      results.lse.insert(results.lse.end(), rows.begin(), rows.end());
    }
  return results;
}

/// Bounds that plan_launch() states: rows of a tile within 2^31 bytes, heads within 2^31 elements.
std::int64_t farthest_token(std::int64_t rows) {
  return (two_31 - 1) / (2 * rows) / 8 * 8;
}
constexpr std::int64_t farthest_head = (two_31 - 1) / 8 * 8;

}  // namespace

TEST_CASE("addresses: rows, heads and batches beyond 2^31 and 2^32 bytes and elements") {
  for (const int head_size : {64, 128}) {
    dense::Spec spec;
    spec.head_size = head_size;
    spec.num_query_heads = 4;
    spec.num_kv_heads = 2;
    spec.lse = true;
    const Kernel kernel = compiled(spec);
    const Results expected = run_in(kernel, compact(spec));
    const auto same_from = [&](const std::string& name, const auto& move) {
      INFO(fmt::format("head size {}: {}", head_size, name));
      Layout layout = compact(spec);
      move(layout);
      const Results found = run_in(kernel, layout);
      CHECK(found.o == expected.o);
      CHECK(found.lse == expected.lse);
    };
    same_from("token strides at their bound, tensors of more than 2^31 elements", [&](Layout& layout) {
      layout.q.token = layout.o.token = farthest_token(spec.block_m);
      layout.k.token = layout.v.token = farthest_token(2 * spec.block_n);
      layout.q.batch = layout.o.batch = seqlen_q * layout.q.token;
      layout.k.batch = layout.v.batch = seqlen_kv * layout.k.token;
    });
    same_from("heads just below, batches at and beyond 2^31 elements", [&](Layout& layout) {
      for (auto [strides, apart] : {std::pair{&layout.q, two_31},
                                    {&layout.k, 2 * two_31},
                                    {&layout.v, 4 * two_31 - 8},
                                    {&layout.o, 8 * two_31 + 8}}) {
        strides->head = farthest_head;
        strides->batch = 4 * apart;
      }
      layout.lse = {16 * two_31, two_31 - 1};
    });
    same_from("batches 2^31 - 8, 2^31, 2^32 and 2^40 elements apart", [&](Layout& layout) {
      layout.q.batch = two_31 - 8;
      layout.k.batch = two_31;
      layout.v.batch = 2 * two_31;
      layout.o.batch = std::int64_t{1} << 40;
      layout.lse.batch = (std::int64_t{1} << 40) + 1;
    });
  }
}
