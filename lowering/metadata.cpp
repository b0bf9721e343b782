// Metadata nodes.
#include "lowering/metadata.h"

#include <iterator>

#include <fmt/format.h>

namespace wavesmith::lowering {

unsigned Metadata::reserve() {
  nodes_.emplace_back();
  return static_cast<unsigned>(nodes_.size() - 1);
}

unsigned Metadata::node(std::string text) {
  const unsigned number = reserve();
  nodes_[number] = std::move(text);
  return number;
}

void Metadata::make_scopes() {
  const unsigned domain = reserve();
  nodes_[domain] = fmt::format("distinct !{{!{}, !\"lds\"}}", domain);
  const auto scope = [&](std::string_view name) {
    const unsigned number = reserve();
    nodes_[number] = fmt::format("distinct !{{!{}, !{}, !\"{}\"}}", number, domain, name);
    return number;
  };
  const unsigned dma = scope("lds.dma_write");
  const unsigned read = scope("lds.read");
  dma_list_ = node(fmt::format("!{{!{}}}", dma));
  read_list_ = node(fmt::format("!{{!{}}}", read));
}

std::string Metadata::alias(ir::AliasScope scope) {
  if (scope == ir::AliasScope::none) return "";
  if (dma_list_ == none) make_scopes();
  const bool is_dma = scope == ir::AliasScope::dma_write;
  return fmt::format(", !alias.scope !{}, !noalias !{}", is_dma ? dma_list_ : read_list_,
                     is_dma ? read_list_ : dma_list_);
}

unsigned Metadata::no_unroll() {
  const unsigned disable = node("!{!\"llvm.loop.unroll.disable\"}");
  const unsigned loop = reserve();
  nodes_[loop] = fmt::format("distinct !{{!{}, !{}}}", loop, disable);
  return loop;
}

unsigned Metadata::subprogram() {
  if (subprogram_ != none) return subprogram_;
  const unsigned file = node(fmt::format("!DIFile(filename: \"{}\", directory: \"plan\")", kernel_.name));
  compile_unit_ = node(fmt::format(
      "distinct !DICompileUnit(language: DW_LANG_C, file: !{}, producer: \"wavesmith\", isOptimized: true, "
      "runtimeVersion: 0, emissionKind: LineTablesOnly)",
      file));
  const unsigned type = node("!DISubroutineType(types: !{})");
  subprogram_ =
      node(fmt::format("distinct !DISubprogram(name: \"{}\", file: !{}, line: 1, type: !{}, unit: !{}, "
                       "spFlags: DISPFlagDefinition)",
                       kernel_.name, file, type, compile_unit_));
  return subprogram_;
}

std::string Metadata::location(std::uint16_t step) {
  auto [entry, is_new] = locations_.try_emplace(step, 0);
  if (is_new) {
    const unsigned file =
        node(fmt::format("!DIFile(filename: \"{}\", directory: \"plan\")", kernel_.steps[step]));
    const unsigned scope =
        node(fmt::format("!DILexicalBlockFile(scope: !{}, file: !{}, discriminator: 0)", subprogram(), file));
    entry->second = node(fmt::format("!DILocation(line: 1, column: 1, scope: !{})", scope));
  }
  return fmt::format(", !dbg !{}", entry->second);
}

std::string Metadata::text() const {
  std::string text;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    fmt::format_to(std::back_inserter(text), "!{} = {}\n", i, nodes_[i]);
  return text;
}

}  // namespace wavesmith::lowering
