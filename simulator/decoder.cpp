// From bytes to a Program: follows control flow from the entry, decodes each line with the instruction
// tables, then lays the reachable instructions out by address and connects branches. decoder.h has the
// contract.
#include "simulator/decoder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>

#include "simulator/assembly_text.h"
#include "simulator/registry.h"

namespace wavesmith::simulator {
namespace {

constexpr std::size_t kReportedProblems = 16;

bool has(const Instruction& instruction, Trait trait) {
  return (instruction.row->traits & static_cast<TraitSet>(trait)) != 0;
}

Expected<const Row*> look_up(const AssemblyLine& line, const Processor& processor) {
  if (const Row* row = find_row(line.mnemonic, line.form, processor.gfx)) return row;
  const auto rows = rows_of(line.mnemonic);
  const auto here = [&](const Row* row) { return (row->targets & static_cast<GfxSet>(processor.gfx)) != 0; };
  if (std::ranges::none_of(rows, here)) {
    return fail(ErrorKind::invalid_request, fmt::format("{} is not implemented", line.mnemonic));
  }
  return fail(ErrorKind::invalid_request,
              fmt::format("{} is not implemented in form {}", line.mnemonic, name(line.form)));
}

/// Operands of one line, checked against the row's types.
Expected<void> decode_operands(const AssemblyOperands& pieces, const OperandTypes& types,
                               const Processor& processor, std::uint32_t wave_size,
                               Instruction& instruction) {
  AcceptSet used = 0;
  for (std::size_t k = 0; k < types.types.size(); ++k) {
    const OperandType type = types.types[k];
    const OperandContext context{&processor, wave_size, k < types.destinations};
    const auto operand = parse_operand(pieces.operands[k], type, context);
    if (!operand) {
      return fail(ErrorKind::invalid_request,
                  fmt::format("operand '{}' is not understood", pieces.operands[k]));
    }
    const unsigned width = width_of(type, wave_size);
    if (width != 0 && operand->width != width && operand->kind != OperandKind::off) {
      return fail(ErrorKind::invalid_request,
                  fmt::format("operand '{}' has {} dwords where the instruction table has {}",
                              pieces.operands[k], operand->width, width));
    }
    if (operand->neg) used = used | Accepts::neg;
    if (operand->abs) used = used | Accepts::abs;
    if (operand->sext) used = used | Accepts::sext;
    if (operand->high_half) used = used | Accepts::high_half;
    instruction.operands[k] = *operand;
  }
  for (const std::string_view word : pieces.modifiers) {
    const auto accepted = parse_modifier(word, instruction);
    if (!accepted)
      return fail(ErrorKind::invalid_request, fmt::format("modifier '{}' is not understood", word));
    used |= *accepted;
  }
  if ((used & ~instruction.row->accepted) != 0) {
    return fail(ErrorKind::invalid_request, "a modifier is not implemented for this instruction");
  }
  return {};
}

/// op_sel of an unpacked instruction chooses the high half of a 16-bit source, as v1.h does in true16.
void select_halves(Instruction& instruction) {
  if (has(instruction, Trait::packed)) return;
  for (unsigned k = instruction.destinations; k < instruction.operand_count; ++k) {
    Operand& operand = instruction.operands[k];
    const bool half = operand.type == OperandType::b16 || operand.type == OperandType::f16 ||
                      operand.type == OperandType::bf16;
    if (half && (instruction.modifiers.op_sel >> (k - instruction.destinations) & 1) != 0)
      operand.high_half = true;
  }
}

void mark_direct_operands(Instruction& instruction) {
  for (unsigned k = 0; k < instruction.operand_count; ++k) {
    Operand& operand = instruction.operands[k];
    const bool first_source = k == instruction.destinations,
               second_source = k == instruction.destinations + 1u;
    const bool redirected =
        (instruction.has_dpp && first_source) || (instruction.has_sdwa && (first_source || second_source));
    operand.direct = operand.kind == OperandKind::vector && !operand.neg && !operand.abs && !operand.sext &&
                     !operand.high_half && !redirected;
  }
  const Modifiers& m = instruction.modifiers;
  instruction.plain_output = !m.clamp && m.omod == 0 && !instruction.has_dpp && !instruction.has_sdwa &&
                             !instruction.operands[0].high_half && (m.op_sel & 8) == 0;
}

struct Decoded {
  Instruction instruction;
  std::string text;
};

/// Everything decode() accumulates.
class CodeWalk {
 public:
  CodeWalk(Disassembler& disassembler, const DecodeRequest& request)
      : disassembler_(disassembler), request_(request), functions_(request.functions) {}

