// Forward propagation with a fixed point for loops.
#include "ir_builder/uniformity.h"

#include <algorithm>
#include <cstddef>

namespace wavesmith::ir {
namespace {

bool is_uniform(const Value& value) {
  return value.is_uniform();
}

void propagate(const Region& region);

void propagate_for(const Op& op) {
  const Region& body = *op.regions.front();
  const bool trips_uniform = std::all_of(op.operands.begin(), op.operands.begin() + 3, is_uniform);
  body.arguments.front().data()->uniform = trips_uniform;
  // Optimistic start; each round can only turn values divergent, so this ends.
  for (std::size_t i = 1; i < body.arguments.size(); ++i)
    body.arguments[i].data()->uniform = trips_uniform && op.operands[i + 2].is_uniform();
  for (bool changed = true; changed;) {
    changed = false;
    propagate(body);
    const Op& yield = *body.ops.back();
    for (std::size_t i = 1; i < body.arguments.size() && i - 1 < yield.operands.size(); ++i) {
      ValueData& argument = *body.arguments[i].data();
      if (argument.uniform && !yield.operands[i - 1].is_uniform()) {
        argument.uniform = false;
        changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < op.results.size(); ++i)
    op.results[i].data()->uniform = body.arguments[i + 1].is_uniform();
}

void propagate_if(const Op& op) {
  const Region& then = *op.regions.front();
  propagate(then);
  const Op& last = *then.ops.back();
  for (std::size_t i = 0; i < op.results.size(); ++i)
    op.results[i].data()->uniform = op.operands[0].is_uniform() && op.operands[i + 1].is_uniform() &&
                                    i < last.operands.size() && last.operands[i].is_uniform();
}

void propagate(const Region& region) {
  for (const Op* op : region.ops) {
    if (op->kind == OpKind::for_) {
      propagate_for(*op);
    } else if (op->kind == OpKind::if_) {
      propagate_if(*op);
    } else {
      const Uniformity rule = info(op->kind).uniformity;
      const bool uniform = rule == Uniformity::uniform ||
                           (rule == Uniformity::propagates && std::ranges::all_of(op->operands, is_uniform));
      for (const Value& result : op->results) result.data()->uniform = uniform;
    }
  }
}

}  // namespace

void compute_uniformity(Kernel& kernel) {
  for (const Value& parameter : kernel.body().arguments) parameter.data()->uniform = true;
  propagate(kernel.body());
}

}  // namespace wavesmith::ir
