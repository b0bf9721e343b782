// The machine's control flow, memory and order in time.
#include "tests/generator/ir_machine.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace wavesmith::test {

using ir::OpKind;

IrMachine::IrMachine(const ir::Kernel& kernel, Arrival arrival) : kernel_(kernel), arrival_(arrival) {}

Tensor& IrMachine::tensor(std::string_view parameter, std::size_t elements) {
  Tensor& tensor = tensors_[std::string(parameter)];
  // Far apart, so that a stray of less than a terabyte hits none of them.
  tensor.address = tensors_.size() << 40;
  tensor.data.assign(elements, 0);
  argument(parameter, tensor.address);
  return tensor;
}

void IrMachine::argument(std::string_view parameter, std::uint64_t bits) {
  arguments_[std::string(parameter)] = bits;
}

void IrMachine::run_workgroup(std::array<unsigned, 3> workgroup) {
  workgroup_ = workgroup;
  values_.clear();
  pending_read_.clear();
  lds_.assign(kernel_.lds_bytes(), {});
  wave_.assign(waves(), {});
  epoch_ = 0;
  for (const ir::Parameter& parameter : kernel_.parameters)
    values_[parameter.value.data()].assign(items(), arguments_.at(parameter.value.name()));
  region(kernel_.body());
  for (const Wave& wave : wave_)
    if (std::ranges::any_of(wave.in_flight, [](const InFlight& entry) { return entry.bytes > 0; }))
      report("copies into LDS are in flight when the kernel ends");
}

const Lanes& IrMachine::get(const ir::Value& value) {
  const auto known = values_.find(value.data());
  if (known != values_.end()) return known->second;
  if (!value.is_constant()) throw std::logic_error("use of a value before its definition");
  return values_[value.data()] = Lanes(std::size_t{items()} * value.type().lanes, value.constant_bits());
}

Lanes& IrMachine::set(const ir::Value& value) {
  Lanes& lanes = values_[value.data()];
  lanes.assign(std::size_t{items()} * elements_of(value.type()), 0);
  return lanes;
}

std::int64_t IrMachine::same_in_all(const ir::Value& value, std::string_view what) {
  const Lanes& lanes = get(value);
  for (std::uint64_t bits : lanes)
    if (bits != lanes.front()) throw std::runtime_error(fmt::format("{} differs between work-items", what));
  return static_cast<std::int32_t>(lanes.front());
}

void IrMachine::region(const ir::Region& region) {
  for (const ir::Op* op : region.ops) this->op(*op);
}

void IrMachine::op(const ir::Op& op) {
  finish_reads(op);
  switch (op.kind) {
    case OpKind::for_:
      return for_loop(op);
    case OpKind::if_:
      return if_then(op);
    case OpKind::yield:
    case OpKind::sched_barrier:
    case OpKind::sched_group_barrier:
    case OpKind::set_priority:
      return;
    case OpKind::buffer_load:
      return buffer_load(op);
    case OpKind::buffer_store:
      return buffer_store(op);
    case OpKind::buffer_load_lds:
      return copy_to_lds(op);
    case OpKind::lds_load:
    case OpKind::lds_read_tr16:
      return lds_read(op);
    case OpKind::waitcnt:
      return wait(op);
    case OpKind::barrier:
      ++epoch_;
      for (Wave& wave : wave_) wave.drained_at_barrier = wave.drained;
      return;
    default:
      if (!value_op(op)) throw std::logic_error(fmt::format("no such operation: {}", info(op.kind).name));
  }
}

void IrMachine::for_loop(const ir::Op& op) {
  const ir::Region& body = *op.regions.front();
  const ir::Op& yield = *body.ops.back();
  const std::int64_t upper = same_in_all(op.operands[1], "a loop's end");
  const std::int64_t step = same_in_all(op.operands[2], "a loop's step");
  std::vector<Lanes> carried;
  for (std::size_t i = 3; i < op.operands.size(); ++i) carried.push_back(get(op.operands[i]));
  for (std::int64_t index = same_in_all(op.operands[0], "a loop's begin"); index < upper; index += step) {
    values_[body.arguments[0].data()].assign(items(), static_cast<std::uint32_t>(index));
    for (std::size_t i = 0; i < carried.size(); ++i) values_[body.arguments[i + 1].data()] = carried[i];
    region(body);
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = get(yield.operands[i]);
  }
  for (std::size_t i = 0; i < carried.size(); ++i) values_[op.results[i].data()] = carried[i];
}