  Expected<std::map<std::uint64_t, Decoded>> run() {
    work_.push_back(request_.entry);
    while (!work_.empty()) {
      const std::uint64_t address = work_.back();
      work_.pop_back();
      follow(address);
    }
    if (problems_.empty()) return std::move(found_);
    std::string message = "the kernel cannot be simulated:";
    for (std::size_t i = 0; i < std::min(problems_.size(), kReportedProblems); ++i)
      message += "\n  " + problems_[i];
    if (problems_.size() > kReportedProblems) {
      message += fmt::format("\n  and {} more", problems_.size() - kReportedProblems);
    }
    return fail(ErrorKind::invalid_request, std::move(message));
  }

 private:
  void problem(std::uint64_t address, std::string_view text, std::string_view what) {
    // One report for each operation is enough: a kernel repeats what it uses.
    const AssemblyLine line = split_line(text);
    if (!reported_.insert(fmt::format("{} {} {}", line.mnemonic, name(line.form), what)).second) return;
    problems_.push_back(fmt::format("{:#x}: {}: {}", address - request_.load_base, text, what));
  }

  /// Decodes from an address until control leaves the straight line or meets what is decoded already.
  void follow(std::uint64_t pc) {
    const CodeRange& code = request_.code;
    while (!found_.contains(pc)) {
      const std::uint64_t offset = pc - code.address;
      if (offset >= code.bytes.size() || offset % 4 != 0) {
        return problem(pc, "", "control leaves the code");
      }
      const auto rest = code.bytes.subspan(offset);
      const Disassembler::Line line = disassembler_.disassemble(rest, pc);
      if (line.size == 0 || line.size > rest.size()) return problem(pc, "", "no instruction");
      std::uint32_t words[2] = {};
      std::memcpy(words, rest.data(), std::min<std::size_t>(line.size, 8));
      auto decoded = decode_line(line.text, words[0], words[1], *request_.processor, request_.wave_size);
      if (!decoded) {
        problem(pc, line.text, decoded.error().message);
        found_.emplace(pc, Decoded{});
        pc += line.size;
        if (line.text.starts_with("s_endpgm") || line.text.starts_with("s_code_end")) return;
        continue;
      }
      Instruction& instruction = *decoded;
      instruction.pc = pc;
      instruction.size = static_cast<std::uint8_t>(line.size);
      found_.emplace(pc, Decoded{instruction, line.text});
      const auto distance = static_cast<std::int64_t>(static_cast<std::int16_t>(instruction.simm16)) * 4;
      const std::uint64_t target = pc + 4 + static_cast<std::uint64_t>(distance);
      if (has(instruction, Trait::branch) || has(instruction, Trait::jump) || has(instruction, Trait::call)) {
        work_.push_back(target);
      }
      if (has(instruction, Trait::indirect)) {
        work_.insert(work_.end(), functions_.begin(), functions_.end());
        functions_.clear();
      }
      // A call comes back behind itself; so does s_swappc, which is indirect and writes a return address.
      const bool returns = instruction.destinations != 0;
      if (has(instruction, Trait::end) || has(instruction, Trait::jump)) return;
      if (has(instruction, Trait::indirect) && !returns) return;
      pc += line.size;
    }
  }

