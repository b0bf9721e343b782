// DS atomics, with and without the old value as a result; lanes are served in rising order. Additions of
// floating point go by MODE's denormal fields at issue and round to nearest even.
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simulator/groups/atomic_operations.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/lds_address.h"

namespace wavesmith::simulator::groups {
namespace {

using i32 = std::int32_t;
using i64 = std::int64_t;

enum class Returns : std::uint8_t { both, always };

struct NamedOperation {
  std::string_view name, type;  ///< ds_<name>_<type> and ds_<name>_rtn_<type>
  AtomicOperation operation;
  Returns returns = Returns::both;  ///< whether the form without a result exists
};

constexpr NamedOperation kOperations[] = {
    {"add", "u32", atomic_of<u32, kAdd<u32>>()},
    {"sub", "u32", atomic_of<u32, kSub<u32>>()},
    {"rsub", "u32", atomic_of<u32, kReverseSub<u32>>()},
    {"inc", "u32", atomic_of<u32, kIncrement<u32>>()},
    {"dec", "u32", atomic_of<u32, kDecrement<u32>>()},
    {"min", "i32", atomic_of<i32, kMin<i32>>()},
    {"max", "i32", atomic_of<i32, kMax<i32>>()},
    {"min", "u32", atomic_of<u32, kMin<u32>>()},
    {"max", "u32", atomic_of<u32, kMax<u32>>()},
    {"and", "b32", atomic_of<u32, kAnd<u32>>()},
    {"or", "b32", atomic_of<u32, kOr<u32>>()},
    {"xor", "b32", atomic_of<u32, kXor<u32>>()},
    {"mskor", "b32", atomic_of<u32, kMaskedOr<u32>>(2)},
    {"cmpst", "b32", atomic_of<u32, kCompareStore<u32>>(2)},
    {"cmpst", "f32", atomic_of<float, kCompareStore<float>>(2)},
    {"min", "f32", atomic_of<float, kMin<float>>()},
    {"max", "f32", atomic_of<float, kMax<float>>()},
    {"add", "f32", {add_f32, 4}},
    {"pk_add", "f16", {add_packed_f16, 4}},
    {"pk_add", "bf16", {add_packed_bf16, 4}},
    {"wrxchg", "b32", atomic_of<u32, kSwap<u32>>(), Returns::always},
    {"wrap", "b32", atomic_of<u32, kWrap<u32>>(2), Returns::always},
    {"add", "u64", atomic_of<u64, kAdd<u64>>()},
    {"sub", "u64", atomic_of<u64, kSub<u64>>()},
    {"rsub", "u64", atomic_of<u64, kReverseSub<u64>>()},
    {"inc", "u64", atomic_of<u64, kIncrement<u64>>()},
    {"dec", "u64", atomic_of<u64, kDecrement<u64>>()},
    {"min", "i64", atomic_of<i64, kMin<i64>>()},
    {"max", "i64", atomic_of<i64, kMax<i64>>()},
    {"min", "u64", atomic_of<u64, kMin<u64>>()},
    {"max", "u64", atomic_of<u64, kMax<u64>>()},
    {"and", "b64", atomic_of<u64, kAnd<u64>>()},
    {"or", "b64", atomic_of<u64, kOr<u64>>()},
    {"xor", "b64", atomic_of<u64, kXor<u64>>()},
    {"mskor", "b64", atomic_of<u64, kMaskedOr<u64>>(2)},
    {"cmpst", "b64", atomic_of<u64, kCompareStore<u64>>(2)},
    {"cmpst", "f64", atomic_of<double, kCompareStore<double>>(2)},
    {"min", "f64", atomic_of<double, kMin<double>>()},
    {"max", "f64", atomic_of<double, kMax<double>>()},
    {"add", "f64", {add_f64, 8}},
    {"wrxchg", "b64", atomic_of<u64, kSwap<u64>>(), Returns::always},
};

template <std::size_t I>
void complete(Wave& wave, PendingOp& op) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  const Denormals denormals = mode_denormals(Mode{static_cast<u32>(op.scalar_address)});
  std::byte* lds = wave.group->lds.data();
  run_atomic(
      wave, op, operation, op.exec, [&](u32 lane) { return lds + op.lds[lane]; },
      [&](u32) { return denormals; });
}

template <std::size_t I>
void handle(Wave& wave, const Instruction& i) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  constexpr unsigned dwords = operation.bytes / 4;
  PendingOp& op = wave.in_flight.begin(wave, i, complete<I>);
  const Operand* sources = &i.operands[i.destinations];
  op.scalar_address = wave.mode.bits;
  capture_lds_address(wave, op, sources[0], strict_lds_rule(operation.bytes, operation.bytes));
  for (unsigned value = 0; value < operation.values; ++value)
    capture_data(wave, op, sources[1 + value], dwords, value * dwords);
  count_lds(wave, op, write_access(operation.bytes), operation.bytes, true);
  if (i.destinations != 0) wave.in_flight.set_destination(wave, op, i.operands[0], dwords);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

/// ds_append and ds_consume: one counter, at M0[15:0] + offset, moves by the number of active lanes; all of
/// them get the old value.
template <bool Append>
void complete_counter(Wave& wave, PendingOp& op) {
  if (op.exec == 0) return;
  std::byte* at = wave.group->lds.data() + op.lds[static_cast<std::size_t>(std::countr_zero(op.exec))];
  u32 old = 0;
  std::memcpy(&old, at, sizeof old);
  const auto lanes = static_cast<u32>(lane_count(op.exec));
  const u32 updated = Append ? old + lanes : old - lanes;
  std::memcpy(at, &updated, sizeof updated);
  u32* row = destination_rows(wave, op);
  for_each_lane(op.exec, [&](u32 lane) { row[lane] = old; });
}

template <bool Append>
void counter(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete_counter<Append>);
  std::array<u32, kLanes> base;
  base.fill(wave.scalar[kM0] & 0xffffu);
  capture_lds_address(wave, op, base.data(), static_cast<u32>(i.modifiers.offset), strict_lds_rule(4, 4));
  if (op.exec != 0) wave.counted(i).bytes += 4;
  wave.group->count_lds_cycles(i, op.exec, op.lds, LdsAccess::write_b32, 4);
  wave.in_flight.set_destination(wave, op, i.operands[0], 1);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

/// The rows, and the text that they refer to.
class Rows {
 public:
  Rows() {
    add_all(std::make_index_sequence<std::size(kOperations)>{});
    add("ds_append", "b32 =", counter<true>);
    add("ds_consume", "b32 =", counter<false>);
  }
  std::span<const Row> rows() const { return rows_; }

 private:
  template <std::size_t... I>
  void add_all(std::index_sequence<I...>) {
    (add(kOperations[I], handle<I>), ...);
  }

  void add(const NamedOperation& named, Handler handler) {
    const std::string_view type = named.operation.bytes == 4 ? "b32" : "b64";
    std::string data = fmt::format("b32 {}", type);
    if (named.operation.values == 2) data += fmt::format(" {}", type);
    if (named.returns == Returns::both) {
      add(text(fmt::format("ds_{}_{}", named.name, named.type)), text("= " + data), handler);
    }
    add(text(fmt::format("ds_{}_rtn_{}", named.name, named.type)), text(fmt::format("{} = {}", type, data)),
        handler);
  }

  void add(std::string_view mnemonic, std::string_view operands, Handler handler) {
    rows_.push_back(
        {mnemonic, kPlain, operands, same(handler), Unit::lds, accepts(Accepts::offset), 0, kCdna});
  }

  std::string_view text(std::string value) { return texts_.emplace_back(std::move(value)); }

  std::deque<std::string> texts_;
  std::vector<Row> rows_;
};

}  // namespace

std::span<const Row> lds_atomic() {
  static const Rows rows;
  return rows.rows();
}

}  // namespace wavesmith::simulator::groups
