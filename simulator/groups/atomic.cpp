// Atomics on memory: GLOBAL, FLAT and MUBUF, with and without the old value as a result. One list of
// operations makes the rows of all three. Lanes are served in rising order; workgroups of a kernel that uses
// them run one after the other, so that results do not depend on threads.
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simulator/groups/atomic_operations.h"
#include "simulator/groups/buffer_address.h"
#include "simulator/groups/flat_address.h"
#include "simulator/groups/groups.h"

namespace wavesmith::simulator::groups {
namespace {

using i32 = std::int32_t;
using i64 = std::int64_t;

struct NamedOperation {
  std::string_view name;  ///< behind "global_atomic_" and the like
  AtomicOperation operation;
  GfxSet buffer_targets = kCdna;  ///< those where MUBUF has it too
};

constexpr NamedOperation kOperations[] = {
    {"swap", atomic_of<u32, kSwap<u32>>()},
    {"cmpswap", atomic_of<u32, kCompareSwap<u32>>(2)},
    {"add", atomic_of<u32, kAdd<u32>>()},
    {"sub", atomic_of<u32, kSub<u32>>()},
    {"smin", atomic_of<i32, kMin<i32>>()},
    {"umin", atomic_of<u32, kMin<u32>>()},
    {"smax", atomic_of<i32, kMax<i32>>()},
    {"umax", atomic_of<u32, kMax<u32>>()},
    {"and", atomic_of<u32, kAnd<u32>>()},
    {"or", atomic_of<u32, kOr<u32>>()},
    {"xor", atomic_of<u32, kXor<u32>>()},
    {"inc", atomic_of<u32, kIncrement<u32>>()},
    {"dec", atomic_of<u32, kDecrement<u32>>()},
    {"swap_x2", atomic_of<u64, kSwap<u64>>()},
    {"cmpswap_x2", atomic_of<u64, kCompareSwap<u64>>(2)},
    {"add_x2", atomic_of<u64, kAdd<u64>>()},
    {"sub_x2", atomic_of<u64, kSub<u64>>()},
    {"smin_x2", atomic_of<i64, kMin<i64>>()},
    {"umin_x2", atomic_of<u64, kMin<u64>>()},
    {"smax_x2", atomic_of<i64, kMax<i64>>()},
    {"umax_x2", atomic_of<u64, kMax<u64>>()},
    {"and_x2", atomic_of<u64, kAnd<u64>>()},
    {"or_x2", atomic_of<u64, kOr<u64>>()},
    {"xor_x2", atomic_of<u64, kXor<u64>>()},
    {"inc_x2", atomic_of<u64, kIncrement<u64>>()},
    {"dec_x2", atomic_of<u64, kDecrement<u64>>()},
    {"min_f64", atomic_of<double, kMin<double>>()},
    {"max_f64", atomic_of<double, kMax<double>>()},
    {"add_f32", {add_f32, 4}},
    {"add_f64", {add_f64, 8}},
    {"pk_add_f16", {add_packed_f16, 4}},
    {"pk_add_bf16", {add_packed_bf16, 4}, static_cast<GfxSet>(Gfx::gfx950)},
};

/// Hardware does not split atomics: their address has to be a multiple of their size.
bool is_aligned(Wave& wave, const PendingOp& op, u32 lane, u32 bytes) {
  if (op.address[lane] % bytes == 0) return true;
  wave.fail(*op.instruction,
            fmt::format("atomic of {} bytes at an address that is not a multiple of it", bytes), lane,
            op.address[lane]);
  return false;
}

std::byte* global_bytes(Wave& wave, const PendingOp& op, u32 lane, u32 bytes) {
  if (!is_aligned(wave, op, lane, bytes)) return nullptr;
  std::byte* host = wave.translate_writable(*op.instruction, op.address[lane], bytes);
  if (host == nullptr) wave.fail_access(*op.instruction, "atomic", lane, op.address[lane], bytes);
  return host;
}

Denormals cache_denormals(u32) {
  return kCacheDenormals;
}

template <std::size_t I>
void complete_global(Wave& wave, PendingOp& op) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  run_atomic(
      wave, op, operation, op.exec, [&](u32 lane) { return global_bytes(wave, op, lane, operation.bytes); },
      cache_denormals);
}

template <std::size_t I>
void complete_buffer(Wave& wave, PendingOp& op) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  run_atomic(
      wave, op, operation, op.in_range[0],
      [&](u32 lane) { return global_bytes(wave, op, lane, operation.bytes); }, cache_denormals);
  if (op.destination_dwords == 0) return;
  u32* rows = destination_rows(wave, op);
  for_each_lane(op.exec & ~op.in_range[0], [&](u32 lane) {
    for (unsigned d = 0; d < op.destination_dwords; ++d) rows[d * kLanes + lane] = 0;
  });
}

template <std::size_t I>
void complete_flat(Wave& wave, PendingOp& op) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  const Denormals lds_denormals = mode_denormals(Mode{static_cast<u32>(op.scalar_address)});
  run_atomic(
      wave, op, operation, op.exec,
      [&](u32 lane) -> std::byte* {
        if (!is_aligned(wave, op, lane, operation.bytes)) return nullptr;
        return flat_bytes(wave, op, lane, operation.bytes, true, "atomic");
      },
      [&](u32 lane) {
        return flat_space(op.address[lane]) == FlatSpace::lds ? lds_denormals : kCacheDenormals;
      });
}

