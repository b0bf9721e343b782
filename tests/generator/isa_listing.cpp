// Parsing of the disassembly, and loops as strongly connected parts of the control flow.
#include "tests/generator/isa_listing.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace wavesmith::test {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

unsigned number_after(std::string_view text, std::string_view key, int base = 10) {
  const std::size_t at = text.find(key);
  unsigned value = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value, base);
  return value;
}

using Edges = std::vector<std::vector<std::size_t>>;

// What can be reached from `from` in one step or more.
std::vector<bool> reach(std::size_t from, const Edges& edges) {
  std::vector<bool> seen(edges.size());
  std::vector<std::size_t> pending(edges[from]);
  while (!pending.empty()) {
    const std::size_t at = pending.back();
    pending.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    pending.insert(pending.end(), edges[at].begin(), edges[at].end());
  }
  return seen;
}

// Members of a loop so that each stands behind all that lead to it, edges back to the entry left out.
std::vector<std::size_t> in_order(std::size_t entry, const std::vector<bool>& member,
                                  const Edges& successors) {
  std::vector<std::size_t> order;
  std::vector<bool> seen(member.size());
  std::vector<std::pair<std::size_t, std::size_t>> path{{entry, 0}};  // instruction, next edge to follow
  seen[entry] = true;
  while (!path.empty()) {
    auto& [at, edge] = path.back();
    if (edge == successors[at].size()) {
      order.push_back(at);
      path.pop_back();
    } else if (const std::size_t next = successors[at][edge++]; member[next] && !seen[next]) {
      seen[next] = true;
      path.emplace_back(next, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

Edges reversed(const Edges& successors) {
  Edges predecessors(successors.size());
  for (std::size_t i = 0; i < successors.size(); ++i)
    for (std::size_t next : successors[i]) predecessors[next].push_back(i);
  return predecessors;
}

// Loops of `edges` that have no loop inside, in the order of the code. `all` has every way into an
// instruction, those included that `edges` leaves out.
std::vector<std::vector<std::size_t>> inner_loops(const Edges& edges, const Edges& all) {
  const Edges back = reversed(edges);
  std::vector<std::vector<std::size_t>> loops;
  std::vector<bool> in_loop(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (in_loop[i]) continue;
    std::vector<bool> member = reach(i, edges);
    const std::vector<bool> behind = reach(i, back);
    for (std::size_t at = 0; at < member.size(); ++at) member[at] = member[at] && behind[at];
    if (!member[i]) continue;
    std::size_t entry = i;
    for (std::size_t at = 0; at < member.size(); ++at) {
      if (!member[at]) continue;
      in_loop[at] = true;
      if (std::ranges::any_of(all[at], [&](std::size_t from) { return !member[from]; })) entry = at;
    }
    // Without its way back, what is left are the loops inside.
    Edges inside(edges.size());
    for (std::size_t at = 0; at < member.size(); ++at)
      for (std::size_t next : edges[at])
        if (member[at] && member[next] && next != entry) inside[at].push_back(next);
    const auto inner = inner_loops(inside, all);
    if (inner.empty())
      loops.push_back(in_order(entry, member, edges));
    else
      loops.insert(loops.end(), inner.begin(), inner.end());
  }
  return loops;
}

}  // namespace

Listing::Listing(std::string_view disassembly) {
  // "\tmnemonic operands   // 000000001B28: BF8CC07F"
  while (!disassembly.empty()) {
    const std::string_view line = disassembly.substr(0, disassembly.find('\n'));
    disassembly.remove_prefix(std::min(disassembly.size(), line.size() + 1));
    const std::size_t comment = line.find("// ");
    if (!line.starts_with('\t') || comment == std::string_view::npos) continue;
    const std::string_view code = trimmed(line.substr(0, comment));
    const std::string_view mnemonic = code.substr(0, code.find_first_of(" \t"));
    Instruction instruction{0, std::string(mnemonic), std::string(trimmed(code.substr(mnemonic.size())))};
    std::from_chars(line.data() + comment + 3, line.data() + line.size(), instruction.address, 16);
    instructions.push_back(std::move(instruction));
  }
  // Padding. The end of the program need not be the last instruction: LLVM may place a loop behind it.
  while (!instructions.empty() && instructions.back().mnemonic == "s_nop") instructions.pop_back();

  std::map<std::uint64_t, std::size_t> at_address;
  for (std::size_t i = 0; i < instructions.size(); ++i) at_address[instructions[i].address] = i;
  Edges successors(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    if (instruction.mnemonic == "s_endpgm") continue;
    if (instruction.mnemonic == "s_branch" || instruction.mnemonic.starts_with("s_cbranch")) {
      // The operand counts dwords, 16 bits with sign, from the next instruction on.
      const auto words = static_cast<std::int16_t>(number_after(instruction.operands, ""));
      successors[i].push_back(
          at_address.at(instruction.address + 4 + static_cast<std::uint64_t>(4L * words)));
    }
    if (instruction.mnemonic != "s_branch") successors[i].push_back(i + 1);
  }
  for (const std::vector<std::size_t>& loop : inner_loops(successors, reversed(successors))) {
    std::vector<Instruction>& members = loops.emplace_back();
    for (std::size_t at : loop) members.push_back(instructions[at]);
  }
}

std::vector<Instruction> those(const std::vector<Instruction>& instructions, std::string_view prefix) {
  std::vector<Instruction> found;
  for (const Instruction& instruction : instructions)
    if (instruction.mnemonic.starts_with(prefix)) found.push_back(instruction);
  return found;
}

std::size_t count(const std::vector<Instruction>& instructions, std::string_view prefix) {
  return those(instructions, prefix).size();
}

unsigned offset_of(const Instruction& instruction) {
  return number_after(instruction.operands, "offset:");
}

int wait_of(const Instruction& instruction, std::string_view counter) {
  const std::string key = std::string(counter) + "(";
  if (instruction.mnemonic != "s_waitcnt" || !instruction.operands.contains(key)) return -1;
  return static_cast<int>(number_after(instruction.operands, key));
}

}  // namespace wavesmith::test
