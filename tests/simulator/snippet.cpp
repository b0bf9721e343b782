// Snippets: a one-wave workgroup around a decoded snippet. snippet.h has the contract.
#include "snippet.h"

#include <cstring>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "assembler.h"
#include "coverage_record.h"
#include "simulator/assembly_text.h"
#include "simulator/decoder.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator::testing {

Input& Input::v64(unsigned reg, std::span<const std::uint64_t, 64> values) {
  v(reg, lanes([&](std::uint32_t l) { return values[l]; }));
  return v(reg + 1, lanes([&](std::uint32_t l) { return values[l] >> 32; }));
}

Input& Input::s64(unsigned reg, std::uint64_t value) {
  s(reg, static_cast<std::uint32_t>(value));
  return s(reg + 1, static_cast<std::uint32_t>(value >> 32));
}

std::uint32_t Output::lds_dword(std::size_t index) const {
  std::uint32_t value = 0;
  std::memcpy(&value, lds.data() + 4 * index, sizeof value);
  return value;
}

bool operator==(const Output& a, const Output& b) {
  return a.vgprs == b.vgprs && a.agprs == b.agprs && a.scalars == b.scalars && a.scc == b.scc &&
         a.mode == b.mode && a.lds == b.lds && a.counters == b.counters &&
         a.fault.has_value() == b.fault.has_value();
}

std::uint32_t Snippets::Buffer::dword(std::size_t index) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * index, sizeof value);
  return value;
}

void Snippets::Buffer::set_dword(std::size_t index, std::uint32_t value) {
  std::memcpy(bytes.data() + 4 * index, &value, sizeof value);
}

struct Snippets::State {
  std::string processor_name;
  const Processor* processor = nullptr;
  std::uint32_t wave_size = 64;
  Memory memory;
  std::optional<Disassembler> disassembler;
  std::unordered_map<std::string, Program> programs;
  std::vector<std::vector<std::byte>> code;  ///< programs keep no bytes, the decoder reads them once
  Workgroup group;
  runtime::Kernel kernel;

  Expected<Program*> program_of(std::string_view text);
  Output execute(Program& program, const Input& input, bool wide);
  void record(const Program& program, const std::vector<InstructionCounters>& counters) const;
};

Snippets::Snippets(std::string_view processor, std::uint32_t wave_size) : state_(std::make_unique<State>()) {
  state_->processor_name = processor;
  state_->processor = find_processor(processor);
  state_->wave_size = wave_size;
  if (state_->processor == nullptr) throw std::runtime_error("unknown processor");
  auto disassembler = Disassembler::create(processor, state_->processor->is_cdna() ? ""
                                                      : wave_size == 32            ? "+wavefrontsize32"
                                                                                   : "+wavefrontsize64");
  if (!disassembler) throw std::runtime_error(disassembler.error().message);
  state_->disassembler = std::move(*disassembler);
}

Snippets::~Snippets() = default;

Expected<Program*> Snippets::State::program_of(std::string_view text) {
  const std::string key(text);
  if (const auto known = programs.find(key); known != programs.end()) return &known->second;
  auto bytes = assemble(key + "\ns_endpgm", processor_name, wave_size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto address = memory.allocate(bytes->size(), {.name = "snippet", .writable = false});
  if (!address) return std::unexpected(address.error());
  std::memcpy(memory.find(*address)->host, bytes->data(), bytes->size());
  DecodeRequest request;
  request.processor = processor;
  request.wave_size = wave_size;
  request.code = {*address, *bytes};
  request.entry = *address;
  request.functions = {*address};
  request.load_base = *address;
  request.vector_registers = processor->max_vector_registers;
  request.first_agpr = processor->unified_agprs ? 256 : 0;
  auto program = decode(*disassembler, request);
  if (!program) return std::unexpected(program.error());
  return &programs.emplace(key, std::move(*program)).first->second;
}

void Snippets::State::record(const Program& program, const std::vector<InstructionCounters>& counters) const {
  const auto waits = [](const Instruction& i) {
    const std::string_view mnemonic = i.row->mnemonic;
    return mnemonic.starts_with("s_wait") || mnemonic == "s_nop" || mnemonic == "s_endpgm";
  };
  const auto same = [](const Instruction& a, const Instruction& b) {
    return a.row == b.row && a.form == b.form;
  };
  const Instruction* subject = nullptr;
  bool alone = true;
  for (const Instruction& i : program.code) {
    if (waits(i)) continue;
    alone = alone && (subject == nullptr || same(*subject, i));
    subject = &i;
  }
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& i = program.code[k];
    if (counters[k].executions == 0) continue;
    executed(processor_name, i.row->mnemonic, name(i.form), subject == nullptr || (alone && !waits(i)));
  }
}

