// Forward propagation with a fixed point for loops.
#include "ir_builder/uniformity.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace wavesmith::ir {
namespace {

Extent smallest(std::span<const Value> values) {
  Extent extent = Extent::workgroup;
  for (const Value& value : values) extent = std::min(extent, value.extent());
  return extent;
}

void propagate(const Region& region);

void propagate_for(const Op& op) {
  const Region& body = *op.regions.front();
  const Extent trips = smallest(std::span(op.operands).first(3));
  body.arguments.front().data()->extent = trips;
  // Optimistic start; each round can only make extents smaller, so this ends.
  for (std::size_t i = 1; i < body.arguments.size(); ++i)
    body.arguments[i].data()->extent = std::min(trips, op.operands[i + 2].extent());
  for (bool changed = true; changed;) {
    changed = false;
    propagate(body);
    const Op& yield = *body.ops.back();
    for (std::size_t i = 1; i < body.arguments.size() && i - 1 < yield.operands.size(); ++i) {
      ValueData& argument = *body.arguments[i].data();
      if (yield.operands[i - 1].extent() < argument.extent) {
        argument.extent = yield.operands[i - 1].extent();
        changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < op.results.size(); ++i)
    op.results[i].data()->extent = body.arguments[i + 1].extent();
}

void propagate_if(const Op& op) {
  const Region& then = *op.regions.front();
  propagate(then);
  const Op& last = *then.ops.back();
  for (std::size_t i = 0; i < op.results.size(); ++i)
    op.results[i].data()->extent =
        i < last.operands.size()
            ? std::min({op.operands[0].extent(), op.operands[i + 1].extent(), last.operands[i].extent()})
            : Extent::lane;
}

Extent extent_of_results(const Op& op) {
  switch (info(op.kind).uniformity) {
    case Uniformity::propagates:
      return smallest(op.operands);
    case Uniformity::one_lane:
      return std::max(Extent::wave, smallest(op.operands));
    case Uniformity::wave:
      return Extent::wave;
    case Uniformity::workgroup:
      return Extent::workgroup;
    case Uniformity::divergent:
      return Extent::lane;
  }
  return Extent::lane;
}

void propagate(const Region& region) {
  for (const Op* op : region.ops) {
    if (op->kind == OpKind::for_) {
      propagate_for(*op);
    } else if (op->kind == OpKind::if_) {
      propagate_if(*op);
    } else {
      const Extent extent = extent_of_results(*op);
      for (const Value& result : op->results) result.data()->extent = extent;
    }
  }
}

}  // namespace

void compute_uniformity(Kernel& kernel) {
  for (const Value& parameter : kernel.body().arguments) parameter.data()->extent = Extent::workgroup;
  propagate(kernel.body());
}

}  // namespace wavesmith::ir