void IrMachine::if_then(const ir::Op& op) {
  const ir::Region& then = *op.regions.front();
  const Lanes condition = get(op.operands[0]);
  const bool anywhere = std::ranges::any_of(condition, [](std::uint64_t bit) { return bit != 0; });
  const bool everywhere = std::ranges::all_of(condition, [](std::uint64_t bit) { return bit != 0; });
  if (anywhere && !everywhere)
    for (const ir::Op* inner : then.ops)
      if (inner->kind != OpKind::yield && info(inner->kind).effect != ir::Effect::none)
        throw std::logic_error("the machine does not part waves around operations with an effect");
  if (anywhere) region(then);
  for (std::size_t r = 0; r < op.results.size(); ++r) {
    const Lanes taken = anywhere ? get(then.ops.back()->operands[r]) : Lanes{};
    const Lanes otherwise = get(op.operands[r + 1]);
    Lanes& out = set(op.results[r]);
    const unsigned lanes = elements_of(op.results[r].type());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = condition[i / lanes] != 0 ? taken[i] : otherwise[i];
  }
}

std::uint16_t* IrMachine::element(std::string_view what, std::uint64_t address) {
  for (auto& [name, tensor] : tensors_) {
    const std::uint64_t offset = address - tensor.address;
    if (offset < tensor.data.size() * 2) {
      if (offset % 2 != 0) report(fmt::format("{}: odd address in {}", what, name));
      return &tensor.data[offset / 2];
    }
  }
  report(fmt::format("{} at an address outside all tensors", what));
  return nullptr;
}

namespace {

// A raw descriptor checks each dword; one that it does not cover reads 0 and is not written.
bool covers(std::uint64_t bytes, std::uint64_t offset) {
  return (offset & ~std::uint64_t{3}) < bytes;
}

}  // namespace

void IrMachine::buffer_load(const ir::Op& op) {
  const Lanes& resource = get(op.operands[0]);
  const Lanes& offset = get(op.operands[1]);
  Lanes& out = set(op.results[0]);
  const unsigned lanes = op.results[0].type().lanes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t item = i / lanes;
    const std::uint64_t at = offset[item] + i % lanes * 2;
    if (!covers(resource[item * 2 + 1], at)) continue;
    if (const std::uint16_t* value = element("buffer_load", resource[item * 2] + at)) out[i] = *value;
  }
  for (Wave& wave : wave_) wave.in_flight.push_back({"load", 0, {}, {}});
}

void IrMachine::buffer_store(const ir::Op& op) {
  const Lanes& data = get(op.operands[0]);
  const Lanes& resource = get(op.operands[1]);
  const Lanes& offset = get(op.operands[2]);
  const unsigned halves = ir::total_bits(op.operands[0].type()) / 16;
  const unsigned per_lane = ir::scalar_bits(op.operands[0].type()) / 16;
  for (std::size_t item = 0; item < items(); ++item)
    for (unsigned half = 0; half < halves; ++half) {
      const std::uint64_t at = offset[item] + half * 2;
      if (!covers(resource[item * 2 + 1], at)) continue;
      const std::uint64_t lane = data[(item * halves + half) / per_lane];
      if (std::uint16_t* value = element("buffer_store", resource[item * 2] + at)) {
        if (!stored_.insert(value).second) report("an element is stored twice");
        *value = static_cast<std::uint16_t>(lane >> half % per_lane * 16);
      }
    }
  for (Wave& wave : wave_) wave.in_flight.push_back({"store", 0, {}, {}});
}

void IrMachine::copy_to_lds(const ir::Op& op) {
  const Lanes& resource = get(op.operands[0]);
  const Lanes& offset = get(op.operands[1]);
  const Lanes& base = get(op.operands[2]);
  const auto bytes = static_cast<unsigned>(*op.attr(ir::Attr::bytes));
  for (unsigned wave = 0; wave < waves(); ++wave) {
    const std::size_t first = std::size_t{wave} * 64;
    InFlight entry{"copy", bytes, {}, std::vector<std::uint8_t>(std::size_t{64} * bytes)};
    for (unsigned lane = 0; lane < 64; ++lane) {
      const std::size_t item = first + lane;
      if (base[item] != base[first]) report("the LDS base of a copy differs between lanes");
      const auto to = static_cast<unsigned>(base[first] + lane * bytes);
      entry.to.push_back(to);
      const bool covered = covers(resource[item * 2 + 1], offset[item]);
      for (unsigned half = 0; half < bytes / 2; ++half) {
        const std::uint64_t at = offset[item] + half * 2;
        if (!covers(resource[item * 2 + 1], at)) continue;
        if (const std::uint16_t* value = element("copy", resource[item * 2] + at)) {
          entry.data[lane * bytes + half * 2] = static_cast<std::uint8_t>(*value);
          entry.data[lane * bytes + half * 2 + 1] = static_cast<std::uint8_t>(*value >> 8);
        }
      }
      if (on_copy) on_copy(op, {wave, lane, covered ? resource[item * 2] + offset[item] : 0, to, bytes});
      if (to + bytes > lds_.size()) {
        report("copy past the end of LDS");
        continue;
      }
      for (unsigned byte = 0; byte < bytes; ++byte) {
        LdsByte& target = lds_[to + byte];
        if (target.last_read > wave_[target.reader].drained_at_barrier)
          report("copy over LDS that a wave may still read");
        if (target.copies_in_flight++ > 0) report("copy over a copy in flight");
        if (arrival_ == Arrival::at_once) {
          target.value = entry.data[lane * bytes + byte];
          target.written = true;
        }
      }
    }
    wave_[wave].in_flight.push_back(std::move(entry));
  }
}

