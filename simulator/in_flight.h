// Memory operations that were issued and not yet proven complete by a wait. They take effect as late as the
// wait that covers them: addresses, EXEC and store data are captured at issue, memory is sampled and
// registers are written when the operation retires. Wave owns one InFlight; groups/ fills operations, the
// wait handlers retire them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/instruction.h"

namespace wavesmith::simulator {

struct Wave;
struct PendingOp;

/// Samples memory and writes registers or memory. What goes wrong goes to Wave::fail.
using Complete = void (*)(Wave&, PendingOp&);

/// The queues that the wait counters speak about. vmcnt or loadcnt: load. vscnt or storecnt: store (on
/// processors without that counter stores are in `load`). lgkmcnt: lds and scalar together; dscnt: lds;
/// kmcnt: scalar.
enum class QueueId : std::uint8_t { load, store, lds, scalar };

inline constexpr unsigned kMaxDataDwords = 4;  ///< of a lane: b128, read2_b64, 64-bit compare-and-swap

struct PendingOp {
  const Instruction* instruction = nullptr;
  Complete complete = nullptr;
  std::uint64_t exec = 0;            ///< lanes that take part
  std::uint64_t sequence = 0;        ///< issue order in the wave
  std::uint64_t scalar_address = 0;  ///< SMEM address; atomics: MODE at issue
  std::uint8_t queues = 0;           ///< queues that still hold it (FLAT: two)
  bool flat = false;                 ///< may finish out of order: only a wait for 0 proves it
  bool done = false;                 ///< its effect was applied early, because a younger load had to see it

  // Destination registers, marked pending until the operation retires.
  OperandKind destination_kind = OperandKind::none;
  std::uint16_t destination = 0;
  std::uint8_t destination_dwords = 0;
  std::uint8_t lds_bytes = 0;  ///< loads to LDS: what each lane writes there
  std::uint32_t kept = 0;      ///< bits of the destination that stay as they are

  // Vector memory, each lane; what a group does not use is left as it was.
  alignas(64) std::array<std::uint64_t, 64> address;   ///< GLOBAL, FLAT, MUBUF, SCRATCH (byte offset)
  alignas(64) std::array<std::uint32_t, 64> lds;       ///< DS, LDS-DMA: byte offset in the workgroup's LDS
  std::array<std::uint64_t, kMaxDataDwords> in_range;  ///< MUBUF: lanes whose dword the range check lets pass
  std::uint32_t dword_step = 4;                        ///< MUBUF: from one dword of a lane to its next
  alignas(64) std::array<std::array<std::uint32_t, 64>, kMaxDataDwords> data;  ///< [dword][lane]
};

/// Which halves of the destination a load replaces; only those are poisoned while it is pending.
enum class Halves : std::uint8_t { both, low, high };

/// What a register reads as between the issue of its load and the wait that covers it: NaN as f32, f16 and
/// bf16.
inline constexpr std::uint32_t kPendingPoison = 0xfff5fff5u;

class InFlight {
 public:
  /// A slot for a new operation, with EXEC and the instruction filled in. It must be passed to issue() next.
  PendingOp& begin(Wave& wave, const Instruction& instruction, Complete complete);

  /// Marks and poisons `dwords` registers of a destination operand, for the lanes of op.exec.
  void set_destination(Wave& wave, PendingOp& op, const Operand& operand, unsigned dwords,
                       Halves halves = Halves::both);

  /// Puts the operation into its queue. Stalls, that is retires the oldest, when the hardware's counter is
  /// full.
  void issue(Wave& wave, PendingOp& op, QueueId queue);
  /// FLAT: counts on the load (or store) queue and on the LDS queue.
  void issue_flat(Wave& wave, PendingOp& op, QueueId queue);

  /// Waits until at most `count` operations of the queue are outstanding and applies what that proves.
  void wait(Wave& wave, QueueId queue, unsigned count);
  /// lgkmcnt: LDS retires in order; scalar loads, and LDS beside them, only at 0.
  void wait_lgkm(Wave& wave, unsigned count);
  /// The oldest operation of a queue, if there is one, before any wait demands it.
  void arrive(Wave& wave, QueueId queue) {
    if (ring(queue).size() != 0) retire_oldest(wave, ring(queue));
  }
  /// Everything: the end of the wave.
  void drain(Wave& wave);

  /// How many loads into this register are outstanding. For hazard detection.
  unsigned pending_on_vector(std::uint32_t row) const { return vector_pending_[row]; }
  unsigned pending_on_scalar(std::uint32_t index) const { return scalar_pending_[index]; }
  /// The queue of the newest load into a register that has one outstanding.
  QueueId queue_of_vector(std::uint32_t row) const { return vector_queue_[row]; }
  /// The operation issued last; only valid as long as it cannot have retired.
  const PendingOp& newest() const { return *newest_; }
  /// Issue order of the newest operation.
  std::uint64_t last_sequence() const { return sequence_ - 1; }
  std::size_t outstanding(QueueId queue) const { return queues_[static_cast<std::size_t>(queue)].size(); }

  void reset(std::uint32_t rows);

 private:
  /// A ring of operations, oldest first. Counters are at most 63, so 128 never fills.
  struct Ring {
    std::array<PendingOp*, 128> slots{};
    std::uint32_t head = 0, tail = 0;
    std::size_t size() const { return tail - head; }
    PendingOp*& operator[](std::size_t i) { return slots[(head + i) % slots.size()]; }
    void push(PendingOp* op) { slots[tail++ % slots.size()] = op; }
    PendingOp* pop() { return slots[head++ % slots.size()]; }
  };

  std::array<Ring, 4> queues_;
  std::vector<std::unique_ptr<PendingOp>> storage_;
  std::vector<PendingOp*> free_;
  std::vector<std::uint8_t> vector_pending_;
  std::vector<QueueId> vector_queue_;
  std::array<std::uint8_t, 144> scalar_pending_{};
  std::uint64_t sequence_ = 0;
  const PendingOp* newest_ = nullptr;

  Ring& ring(QueueId queue) { return queues_[static_cast<std::size_t>(queue)]; }
  void retire_oldest(Wave& wave, Ring& ring);
  void apply(Wave& wave, PendingOp& op);
};

}  // namespace wavesmith::simulator