constexpr unsigned data_dwords(const AtomicOperation& operation) {
  return operation.bytes / 4 * operation.values;
}

/// The queue of an atomic, and its destination if it has one.
QueueId set_result(Wave& wave, PendingOp& op, const AtomicOperation& operation) {
  const Instruction& i = *op.instruction;
  if (i.destinations == 0) return QueueId::store;
  wave.in_flight.set_destination(wave, op, i.operands[0], operation.bytes / 4);
  return QueueId::load;
}

// A returned value comes first among the operands of GLOBAL and FLAT; MUBUF returns it in place of the data.
template <std::size_t I>
void global_atomic(Wave& wave, const Instruction& i) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  PendingOp& op = wave.in_flight.begin(wave, i, complete_global<I>);
  const Operand* sources = &i.operands[i.destinations];
  capture_global_address(wave, op, i, sources[0], sources[2]);
  capture_data(wave, op, sources[1], data_dwords(operation));
  count_global(wave, i, op, op.exec, operation.bytes);
  const QueueId queue = set_result(wave, op, operation);
  wave.in_flight.issue(wave, op, queue);
}

template <std::size_t I>
void flat_atomic(Wave& wave, const Instruction& i) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  PendingOp& op = wave.in_flight.begin(wave, i, complete_flat<I>);
  const Operand* sources = &i.operands[i.destinations];
  capture_flat_address(wave, op, sources[0]);
  capture_data(wave, op, sources[1], data_dwords(operation));
  op.scalar_address = wave.mode.bits;
  count_flat(wave, op, write_access(operation.bytes), operation.bytes, true);
  const QueueId queue = set_result(wave, op, operation);
  wave.in_flight.issue_flat(wave, op, queue);
}

template <std::size_t I>
void buffer_atomic(Wave& wave, const Instruction& i) {
  constexpr AtomicOperation operation = kOperations[I].operation;
  PendingOp& op = wave.in_flight.begin(wave, i, complete_buffer<I>);
  capture_buffer_address(wave, op, i.operands[1], i.operands[2], i.operands[3], operation.bytes,
                         RangeCheck::whole);
  capture_data(wave, op, i.operands[0], data_dwords(operation));
  count_buffer(wave, op, operation.bytes);
  const QueueId queue = set_result(wave, op, operation);
  wave.in_flight.issue(wave, op, queue);
}

std::string_view type_name(unsigned dwords) {
  return dwords == 1 ? "b32" : dwords == 2 ? "b64" : "b128";
}

/// The rows, and the text that they refer to.
class Rows {
 public:
  Rows() { add_all(std::make_index_sequence<std::size(kOperations)>{}); }
  std::span<const Row> rows() const { return rows_; }

 private:
  template <std::size_t... I>
  void add_all(std::index_sequence<I...>) {
    (add(kOperations[I], global_atomic<I>, flat_atomic<I>, buffer_atomic<I>), ...);
  }

  void add(const NamedOperation& named, Handler global, Handler flat, Handler buffer) {
    const std::string_view data = type_name(data_dwords(named.operation));
    const std::string_view result = type_name(named.operation.bytes / 4);
    const std::string_view global_name = text(fmt::format("global_atomic_{}", named.name));
    add(global_name, kGlobalForms, text(fmt::format("= any {} any", data)), global);
    add(global_name, kGlobalReturnForms, text(fmt::format("{} = any {} any", result, data)), global);
    const std::string_view flat_name = text(fmt::format("flat_atomic_{}", named.name));
    add(flat_name, static_cast<FormSet>(Form::vaddr), text(fmt::format("= b64 {}", data)), flat);
    add(flat_name, static_cast<FormSet>(Form::vaddr_return), text(fmt::format("{} = b64 {}", result, data)),
        flat);
    const std::string_view buffer_name = text(fmt::format("buffer_atomic_{}", named.name));
    add(buffer_name, kBufferForms, text(fmt::format("= {} any b128 b32", data)), buffer,
        named.buffer_targets);
    // The data register is written as well: the destination is its first dwords.
    add(buffer_name, kBufferReturnForms, text(fmt::format("{} = any b128 b32", data)), buffer,
        named.buffer_targets, traits(Trait::reads_destination));
  }

  void add(std::string_view mnemonic, FormSet forms, std::string_view operands, Handler handler,
           GfxSet targets = kCdna, TraitSet more = 0) {
    const auto row_traits = static_cast<TraitSet>(traits(Trait::ordered_global) | more);
    rows_.push_back(
        {mnemonic, forms, operands, same(handler), Unit::vmem_store, kVectorMemory, row_traits, targets});
  }

  std::string_view text(std::string value) { return texts_.emplace_back(std::move(value)); }

  std::deque<std::string> texts_;
  std::vector<Row> rows_;
};

}  // namespace

std::span<const Row> atomic() {
  static const Rows rows;
  return rows.rows();
}

}  // namespace wavesmith::simulator::groups
