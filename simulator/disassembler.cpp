// Disassembler over LLVM's C interface; disassembler.h has the contract.
#include "simulator/disassembler.h"

#include <array>
#include <mutex>

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

namespace wavesmith::simulator {

void Disassembler::Dispose::operator()(void* context) const {
  LLVMDisasmDispose(context);
}

Expected<Disassembler> Disassembler::create(std::string_view processor, std::string_view features) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  Disassembler result;
  result.context_.reset(LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", std::string(processor).c_str(),
                                                    std::string(features).c_str(), nullptr, 0, nullptr,
                                                    nullptr));
  if (result.context_ == nullptr) {
    return fail(ErrorKind::environment, fmt::format("LLVM has no disassembler for {}", processor));
  }
  return result;
}

Disassembler::Line Disassembler::disassemble(std::span<const std::byte> bytes, std::uint64_t pc) {
  // The C interface takes a mutable pointer but does not write through it.
  auto* data = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<char, 1024> text{};
  const std::size_t size =
      LLVMDisasmInstruction(context_.get(), data, bytes.size(), pc, text.data(), text.size());
  if (size == 0) return {};
  std::string_view line = text.data();
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t end = line.find_last_not_of(" \t");
  line = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return {std::string(line), static_cast<std::uint32_t>(size)};
}

}  // namespace wavesmith::simulator
