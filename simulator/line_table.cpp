// .debug_line through LLVM's DWARF reader.
#include "simulator/line_table.h"

#include <memory>

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

namespace wavesmith::simulator {
namespace {

// Only sections that are not compressed: a hostile size would be allocated before anything is unpacked. A
// linked code object has no relocations left in them.
llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> debug_sections(const llvm::object::ObjectFile& object) {
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sections;
  for (const llvm::object::SectionRef& section : object.sections()) {
    auto name = section.getName();
    auto contents = section.getContents();
    if (name && contents && name->consume_front(".debug_") && !section.isCompressed())
      sections[fmt::format("debug_{}", name->str())] = llvm::MemoryBuffer::getMemBuffer(*contents, "", false);
    if (!name) llvm::consumeError(name.takeError());
    if (!contents) llvm::consumeError(contents.takeError());
  }
  return sections;
}

}  // namespace

LineTable LineTable::read(std::span<const std::byte> code_object) {
  LineTable table;
  const llvm::MemoryBufferRef buffer(
      llvm::StringRef(reinterpret_cast<const char*>(code_object.data()), code_object.size()), "code object");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    llvm::consumeError(object.takeError());
    return table;
  }
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  const auto dwarf = llvm::DWARFContext::create(debug_sections(**object), (*object)->getBytesInAddress(),
                                                true, ignore, ignore);
  for (const auto& unit : dwarf->compile_units()) {
    const llvm::DWARFDebugLine::LineTable* lines = dwarf->getLineTableForUnit(unit.get());
    if (lines == nullptr) continue;
    for (const llvm::DWARFDebugLine::Row& row : lines->Rows) {
      std::string step;
      if (row.EndSequence == 0)
        lines->getFileNameByIndex(row.File, "", llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, step);
      table.steps_[row.Address.Address] = std::move(step);
    }
  }
  return table;
}

std::string_view LineTable::step_at(std::uint64_t address) const {
  auto after = steps_.upper_bound(address);
  if (after == steps_.begin()) return {};
  return std::prev(after)->second;
}

}  // namespace wavesmith::simulator
