// .debug_line through LLVM's DWARF reader.
#include "simulator/line_table.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

namespace wavesmith::simulator {

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
  const auto dwarf = llvm::DWARFContext::create(
      **object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
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
