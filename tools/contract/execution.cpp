// Guarded buffers, launch, and the comparison of memory before and after.
#include "tools/contract/execution.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "generator/attention_dense/sequences.h"
#include "tools/verify/attention_launch.h"

namespace wavesmith::contract {
namespace {

constexpr std::uint64_t page = 4096;

/// Enough for stores of a whole block of rows too far, up to a limit that keeps comparing cheap.
std::uint64_t guard_bytes(const dense::Plan& plan, const Tensors& tensors) {
  constexpr std::uint64_t most = 1 << 18;
  const auto block =
      static_cast<std::uint64_t>(plan.spec.block_m * tensors.o.strides.token) * sizeof(std::uint16_t);
  return std::clamp((block + page - 1) / page * page, page, most);
}

/// A part of a buffer that lies in device memory as it does in the host's.
struct Piece {
  std::size_t offset = 0, bytes = 0;  ///< in Buffer::before
  std::uint64_t place = 0;            ///< bytes from the allocation's start
};

/// A tensor between guard bands in device memory.
struct Buffer {
  std::string name;
  std::vector<std::byte> before = {};  ///< all that is kept of the allocation, guard bands included
  std::vector<bool> output = {};       ///< by element of the tensor: whether the launch is to write it
  std::size_t element_bytes = 2;
  std::size_t guard = 0, guard_behind = 0;
  std::vector<Piece> pieces = {};  ///< of `before`; one, but for pages that lie apart
  simulator::DeviceAddress allocation = 0;

  [[nodiscard]] std::size_t bytes() const { return before.size() - guard - guard_behind; }
  [[nodiscard]] std::uint64_t device_bytes() const { return pieces.back().place + pieces.back().bytes; }
  [[nodiscard]] simulator::DeviceAddress address() const { return allocation + guard; }
};

Buffer buffer(std::string name, std::span<const std::byte> tensor, std::size_t element_bytes,
              std::size_t guard, std::size_t guard_behind) {
  Buffer made{
      .name = std::move(name), .element_bytes = element_bytes, .guard = guard, .guard_behind = guard_behind};
  made.before.resize(guard + tensor.size() + guard_behind);
  made.pieces = {{.offset = 0, .bytes = made.before.size(), .place = 0}};
  // The guard bands hold the pattern that stands between rows: NaN in every type.
  const std::uint16_t poison = verify::poison_bits;
  for (std::size_t i = 0; i < made.before.size(); i += sizeof poison)
    std::memcpy(made.before.data() + i, &poison, std::min(sizeof poison, made.before.size() - i));
  std::ranges::copy(tensor, made.before.begin() + static_cast<std::ptrdiff_t>(guard));
  return made;
}

Buffer buffer(std::string name, std::span<const std::byte> tensor, std::size_t element_bytes,
              std::size_t guard) {
  return buffer(std::move(name), tensor, element_bytes, guard, guard);
}

Buffer input(std::string name, const verify::TensorData& tensor, std::size_t guard) {
  Buffer made = buffer(std::move(name), std::as_bytes(std::span(tensor.bits)), sizeof(std::uint16_t), guard);
  const verify::Pages& pages = tensor.shape.pages;
  const std::size_t kept = pages.numbers.size();
  if (pages.count() == static_cast<std::int64_t>(kept)) return made;
  // Between the kept pages there is memory that is never touched.
  const auto distance = sizeof(std::uint16_t) * static_cast<std::size_t>(tensor.shape.strides.batch);
  made.pieces = {{.offset = 0, .bytes = guard, .place = 0}};
  for (std::size_t slot = 0; slot < kept; ++slot)
    made.pieces.push_back({.offset = guard + slot * distance,
                           .bytes = std::min(distance, made.bytes() - slot * distance),
                           .place = guard + static_cast<std::uint64_t>(pages.numbers[slot]) * distance});
  made.pieces.push_back({.offset = guard + made.bytes(), .bytes = guard, .place = made.device_bytes()});
  return made;
}

Buffer output_o(const verify::TensorShape& shape, std::size_t guard) {
  const verify::TensorData tensor = verify::poisoned(shape);
  Buffer made = buffer("o", std::as_bytes(std::span(tensor.bits)), sizeof(std::uint16_t), guard);
  made.output.assign(tensor.bits.size(), false);
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t t = 0; t < shape.length(b); ++t)
      for (std::int64_t h = 0; h < shape.heads; ++h)
        std::fill_n(made.output.begin() + shape.offset(b, t, h), shape.head_size, true);
  return made;
}

Buffer output_lse(const verify::LseShape& shape, std::size_t guard) {
  const std::vector<std::uint32_t> tensor(static_cast<std::size_t>(shape.extent()), verify::lse_poison_bits);
  Buffer made = buffer("lse", std::as_bytes(std::span(tensor)), sizeof(std::uint32_t), guard);
  made.output.assign(tensor.size(), false);
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t h = 0; h < shape.heads; ++h)
      std::fill_n(made.output.begin() + shape.offset(b, h, 0), shape.length(b), true);
  return made;
}

