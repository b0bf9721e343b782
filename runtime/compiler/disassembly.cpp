// Disassembly through LLVM's C interface, which needs no more than bytes and a processor name.
#include "runtime/compiler/disassembly.h"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>

#include "runtime/code_object.h"

namespace wavesmith::runtime {
namespace {

struct DisassemblerCloser {
  void operator()(void* context) const { LLVMDisasmDispose(context); }
};

void append_kernel(LLVMDisasmContextRef context, const Kernel& kernel, std::span<const std::byte> code,
                   std::string& text) {
  text += fmt::format("{}:\n", kernel.name);
  std::string bytes(reinterpret_cast<const char*>(code.data()),
                    code.size());  // the C interface wants them writable
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    std::array<char, 512> line;
    const std::size_t size =
        LLVMDisasmInstruction(context, reinterpret_cast<std::uint8_t*>(bytes.data()) + offset,
                              bytes.size() - offset, kernel.code_address + offset, line.data(), line.size());
    constexpr std::size_t kWord = 4;
    text += fmt::format("{:6x}:{}\n", offset, size != 0 ? line.data() : "\t(not an instruction)");
    offset += size != 0 ? size : kWord;
  }
}

}  // namespace

Expected<std::string> disassemble(std::span<const std::byte> hsaco) {
  const auto object = read_code_object(hsaco);
  if (!object) return std::unexpected(object.error());
  const std::string processor(object->target.processor->name);
  std::string text;
  for (const Kernel& kernel : object->kernels) {
    const std::string_view waves = kernel.wavefront_size == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
    const std::unique_ptr<void, DisassemblerCloser> context(LLVMCreateDisasmCPUFeatures(
        "amdgcn-amd-amdhsa", processor.c_str(), std::string(waves).c_str(), nullptr, 0, nullptr, nullptr));
    if (context == nullptr)
      return fail(ErrorKind::compiler_failed, "this LLVM cannot disassemble " + processor);
    append_kernel(context.get(), kernel, object->code(kernel), text);
  }
  return text;
}

}  // namespace wavesmith::runtime