  Disassembler& disassembler_;
  const DecodeRequest& request_;
  std::vector<std::uint64_t> functions_;
  std::vector<std::uint64_t> work_;
  std::map<std::uint64_t, Decoded> found_;
  std::vector<std::string> problems_;
  std::set<std::string> reported_;
};

/// The registers the code names, checked against what the descriptor reserves.
Expected<void> count_registers(const std::map<std::uint64_t, Decoded>& found, const DecodeRequest& request,
                               Program& program) {
  const std::uint32_t vgpr_limit = request.first_agpr != 0 ? request.first_agpr : request.vector_registers;
  program.vgprs = request.processor->packed_work_item_ids ? 1 : 3;  // the work-item ids the wave starts with
  for (const auto& [pc, decoded] : found) {
    for (unsigned k = 0; k < decoded.instruction.operand_count; ++k) {
      const Operand& operand = decoded.instruction.operands[k];
      if (operand.kind != OperandKind::vector) continue;
      const std::uint32_t end = operand.reg + operand.width;
      const std::uint32_t limit =
          operand.accumulator
              ? request.vector_registers - std::min(request.first_agpr, request.vector_registers)
              : vgpr_limit;
      if (end > limit) {
        return fail(ErrorKind::invalid_request,
                    fmt::format("{:#x}: {}: names {}{}, but the kernel descriptor reserves {}",
                                pc - request.load_base, decoded.text, operand.accumulator ? 'a' : 'v',
                                end - 1, limit));
      }
      std::uint32_t& count = operand.accumulator ? program.agprs : program.vgprs;
      count = std::max(count, end);
    }
  }
  program.first_agpr_row = program.vgprs;
  return {};
}

}  // namespace

Expected<Instruction> decode_line(std::string_view text, std::uint32_t first_word, std::uint32_t second_word,
                                  const Processor& processor, std::uint32_t wave_size) {
  const AssemblyLine line = split_line(text);
  const Expected<const Row*> row = look_up(line, processor);
  if (!row) return std::unexpected(row.error());
  const auto types = parse_types((*row)->operands);
  if (!types || types->types.size() > kMaxOperands) {
    return fail(ErrorKind::invalid_request,
                fmt::format("the instruction table spells its operands '{}'", (*row)->operands));
  }
  const bool takes_all = !types->types.empty() && types->types.back() == OperandType::skip;
  const auto pieces = split_operands(line.rest, types->types.size(), takes_all);
  if (!pieces) {
    return fail(ErrorKind::invalid_request,
                fmt::format("the instruction table has {} operands", types->types.size()));
  }
  Instruction instruction;
  instruction.row = *row;
  instruction.handler = (*row)->handlers.plain;
  instruction.form = line.form;
  instruction.simm16 = static_cast<std::uint16_t>(first_word);
  instruction.literal = second_word;
  instruction.operand_count = static_cast<std::uint8_t>(types->types.size());
  instruction.destinations = static_cast<std::uint8_t>(types->destinations);
  if (((*row)->traits & static_cast<TraitSet>(Trait::packed)) != 0) instruction.modifiers.op_sel_hi = 7;
  if (auto done = decode_operands(*pieces, *types, processor, wave_size, instruction); !done) {
    return std::unexpected(done.error());
  }
  select_halves(instruction);
  mark_direct_operands(instruction);
  return instruction;
}

Expected<Program> decode(Disassembler& disassembler, const DecodeRequest& request) {
  auto found = CodeWalk(disassembler, request).run();
  if (!found) return std::unexpected(found.error());
  Program program;
  program.processor = request.processor;
  program.wave_size = request.wave_size;
  program.load_base = request.load_base;
  if (auto counted = count_registers(*found, request, program); !counted)
    return std::unexpected(counted.error());

  for (auto& [pc, decoded] : *found) {
    const auto index = static_cast<std::uint32_t>(program.code.size());
    program.index_of.emplace(pc, index);
    Instruction& instruction = decoded.instruction;
    instruction.index = index;
    for (Operand& operand : instruction.operands) {
      if (operand.accumulator) operand.reg = static_cast<std::uint16_t>(operand.reg + program.first_agpr_row);
    }
    program.ordered_global = program.ordered_global || has(instruction, Trait::ordered_global);
    program.code.push_back(instruction);
    program.text.push_back(std::move(decoded.text));
  }
  for (Instruction& instruction : program.code) {
    if (!has(instruction, Trait::branch) && !has(instruction, Trait::jump) && !has(instruction, Trait::call))
      continue;
    const auto distance = static_cast<std::int64_t>(static_cast<std::int16_t>(instruction.simm16)) * 4;
    instruction.target = program.index_of.at(instruction.pc + 4 + static_cast<std::uint64_t>(distance));
  }
  program.entry = program.index_of.at(request.entry);
  return program;
}

bool cpu_has_wide_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

void select_handlers(Program& program, bool wide) {
  const bool use_wide = wide && cpu_has_wide_vectors();
  for (Instruction& instruction : program.code) {
    instruction.handler = use_wide ? instruction.row->handlers.wide : instruction.row->handlers.plain;
  }
}

}  // namespace wavesmith::simulator