void IrMachine::land(unsigned wave) {
  const InFlight entry = std::move(wave_[wave].in_flight.front());
  wave_[wave].in_flight.pop_front();
  for (std::size_t lane = 0; lane < entry.to.size(); ++lane)
    for (unsigned byte = 0; byte < entry.bytes; ++byte) {
      if (entry.to[lane] + byte >= lds_.size()) continue;
      LdsByte& target = lds_[entry.to[lane] + byte];
      target.value = entry.data[lane * entry.bytes + byte];
      target.written = true;
      target.writer = wave;
      target.arrived_epoch = epoch_;
      --target.copies_in_flight;
    }
}

std::uint8_t IrMachine::lds_byte(const ir::Op& op, unsigned item, unsigned at) {
  const std::string_view name = info(op.kind).name;
  if (at >= lds_.size()) {
    report(fmt::format("{} past the end of LDS", name));
    return 0;
  }
  LdsByte& byte = lds_[at];
  const unsigned wave = item / 64;
  if (byte.copies_in_flight > 0)
    report(fmt::format("{} while a copy to the same place is in flight", name));
  else if (!byte.written)
    report(fmt::format("{} of LDS that nothing has written", name));
  else if (byte.writer != wave && byte.arrived_epoch == epoch_)
    report(fmt::format("{} of another wave's copy without a barrier between", name));
  byte.last_read = wave_[wave].reads;
  byte.reader = wave;
  return byte.value;
}

void IrMachine::lds_read(const ir::Op& op) {
  const Lanes& address = get(op.operands[0]);
  const ir::Type type = op.results[0].type();
  const bool transposed = op.kind == OpKind::lds_read_tr16;
  const unsigned bytes = type.lanes * 2;
  for (Wave& wave : wave_) ++wave.reads;
  Lanes own(std::size_t{items()} * type.lanes);
  for (unsigned item = 0; item < items(); ++item) {
    const auto at = static_cast<unsigned>(address[item]);
    if (at % bytes != 0)
      report(fmt::format("{} at an address that is no multiple of {}", info(op.kind).name, bytes));
    if (on_lds_read) on_lds_read(op, {item, at, bytes});
    for (unsigned e = 0; e < type.lanes; ++e) {
      const unsigned low = lds_byte(op, item, at + e * 2), high = lds_byte(op, item, at + e * 2 + 1);
      own[item * type.lanes + e] = low | high << 8;
    }
  }
  Lanes& out = set(op.results[0]);
  // A 16-lane group's 16 x 4 elements are exchanged so that each lane gets one column (CDNA4 ISA §11.4).
  for (unsigned item = 0; item < items(); ++item)
    for (unsigned e = 0; e < type.lanes; ++e)
      out[item * type.lanes + e] = transposed ? own[(item / 16 * 16 + 4 * e + item % 16 / 4) * 4 + item % 4]
                                              : own[item * type.lanes + e];
  pending_read_[op.results[0].data()] = wave_.front().reads;
}

void IrMachine::finish_reads(const ir::Op& op) {
  // LDS reads finish in order, and the compiler waits for a read before an instruction that uses it. Taking a
  // vector apart or together is no instruction.
  std::uint64_t newest = 0;
  for (const ir::Value& operand : op.operands)
    if (const auto read = pending_read_.find(operand.data()); read != pending_read_.end())
      newest = std::max(newest, read->second);
  if (newest == 0) return;
  switch (op.kind) {
    case OpKind::concat:
    case OpKind::slice:
    case OpKind::extract:
    case OpKind::build:
    case OpKind::bitcast:
      pending_read_[op.results[0].data()] = newest;
      break;
    default:
      for (Wave& wave : wave_) wave.drained = std::max(wave.drained, newest);
  }
}

void IrMachine::wait(const ir::Op& op) {
  for (unsigned wave = 0; wave < waves(); ++wave) {
    Wave& state = wave_[wave];
    if (const auto vmcnt = op.attr(ir::Attr::vmcnt)) {
      const auto left = static_cast<std::size_t>(*vmcnt) + (&op == relaxed_ ? 1 : 0);
      while (state.in_flight.size() > left) land(wave);
    }
    if (const auto lgkmcnt = op.attr(ir::Attr::lgkmcnt)) {
      const auto left = static_cast<std::uint64_t>(*lgkmcnt);
      state.drained = std::max(state.drained, state.reads > left ? state.reads - left : 0);
    }
  }
}

}  // namespace wavesmith::test
