// Between the two matrix products: scores, mask, row maximum, exponentials, sums, and P as an MFMA operand.
//
// After QK a lane holds scores of one query (lane % 32) and, in register i of a 32-key sub-tile, of key
// i / 4 * 8 + lane / 32 * 4 + i % 4. A row is thus spread over two lanes, l and l ^ 32.
#include <array>
#include <limits>

#include "generator/attention_dense/kernel_p.h"

namespace wavesmith::generator::attention_dense {

Values KernelEmitter::qk(Value buffer_offset) {
  const ir::Builder::Step step(b_, "qk");
  const Values fragments = load_k_fragments(buffer_offset);
  Values scores;
  for (unsigned sub_tile = 0; sub_tile < plan_.sub_tiles; ++sub_tile) {
    Value acc = b_.constant_f32(0, 16);
    for (unsigned k_step = 0; k_step < plan_.k_steps; ++k_step)
      acc = b_.mfma_32x32x16(fragments[sub_tile * plan_.k_steps + k_step], q_[k_step], acc);
    scores.push_back(acc);
  }
  // Some K reads ahead of the matrix instructions hide the LDS's latency; all of them would only hold
  // registers.
  const auto total = static_cast<unsigned>(fragments.size());
  b_.sched_group_barrier(ir::sched::lds_read, plan_.k_reads_ahead, 0);
  for (unsigned i = 0; i < total; ++i) {
    b_.sched_group_barrier(ir::sched::mfma, 1, 0);
    if (i + plan_.k_reads_ahead < total) b_.sched_group_barrier(ir::sched::lds_read, 1, 0);
  }
  return scores;
}

Values KernelEmitter::score_pairs(const Values& scores, Value index, bool masked) {
  const ir::Builder::Step step(b_, "mask");
  // LLVM would make the comparisons while the matrix unit still works on the scores, and keep two scalar
  // registers for each of them: with the arguments of LSE, those of a window, or beside a loop over work
  // items, these are too many.
  const bool window = plan_.spec.mask == Mask::window;
  if (masked && (plan_.spec.lse || plan_.spec.persistent || window)) b_.sched_barrier(0);
  // Keys of the tile that this lane's query sees, counted from the lane's first key.
  const auto from_lane = [&](Value key) {
    return key - at_.lane_h * 4 - index * static_cast<unsigned>(plan_.spec.block_n);
  };
  const Value visible = from_lane(at_.last_key);
  // Keys of a window are at most last - first behind its first one, compared without a sign.
  const Value first = window ? from_lane(at_.first_key) : Value{};
  const Value span = window ? at_.last_key - at_.first_key : Value{};
  const Value invisible_score = b_.constant_f32(-std::numeric_limits<float>::infinity());
  Values pairs;
  for (unsigned sub_tile = 0; sub_tile < plan_.sub_tiles; ++sub_tile) {
    for (unsigned i = 0; i < 16; i += 2) {
      if (!masked) {
        pairs.push_back(b_.slice(scores[sub_tile], i, 2));
        continue;
      }
      std::array<Value, 2> pair;
      for (unsigned e = 0; e < 2; ++e) {
        const unsigned key = sub_tile * 32 + i / 4 * 8 + i % 4 + e;
        const Value is_visible =
            window ? b_.compare(ir::Predicate::ule, b_.i32(key) - first, span) : visible >= b_.i32(key);
        pair[e] = b_.select(is_visible, b_.extract(scores[sub_tile], i + e), invisible_score);
      }
      pairs.push_back(b_.build(pair));
    }
  }
  return pairs;
}

Value KernelEmitter::row_maximum(const Values& pairs) {
  // A chain, so that two steps become one v_max3_f32.
  Value maximum = b_.extract(pairs.front(), 0);
  for (std::size_t i = 1; i < 2 * pairs.size(); ++i)
    maximum = b_.fmax(maximum, b_.extract(pairs[i / 2], i % 2));
  return other_half_max(maximum);
}

Value KernelEmitter::other_half_max(Value value) {
  const auto [low, high] = b_.permlane32_swap(value, value);
  return b_.fmax(low, high);
}

Values KernelEmitter::exponents(const Values& pairs, Value m) {
  // Packed, two scores an instruction; the scale is applied in fp32 and with one rounding.
  const Value scale = b_.splat(score_scale_, 2);
  const Value negated_m = b_.splat(b_.fneg(m), 2);
  Values result;
  for (const Value& pair : pairs) result.push_back(b_.fma(pair, scale, negated_m));
  return result;
}

Value KernelEmitter::exponential(const Values& exponents, unsigned score) {
  return b_.exp2(b_.extract(exponents[score / 2], score % 2));
}

Values KernelEmitter::pairs_of(const Values& scalars) {
  Values pairs;
  for (std::size_t i = 0; i < scalars.size(); i += 2)
    pairs.push_back(b_.build(std::array{scalars[i], scalars[i + 1]}));
  return pairs;
}

Value KernelEmitter::sum_of(Values pairs) {
  const ir::Builder::Step step(b_, "row_sum");
  // A balanced tree of packed additions: short dependencies, small rounding error.
  for (; pairs.size() > 1;) {
    Values sums;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) sums.push_back(pairs[i] + pairs[i + 1]);
    if (pairs.size() % 2 == 1) sums.push_back(pairs.back());
    pairs = std::move(sums);
  }
  return b_.extract(pairs.front(), 0) + b_.extract(pairs.front(), 1);
}

Values KernelEmitter::pack(const Values& pairs) {
  const ir::Builder::Step step(b_, "pack_p");
  // Registers 8 s to 8 s + 7 of a sub-tile are the keys of MFMA step s in the order in which v_fragment()
  // reads V, so P needs no exchange between lanes.
  Values operands;
  for (std::size_t i = 0; i < pairs.size(); i += 4) {
    std::array<Value, 4> narrow;
    for (std::size_t j = 0; j < 4; ++j) narrow[j] = b_.fptrunc(pairs[i + j], element().vector(2));
    operands.push_back(b_.concat(b_.concat(narrow[0], narrow[1]), b_.concat(narrow[2], narrow[3])));
  }
  return operands;
}

Value KernelEmitter::row_sum(Value l) {
  const ir::Builder::Step step(b_, "normalize");
  const auto [low, high] = b_.permlane32_swap(l, l);
  return low + high;
}

Value KernelEmitter::reciprocal_of_sum(Value sum) {
  const ir::Builder::Step step(b_, "normalize");
  const Value is_empty = b_.compare(ir::Predicate::oeq, sum, b_.constant_f32(0));
  return b_.select(is_empty, b_.constant_f32(0), b_.rcp(sum));
}

}  // namespace wavesmith::generator::attention_dense
