// Segments, relocations and the decoding of kernels; loader.h has the interface.
#include "simulator/loader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "simulator/kernel_start.h"
#include "simulator/line_table.h"

namespace wavesmith::simulator {
namespace {

/// The lowest address at which all segments fit, from a trial allocation of their whole extent.
Expected<std::uint64_t> find_base(Memory& memory, const runtime::CodeObject& code_object,
                                  const std::string& name) {
  if (code_object.segments.empty())
    return fail(ErrorKind::invalid_request, "the code object has no loadable segment");
  const runtime::Segment& last = code_object.segments.back();
  const auto trial = memory.allocate(last.address + last.memory_bytes, {.name = name, .alignment = 4096});
  if (!trial) return trial;
  if (auto freed = memory.free(*trial); !freed) return std::unexpected(freed.error());
  return *trial;
}

Expected<void> relocate(Memory& memory, const runtime::CodeObject& code_object, std::uint64_t base) {
  for (const runtime::Relocation& relocation : code_object.relocations) {
    const runtime::Symbol& symbol = code_object.symbols[relocation.symbol];
    if (relocation.type != runtime::RelocationType::relative64 && !symbol.defined) {
      return fail(ErrorKind::invalid_request,
                  fmt::format("symbol '{}' is not defined in the code object", symbol.name));
    }
    const std::uint64_t symbol_address =
        relocation.type == runtime::RelocationType::relative64 ? 0 : symbol.address;
    const std::uint64_t value = base + symbol_address + static_cast<std::uint64_t>(relocation.addend);
    const std::uint64_t high = value >> 32;
    const bool wide = relocation.type == runtime::RelocationType::relative64 ||
                      relocation.type == runtime::RelocationType::abs64;
    const std::size_t bytes = wide ? 8 : 4;
    const MemoryWindow* window = memory.find(base + relocation.address);
    std::byte* host = window == nullptr ? nullptr : window->translate(base + relocation.address, bytes);
    if (host == nullptr) {
      return fail(ErrorKind::invalid_request,
                  fmt::format("a relocation at {:#x} is outside the segments", relocation.address));
    }
    std::memcpy(host, relocation.type == runtime::RelocationType::abs32_high ? &high : &value, bytes);
  }
  return {};
}

/// The executable segment that holds an address of the code object.
const runtime::Segment* code_segment(const runtime::CodeObject& code_object, std::uint64_t address) {
  for (const runtime::Segment& segment : code_object.segments) {
    if (segment.executable && address - segment.address < segment.file_bytes) return &segment;
  }
  return nullptr;
}

}  // namespace

Expected<LoadedModule> load_module(Memory& memory, runtime::CodeObject code_object, std::string name) {
  const auto base = find_base(memory, code_object, name);
  if (!base) return std::unexpected(base.error());
  LoadedModule module;
  module.name = std::move(name);
  module.base = *base;
  const auto abandon = [&](Error error) -> Expected<LoadedModule> {
    unload_module(memory, module);
    return std::unexpected(std::move(error));
  };
  for (const runtime::Segment& segment : code_object.segments) {
    if (segment.memory_bytes == 0) continue;
    const std::uint64_t address = *base + segment.address;
    const auto placed =
        memory.allocate(segment.memory_bytes, {.name = fmt::format("{} +{:#x}", module.name, segment.address),
                                               .alignment = 1,
                                               .address = address,
                                               .writable = segment.writable});
    if (!placed) return abandon(placed.error());
    module.segments.push_back(*placed);
    const auto bytes = code_object.bytes(segment);
    std::ranges::copy(bytes, memory.find(address)->host);
  }
  if (auto done = relocate(memory, code_object, *base); !done) return abandon(done.error());
  module.code_object = std::move(code_object);
  return module;
}

void unload_module(Memory& memory, LoadedModule& module) {
  for (const DeviceAddress address : module.segments) (void)memory.free(address);
  module.segments.clear();
}

Expected<Program*> program_of(LoadedModule& module, const runtime::Kernel& kernel,
                              const Processor& processor) {
  if (const auto known = module.programs.find(kernel.name); known != module.programs.end())
    return &known->second;
  if (auto refusals = start_refusals(kernel, processor); !refusals.empty()) {
    return std::unexpected(Error::refused(std::move(refusals)));
  }
  const std::uint64_t start = start_address(kernel);
  const runtime::Segment* segment = code_segment(module.code_object, start);
  if (segment == nullptr) {
    return fail(ErrorKind::invalid_request,
                fmt::format("kernel '{}' does not start in executable code", kernel.name));
  }
  auto disassembler = Disassembler::create(processor.name, kernel.wavefront_size == 64 || processor.is_cdna()
                                                               ? "+wavefrontsize64"
                                                               : "+wavefrontsize32");
  if (!disassembler) return std::unexpected(disassembler.error());
  DecodeRequest request;
  request.processor = &processor;
  request.wave_size = kernel.wavefront_size;
  request.code = {module.base + segment->address, module.code_object.bytes(*segment)};
  request.entry = module.base + start;
  request.load_base = module.base;
  request.vector_registers = kernel.descriptor.reserved_vgprs;
  request.first_agpr = kernel.descriptor.first_agpr.value_or(0);
  for (const runtime::Symbol& symbol : module.code_object.symbols) {
    if (symbol.defined && symbol.type == runtime::SymbolType::function) {
      request.functions.push_back(module.base + symbol.address);
    }
  }
  auto program = decode(*disassembler, request);
  if (!program) return std::unexpected(program.error());
  if (const LineTable lines = LineTable::read(module.code_object.image); !lines.empty())
    for (const Instruction& instruction : program->code)
      program->steps.emplace_back(lines.step_at(instruction.pc - module.base));
  return &module.programs.emplace(kernel.name, std::move(*program)).first->second;
}

}  // namespace wavesmith::simulator
