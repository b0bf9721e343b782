// Queues of outstanding memory operations and what a wait proves about them; in_flight.h has the rules'
// interface. Sources: the CDNA4 guide 4.4 and LLVM's waitcnt insertion for which counters are in order.
#include "simulator/in_flight.h"

#include "simulator/workgroup.h"

namespace wavesmith::simulator {

void InFlight::reset(std::uint32_t rows) {
  for (Ring& ring : queues_) {
    while (ring.size() != 0) {
      PendingOp* op = ring.pop();
      if (--op->queues == 0) free_.push_back(op);
    }
  }
  vector_pending_.assign(rows, 0);
  vector_queue_.assign(rows, QueueId::load);
  scalar_pending_.fill(0);
  sequence_ = 0;
}

PendingOp& InFlight::begin(Wave& wave, const Instruction& instruction, Complete complete) {
  if (free_.empty()) {
    storage_.push_back(std::make_unique_for_overwrite<PendingOp>());
    free_.push_back(storage_.back().get());
  }
  PendingOp& op = *free_.back();
  free_.pop_back();
  op.instruction = &instruction;
  op.complete = complete;
  op.exec = wave.exec();
  op.sequence = sequence_++;
  op.queues = 0;
  op.flat = false;
  op.done = false;
  op.destination_kind = OperandKind::none;
  op.destination_dwords = 0;
  op.lds_bytes = 0;
  op.kept = 0;
  newest_ = &op;
  return op;
}

void InFlight::set_destination(Wave& wave, PendingOp& op, const Operand& operand, unsigned dwords,
                               Halves halves) {
  op.destination_kind = operand.kind;
  op.destination = operand.reg;
  op.destination_dwords = static_cast<std::uint8_t>(dwords);
  const std::uint32_t keep = halves == Halves::both ? 0u : halves == Halves::low ? 0xffff0000u : 0x0000ffffu;
  op.kept = keep;
  for (unsigned d = 0; d < dwords; ++d) {
    if (operand.kind == OperandKind::scalar) {
      ++scalar_pending_[operand.reg + d];
      wave.scalar[operand.reg + d] = kPendingPoison;
      continue;
    }
    ++vector_pending_[operand.reg + d];
    std::uint32_t* row = wave.row(operand.reg + d);
    if (op.exec == ~std::uint64_t{0} && keep == 0) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) row[lane] = kPendingPoison;
    } else {
      for_each_lane(op.exec,
                    [&](std::uint32_t lane) { row[lane] = (row[lane] & keep) | (kPendingPoison & ~keep); });
    }
  }
}

void InFlight::issue(Wave& wave, PendingOp& op, QueueId queue) {
  if (queue == QueueId::store && !wave.processor->store_counter) queue = QueueId::load;
  Ring& target = ring(queue);
  op.queues = 1;
  target.push(&op);
  if (op.destination_kind == OperandKind::vector)
    for (unsigned d = 0; d < op.destination_dwords; ++d) vector_queue_[op.destination + d] = queue;
  const std::size_t most = queue == QueueId::load || queue == QueueId::store ? wave.processor->max_load_count
                                                                             : wave.processor->max_lds_count;
  while (target.size() > most) retire_oldest(wave, target);
}

void InFlight::issue_flat(Wave& wave, PendingOp& op, QueueId queue) {
  op.flat = true;
  issue(wave, op, queue);
  op.queues = 2;
  ring(QueueId::lds).push(&op);
  while (ring(QueueId::lds).size() > wave.processor->max_lds_count) retire_oldest(wave, ring(QueueId::lds));
}

void InFlight::apply(Wave& wave, PendingOp& op) {
  if (op.done) return;
  // A wave's own stores are seen by its younger loads whatever the store counter says.
  Ring& stores = ring(QueueId::store);
  for (std::size_t i = 0; i < stores.size(); ++i) {
    PendingOp& store = *stores[i];
    if (store.sequence > op.sequence) break;
    if (&store == &op || store.done) continue;
    store.complete(wave, store);
    store.done = true;
  }
  op.complete(wave, op);
  if (wave.original != nullptr) take_results(wave, op);
  op.done = true;
}

void InFlight::retire_oldest(Wave& wave, Ring& queue) {
  PendingOp& op = *queue.pop();
  if (--op.queues != 0) return;
  for (unsigned d = 0; d < op.destination_dwords; ++d) {
    if (op.destination_kind == OperandKind::scalar) {
      --scalar_pending_[op.destination + d];
    } else {
      --vector_pending_[op.destination + d];
    }
  }
  apply(wave, op);
  if (wave.group->hazards) wave.group->hazards->retired(wave, op);
  free_.push_back(&op);
}

void InFlight::wait(Wave& wave, QueueId queue, unsigned count) {
  Ring& target = ring(queue);
  if (queue == QueueId::scalar && count != 0) return;  // scalar loads finish in any order
  while (target.size() > count) {
    if (count != 0 && target[0]->flat) return;  // and so do FLAT operations
    retire_oldest(wave, target);
  }
}

void InFlight::wait_lgkm(Wave& wave, unsigned count) {
  if (count != 0 && ring(QueueId::scalar).size() != 0) return;
  wait(wave, QueueId::scalar, count);
  wait(wave, QueueId::lds, count);
}

void InFlight::drain(Wave& wave) {
  for (const QueueId queue : {QueueId::load, QueueId::store, QueueId::lds, QueueId::scalar})
    wait(wave, queue, 0);
}

}  // namespace wavesmith::simulator
