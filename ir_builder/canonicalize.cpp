// Dead-operation removal, placement on demand, and naming.
#include "ir_builder/canonicalize.h"

#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace wavesmith::ir {
namespace {

using OpSet = std::unordered_set<const Op*>;

void mark_needed(const Op* op, OpSet& needed) {
  std::vector<const Op*> pending{op};
  while (!pending.empty()) {
    const Op* current = pending.back();
    pending.pop_back();
    if (!needed.insert(current).second) continue;
    for (const Value& operand : current->operands)
      if (operand.producer() != nullptr) pending.push_back(operand.producer());
  }
}

void mark_roots(const Region& region, OpSet& needed) {
  for (const Op* op : region.ops) {
    if (info(op->kind).effect != Effect::none) mark_needed(op, needed);
    for (const Region* inner : op->regions) mark_roots(*inner, needed);
  }
}

// Rebuilds one region's list of operations.
class Placement {
 public:
  Placement(Region& region, const OpSet& needed) : region_(region), needed_(needed) {}

  void run() {
    const std::vector<Op*> created = std::exchange(region_.ops, {});
    for (Op* op : created)
      for (Region* inner : op->regions) Placement(*inner, needed_).run();
    for (Op* op : created)
      if (info(op->kind).keeps_order && needed_.contains(op)) place(op);
  }

 private:
  void place(Op* op) {
    if (!placed_.insert(op).second) return;
    for (const Value& operand : op->operands) demand(operand);
    for (const Region* inner : op->regions) demand_for(*inner);
    region_.ops.push_back(op);
  }

  void demand(const Value& value) {
    Op* producer = value.producer();
    if (producer != nullptr && producer->parent == &region_ && !info(producer->kind).keeps_order)
      place(producer);
  }

  void demand_for(const Region& inner) {
    for (const Op* op : inner.ops) {
      for (const Value& operand : op->operands) demand(operand);
      for (const Region* deeper : op->regions) demand_for(*deeper);
    }
  }

  Region& region_;
  const OpSet& needed_;
  OpSet placed_;
};

class Namer {
 public:
  void name(Value value) {
    ValueData& data = *value.data();
    const unsigned use = uses_[data.hint]++;
    data.name = use == 0 ? data.hint : fmt::format("{}.{}", data.hint, use);
  }

  void name(const Region& region) {
    for (const Value& argument : region.arguments) name(argument);
    for (const Op* op : region.ops) {
      for (const Region* inner : op->regions) name(*inner);
      for (const Value& result : op->results) name(result);
    }
  }

 private:
  std::unordered_map<std::string, unsigned> uses_;
};

}  // namespace

void canonicalize(Kernel& kernel) {
  OpSet needed;
  mark_roots(kernel.body(), needed);
  Placement(kernel.body(), needed).run();
}

void assign_names(Kernel& kernel) {
  Namer().name(kernel.body());
}

}  // namespace wavesmith::ir
