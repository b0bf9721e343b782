// The samples: operands depend on the lane wherever the operation permits it.
#include "tests/ir_builder/every_op.h"

#include <array>
#include <initializer_list>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

namespace wavesmith::ir::testing {
namespace {

using Attrs = std::initializer_list<std::pair<Attr, std::int64_t>>;
constexpr auto read_scope = static_cast<std::int64_t>(AliasScope::lds_read);

class Samples {
 public:
  Samples(TestKernel& kernel, const Operands& operands) : k_(kernel), o_(operands), b_(kernel.b) {}

  Op* append(OpKind kind) {
    switch (kind) {
      case OpKind::add:
      case OpKind::sub:
      case OpKind::mul:
      case OpKind::udiv:
      case OpKind::urem:
      case OpKind::and_:
      case OpKind::or_:
      case OpKind::xor_:
      case OpKind::shl:
      case OpKind::lshr:
      case OpKind::ashr:
      case OpKind::smin:
      case OpKind::smax:
      case OpKind::umin:
      case OpKind::umax:
        return op(kind, {o_.i32_lane, k_.count}, {i32});
      case OpKind::icmp:
        return op(kind, {o_.lane, k_.count}, {i1}, {{Attr::predicate, std::int64_t(Predicate::ule)}});
      case OpKind::fcmp:
        return op(kind, {o_.f32_lane, k_.x}, {i1}, {{Attr::predicate, std::int64_t(Predicate::ogt)}});
      case OpKind::fadd:
      case OpKind::fsub:
      case OpKind::fmul:
      case OpKind::fmax:
        return op(kind, {o_.f32_lane, k_.x}, {f32});
      case OpKind::fma:
        return op(kind, {o_.f32_lane, k_.x, o_.f32_lane}, {f32});
      case OpKind::fneg:
      case OpKind::exp2:
      case OpKind::log2:
      case OpKind::rcp:
        return op(kind, {o_.f32_lane}, {f32});
      case OpKind::zext:
      case OpKind::sext:
        return op(kind, {o_.i32_lane}, {i64});
      case OpKind::trunc:
        return op(kind, {o_.i64_lane}, {i16});
      case OpKind::fptrunc:
        return op(kind, {o_.f32_lane}, {bf16});
      case OpKind::fpext:
        return op(kind, {o_.bf16_lane}, {f32});
      case OpKind::bitcast:
        return op(kind, {o_.i32x4}, {f32.vector(4)});
      default:
        return other(kind);
    }
  }

 private:
  Op* other(OpKind kind) {
    switch (kind) {
      case OpKind::extract:
        return op(kind, {o_.i32x4}, {i32}, {{Attr::index, 2}});
      case OpKind::build:
        return op(kind, {o_.lane, k_.count, o_.lane}, {i32.vector(3)});
      case OpKind::concat:
        return op(kind, {o_.i32x4, o_.i32x4}, {i32.vector(8)});
      case OpKind::slice:
        return op(kind, {o_.f32x16}, {f32.vector(4)}, {{Attr::index, 8}});
      case OpKind::splat:
        return op(kind, {o_.f32_lane}, {f32.vector(4)});
      case OpKind::select:
        return op(kind, {o_.lane_flag, o_.f32_lane, k_.x}, {f32});
      case OpKind::workitem_id:
        return op(kind, {}, {i32});
      case OpKind::workgroup_id:
        return op(kind, {}, {i32}, {{Attr::index, 1}});
      case OpKind::load_argument:
        return op(kind, {k_.count, o_.lane}, {i32});
      case OpKind::load_constant:
        return op(kind, {k_.source}, {i32});
      case OpKind::readfirstlane:
        return op(kind, {o_.lane}, {i32});
      case OpKind::ballot:
        return op(kind, {o_.lane_flag}, {i64});
      case OpKind::permlane32_swap:
        return op(kind, {o_.lane, k_.count}, {i32, i32});
      case OpKind::mfma_32x32x16:
        return op(kind, {o_.bf16x8, o_.bf16x8, o_.f32x16}, {f32.vector(16)});
      case OpKind::ptr_offset:
        return op(kind, {k_.source, k_.wide}, {global_ptr});
      case OpKind::lds_address:
        return op(kind, {}, {lds_ptr}, {{Attr::bytes, 64}});
      case OpKind::make_buffer_resource:
        return op(kind, {k_.source, b_.i32(64)}, {buffer_resource});
      default:
        return with_effect(kind);
    }
  }

  Op* with_effect(OpKind kind) {
    switch (kind) {
      case OpKind::buffer_load:
        return op(kind, {o_.in, o_.lane}, {i32.vector(2)});
      case OpKind::buffer_store:
        return op(kind, {o_.i32x4, o_.out, o_.lane}, {});
      case OpKind::buffer_load_lds:
        return op(kind, {o_.in, o_.lane, o_.lds}, {},
                  {{Attr::bytes, 4}, {Attr::alias_scope, std::int64_t(AliasScope::dma_write)}});
      case OpKind::lds_load:
        return op(kind, {o_.lds_at}, {bf16.vector(8)}, {{Attr::align, 16}, {Attr::alias_scope, read_scope}});
      case OpKind::lds_read_tr16:
        return op(kind, {o_.lds_at}, {bf16.vector(4)}, {{Attr::alias_scope, read_scope}});
      case OpKind::waitcnt:
        return op(kind, {}, {}, {{Attr::vmcnt, 3}, {Attr::lgkmcnt, 2}});
      case OpKind::barrier:
        return op(kind, {}, {});
      case OpKind::sched_barrier:
        return op(kind, {}, {}, {{Attr::mask, 0}});
      case OpKind::sched_group_barrier:
        return op(kind, {}, {}, {{Attr::mask, sched::mfma}, {Attr::size, 1}, {Attr::group, 0}});
      case OpKind::set_priority:
        return op(kind, {}, {}, {{Attr::priority, 1}});
      case OpKind::for_:
        return loop();
      case OpKind::yield:
        return loop()->regions.front()->ops.back();
      case OpKind::if_: {
        const std::array otherwise{k_.count};
        return b_.if_then(o_.lane_flag, otherwise, [&] { return std::vector{b_.extract(o_.i32x4, 3)}; })
            .front()
            .producer();
      }
      case OpKind::return_:
        b_.return_if(o_.flag);
        return b_.kernel().body().ops.back()->regions.front()->ops.back();
      case OpKind::count_:
        break;
      default:
        break;
    }
    FAIL(fmt::format("no sample of {}", info(kind).name));
    return nullptr;
  }

  Op* loop() {
    const std::array carried{Carried{"sum", o_.lane}};
    return b_
        .for_loop(b_.i32(0), k_.count, b_.i32(1), "i", carried,
                  [&](Value i, std::span<const Value> values) { return std::vector{values[0] + i}; })
        .front()
        .producer();
  }

  Op* op(OpKind kind, std::initializer_list<Value> operands, std::initializer_list<Type> results,
         Attrs attrs = {}) {
    return b_.append(kind, {operands.begin(), operands.size()}, {results.begin(), results.size()}, "", attrs);
  }

  TestKernel& k_;
  const Operands& o_;
  Builder& b_;
};

}  // namespace

Op* append_sample(TestKernel& kernel, const Operands& operands, OpKind kind) {
  return Samples(kernel, operands).append(kind);
}

}  // namespace wavesmith::ir::testing