/// Where the buffer that is allocated as number `index` has to lie.
std::optional<simulator::DeviceAddress> address_across(std::uint64_t index, const Buffer& buffer) {
  constexpr std::uint64_t four_gib = std::uint64_t{1} << 32, unit = 256;
  constexpr std::uint64_t first = 64 * four_gib, apart = 16 * four_gib;
  return first + index * apart - buffer.device_bytes() / 2 / unit * unit;
}

std::string place(const Buffer& buffer, std::size_t offset) {
  if (offset < buffer.guard)
    return fmt::format("{}, {} bytes before its start", buffer.name, buffer.guard - offset);
  offset -= buffer.guard;
  if (offset >= buffer.bytes())
    return fmt::format("{}, {} bytes behind its end", buffer.name, offset - buffer.bytes());
  return fmt::format("{}, byte {} of {}{}", buffer.name, offset, buffer.bytes(),
                     buffer.output.empty() ? "" : ", between rows");
}

void compare(const Buffer& buffer, std::span<const std::byte> after, Footprint& footprint) {
  const auto is_output = [&](std::size_t offset) {
    if (buffer.output.empty() || offset < buffer.guard) return false;
    const std::size_t element = (offset - buffer.guard) / buffer.element_bytes;
    return element < buffer.output.size() && buffer.output[element];
  };
  // Inputs are mostly as they were: one look is enough.
  if (buffer.output.empty() && std::ranges::equal(buffer.before, after)) return;
  for (std::size_t i = 0; i < after.size(); i += buffer.element_bytes) {
    const std::size_t size = std::min(buffer.element_bytes, after.size() - i);
    const bool same = std::memcmp(after.data() + i, buffer.before.data() + i, size) == 0;
    if (is_output(i)) {
      if (!same) continue;
      if (footprint.unwritten++ == 0)
        footprint.first_unwritten =
            fmt::format("{}, element {}", buffer.name, (i - buffer.guard) / buffer.element_bytes);
    } else if (!same) {
      if (footprint.overwritten == 0) footprint.first_overwritten = place(buffer, i);
      for (std::size_t byte = i; byte < i + size; ++byte)
        footprint.overwritten += after[byte] != buffer.before[byte] ? 1 : 0;
    }
  }
}

dense::Shapes shapes_of(const dense::Plan& plan, const Tensors& tensors) {
  // Few enough that a persistent kernel's workgroups have several work items.
  constexpr std::int64_t few_workgroups = 3;
  return {.batch = tensors.batch(),
          .seqlen_q = tensors.q.shape.tokens,
          .seqlen_kv = tensors.k.shape.tokens,
          .q = tensors.q.shape.strides,
          .k = tensors.k.shape.strides,
          .v = tensors.v.shape.strides,
          .o = tensors.o.strides,
          .lse = tensors.lse ? std::optional(tensors.lse->strides) : std::nullopt,
          .block_table_stride = tensors.k.shape.pages.stride,
          .softmax_scale = {},
          .window_left = tensors.window_left,
          .window_right = tensors.window_right,
          .num_persistent = plan.spec.persistent ? std::optional(few_workgroups) : std::nullopt};
}

/// All buffers of a launch, in the order in which they are allocated.
Expected<std::vector<Buffer>> buffers_of(const dense::Plan& plan, const Tensors& tensors,
                                         const TableEdit& edit) {
  const std::size_t guard = guard_bytes(plan, tensors);
  std::vector<Buffer> buffers{input("q", tensors.q, guard), input("k", tensors.k, guard),
                              input("v", tensors.v, guard), output_o(tensors.o, guard)};
  if (tensors.lse) buffers.push_back(output_lse(*tensors.lse, guard));
  if (!tensors.sinks.empty())
    buffers.push_back(buffer("sinks", std::as_bytes(std::span(tensors.sinks)), sizeof(float), guard));
  verify::SequenceTables tables = tensors.tables;
  if (edit)
    if (const auto edited = edit(tables); !edited) return std::unexpected(edited.error());
  // What stands before a table is no length and no page. Behind it nothing is allocated: an entry that is
  // read there changes no result.
  for (const verify::SequenceTable& one : verify::sequence_tables)
    if (const auto& table = tables.*one.table; !table.empty())
      buffers.push_back(
          buffer(std::string(one.name), std::as_bytes(std::span(table)), sizeof(std::int32_t), page, 0));
  return buffers;
}