Output Snippets::State::execute(Program& program, const Input& input, bool wide) {
  select_handlers(program, wide);
  kernel.scratch_bytes = input.scratch_bytes;
  Dispatch dispatch;
  dispatch.program = &program;
  dispatch.processor = processor;
  dispatch.kernel = &kernel;
  dispatch.memory = &memory;
  dispatch.options = &input.options;
  dispatch.block = {wave_size, 1, 1};
  dispatch.lds_bytes = static_cast<std::uint32_t>(input.lds.size());
  Tally tally(program.code.size());
  start_workgroup(group, dispatch, tally, 0);
  Wave& wave = *group.waves[0];
  group.lds = input.lds;
  for (const auto& [reg, values] : input.vgprs) {
    if (reg < program.vgprs) std::memcpy(wave.row(reg), values.data(), sizeof values);
  }
  for (const auto& [reg, values] : input.agprs) {
    if (reg < program.agprs)
      std::memcpy(wave.row(program.first_agpr_row + reg), values.data(), sizeof values);
  }
  for (const auto& [reg, value] : input.sgprs) wave.scalar.at(reg) = value;
  wave.set_scalar64(kExec, input.exec);
  wave.set_scalar64(kVcc, input.vcc);
  wave.scalar[kM0] = input.m0;
  wave.scc = input.scc;
  wave.mode.bits = input.mode;
  run_workgroup(group);
  record(program, tally.counters);

  Output output;
  const auto copy = [&](std::uint32_t first, std::uint32_t count, std::vector<Lanes32>& to) {
    to.resize(count);
    for (std::uint32_t r = 0; r < count; ++r) std::memcpy(to[r].data(), wave.row(first + r), sizeof to[r]);
  };
  copy(0, program.vgprs, output.vgprs);
  copy(program.first_agpr_row, program.agprs, output.agprs);
  std::memcpy(output.scalars.data(), wave.scalar.data(), sizeof output.scalars);
  output.exec = wave.exec();
  output.vcc = wave.vcc();
  output.m0 = wave.scalar[kM0];
  output.mode = wave.mode.bits;
  output.scc = wave.scc;
  output.lds = group.lds;
  output.fault = group.fault;
  output.warnings = tally.warnings.list();
  output.counters = std::move(tally.counters);
  return output;
}

Expected<Output> Snippets::try_run(std::string_view text, const Input& input) {
  auto program = state_->program_of(text);
  if (!program) return std::unexpected(program.error());
  bool differ = false;
  for (const Instruction& i : (*program)->code)
    differ = differ || i.row->handlers.plain != i.row->handlers.wide;
  if (!differ || !cpu_has_wide_vectors())
    return state_->execute(**program, input, input.options.wide_vectors);
  const Output plain = state_->execute(**program, input, false);
  Output wide = state_->execute(**program, input, true);
  if (!(plain == wide)) {
    return fail(ErrorKind::check_failed, fmt::format("the plain and the wide handler differ: {}", text));
  }
  return wide;
}

Output Snippets::run(std::string_view text, const Input& input) {
  auto output = try_run(text, input);
  if (!output) throw std::runtime_error(output.error().message + "\n" + output.error().log);
  return std::move(*output);
}

Output CdnaSnippets::run(std::string_view text, const Input& input) {
  Output newer = gfx950_.run(text, input), older = gfx942_.run(text, input);
  older.counters = newer.counters;  // cycles of LDS are each processor's own
  if (!(newer == older)) throw std::runtime_error(fmt::format("gfx950 and gfx942 differ: {}", text));
  return newer;
}

Snippets::Buffer Snippets::allocate(std::uint64_t bytes, AllocationOptions options) {
  const auto address = state_->memory.allocate(bytes, options);
  if (!address) throw std::runtime_error(address.error().message);
  return {*address, std::span(state_->memory.find(*address)->host, bytes)};
}

}  // namespace wavesmith::simulator::testing