dense::Buffers addresses_of(const std::vector<Buffer>& buffers) {
  const auto address = [&](std::string_view name) {
    const auto known = std::ranges::find(buffers, name, &Buffer::name);
    return known == buffers.end() ? 0 : known->address();
  };
  dense::Buffers addresses{.q = address("q"),
                           .k = address("k"),
                           .v = address("v"),
                           .o = address("o"),
                           .lse = address("lse"),
                           .sinks = address("sinks")};
  for (const verify::SequenceTable& one : verify::sequence_tables) addresses.*one.address = address(one.name);
  return addresses;
}

simulator::Launch dispatch_of(const dense::Plan& plan, const dense::Launch& launch, const Setting& setting) {
  simulator::Launch dispatch = verify::dispatch_of(plan, launch);
  dispatch.options.threads = setting.threads;
  dispatch.options.schedule = setting.schedule;
  dispatch.options.arrival = setting.arrival;
  dispatch.options.hazards = true;
  dispatch.options.uninitialized = setting.thorough;
  dispatch.options.follow_inexact = setting.thorough;
  return dispatch;
}

template <class T>
std::vector<T> elements(std::span<const std::byte> allocation, const Buffer& buffer) {
  std::vector<T> values(buffer.bytes() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), allocation.data() + buffer.guard, values.size() * sizeof(T));
  return values;
}

}  // namespace

Expected<Runner> Runner::create(const Subject& subject) {
  Expected<simulator::Device> device = simulator::Device::create(to_string(subject.plan.target));
  if (!device) return std::unexpected(device.error());
  const auto module = device->load(subject.code);
  if (!module) return std::unexpected(module.error());
  return Runner(subject.plan, std::move(*device), *module);
}

Expected<dense::Launch> Runner::launch_of(const Tensors& tensors) const {
  return dense::plan_launch(with_kv_heads(plan_, tensors.k.shape.heads), shapes_of(plan_, tensors), {});
}

Expected<Outcome> Runner::run(const Tensors& given, const Setting& setting, const Edit& edit) {
  const Tensors tensors = setting.across_4_gib ? with_pages_far_apart(given) : given;
  auto made = buffers_of(plan_, tensors, edit.tables);
  if (!made) return std::unexpected(made.error());
  std::vector<Buffer>& buffers = *made;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Buffer& one = buffers[i];
    // Inputs are writable too: what a stray store does to them is to be seen, with everything else.
    const auto allocated = device_.allocate(
        one.device_bytes(),
        {.name = one.name, .address = setting.across_4_gib ? address_across(i, one) : std::nullopt});
    if (!allocated) return std::unexpected(allocated.error());
    one.allocation = *allocated;
    for (const Piece& piece : one.pieces)
      if (const auto written = device_.write(one.allocation + piece.place,
                                             std::span(one.before).subspan(piece.offset, piece.bytes));
          !written)
        return std::unexpected(written.error());
  }
  const dense::Plan fitted = with_kv_heads(plan_, tensors.k.shape.heads);
  const dense::Shapes shapes = shapes_of(plan_, tensors);
  if (const auto checked = dense::check_sequences(fitted, shapes, tensors.tables.data()); !checked)
    return std::unexpected(checked.error());
  Expected<dense::Launch> launch = dense::plan_launch(fitted, shapes, addresses_of(buffers));
  if (!launch) return std::unexpected(launch.error());
  Outcome outcome;
  outcome.scale = verify::scale_of(*launch);
  if (edit.launch)
    if (const auto edited = edit.launch(*launch); !edited) return std::unexpected(edited.error());
  Expected<simulator::Report> report = device_.launch(module_, dispatch_of(plan_, *launch, setting));
  if (!report && report.error().refusals.empty()) return std::unexpected(report.error());
  if (report)
    outcome.report = std::move(*report);
  else
    outcome.refusal = report.error().message;

  for (const Buffer& one : buffers) {
    std::vector<std::byte> after(one.before.size());
    for (const Piece& piece : one.pieces)
      if (const auto read =
              device_.read(one.allocation + piece.place, std::span(after).subspan(piece.offset, piece.bytes));
          !read)
        return std::unexpected(read.error());
    if (outcome.refusal.empty() && !outcome.report.fault) compare(one, after, outcome.footprint);
    if (one.name == "o") outcome.o = elements<std::uint16_t>(after, one);
    if (one.name == "lse") outcome.lse = elements<std::uint32_t>(after, one);
    if (const auto freed = device_.free(one.allocation); !freed) return std::unexpected(freed.error());
  }
  return outcome;
}

}  // namespace wavesmith::contract
