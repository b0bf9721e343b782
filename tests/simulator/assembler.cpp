// The MC pipeline behind assembler.h: parser -> object streamer -> ELF in memory.
#include "assembler.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>

#include <unistd.h>

#include <fmt/format.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace wavesmith::simulator::testing {
namespace {

constexpr const char* kTriple = "amdgcn-amd-amdhsa";

/// What does not depend on the snippet, made once for each processor.
struct Toolchain {
  const llvm::Target* target = nullptr;
  llvm::Triple triple{kTriple};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asm_info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;

  Toolchain() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
    registers.reset(target->createMCRegInfo(triple));
    asm_info.reset(target->createMCAsmInfo(*registers, triple, options));
    instructions.reset(target->createMCInstrInfo());
  }
};

Toolchain& toolchain() {
  static Toolchain once;
  return once;
}

void collect_diagnostic(const llvm::SMDiagnostic& diagnostic, void* context) {
  llvm::raw_string_ostream out(*static_cast<std::string*>(context));
  diagnostic.print(nullptr, out, false);
}

std::vector<std::byte> to_bytes(llvm::StringRef text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace

Expected<std::vector<std::byte>> assemble_object(std::string_view text, std::string_view processor,
                                                 std::uint32_t wave_size, unsigned version) {
  Toolchain& tools = toolchain();
  const bool selectable = !processor.starts_with("gfx9");
  const std::string features = selectable && wave_size == 64   ? "-wavefrontsize32,+wavefrontsize64"
                               : selectable && wave_size == 32 ? "+wavefrontsize32,-wavefrontsize64"
                                                               : "";
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      tools.target->createMCSubtargetInfo(tools.triple, std::string(processor), features));
  llvm::SourceMgr sources;
  std::string diagnostics;
  sources.setDiagHandler(collect_diagnostic, &diagnostics);
  std::string source = fmt::format(".amdhsa_code_object_version {}\n", version);
  source += text;
  source += '\n';
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source), llvm::SMLoc());

  llvm::MCContext context(tools.triple, tools.asm_info.get(), tools.registers.get(), subtarget.get(),
                          &sources, &tools.options);
  context.setDiagnosticHandler(
      [&](const llvm::SMDiagnostic& d, bool, const llvm::SourceMgr&, std::vector<const llvm::MDNode*>&) {
        collect_diagnostic(d, &diagnostics);
      });
  std::unique_ptr<llvm::MCObjectFileInfo> file_info(tools.target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(file_info.get());

  llvm::SmallVector<char, 4096> object;
  llvm::raw_svector_ostream out(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      tools.target->createMCAsmBackend(*subtarget, *tools.registers, tools.options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      tools.target->createMCCodeEmitter(*tools.instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(tools.target->createMCObjectStreamer(
      tools.triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *tools.asm_info));
  std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      tools.target->createMCAsmParser(*subtarget, *parser, *tools.instructions, tools.options));
  parser->setTargetParser(*target_parser);
  if (parser->Run(false) || context.hadError()) {
    return fail(ErrorKind::compiler_failed, fmt::format("cannot assemble: {}", text), diagnostics);
  }
  return to_bytes(llvm::StringRef(object.data(), object.size()));
}

Expected<std::vector<std::byte>> assemble(std::string_view text, std::string_view processor,
                                          std::uint32_t wave_size) {
  auto object = assemble_object(text, processor, wave_size);
  if (!object) return object;
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object->data()), object->size());
  auto file =
      llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(llvm::MemoryBufferRef(bytes, "snippet"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return fail(ErrorKind::compiler_failed, "the assembler's object cannot be read");
  }
  for (const llvm::object::SectionRef section : file->sections()) {
    auto name = section.getName();
    if (!name || *name != ".text") continue;
    auto contents = section.getContents();
    if (contents) return to_bytes(*contents);
  }
  return fail(ErrorKind::compiler_failed, "the assembler's object has no .text");
}

std::string kernel_source(const KernelTraits& traits, std::string_view processor, unsigned version) {
  const auto align = [](unsigned value, unsigned to) { return (value + to - 1) / to * to; };
  std::string arguments;
  unsigned offset = 0;
  for (const unsigned size : traits.arguments) {
    offset = align(offset, std::min(size, 8u));
    arguments +=
        fmt::format("      - .offset: {}\n        .size: {}\n        .value_kind: by_value\n", offset, size);
    offset += size;
  }
  // The hidden block of the v5 ABI begins at the next multiple of 8; these are the offsets inside it.
  const unsigned block = align(offset, 8);
  const auto hidden = [&](std::string_view kind, unsigned at, unsigned size) {
    if (std::ranges::find(traits.hidden, kind) == traits.hidden.end()) return;
    arguments += fmt::format("      - .offset: {}\n        .size: {}\n        .value_kind: {}\n", block + at,
                             size, kind);
  };
  hidden("hidden_block_count_x", 0, 4);
  hidden("hidden_block_count_y", 4, 4);
  hidden("hidden_block_count_z", 8, 4);
  hidden("hidden_group_size_x", 12, 2);
  hidden("hidden_group_size_y", 14, 2);
  hidden("hidden_group_size_z", 16, 2);
  hidden("hidden_remainder_x", 18, 2);
  hidden("hidden_grid_dims", 64, 2);
  hidden("hidden_dynamic_lds_size", 120, 4);
  const unsigned kernarg = traits.hidden.empty() ? offset : block + 256;
  const bool cdna = processor.starts_with("gfx9");
  const std::string& name = traits.name;
  std::string source = fmt::format(".amdgcn_target \"{}--{}\"\n", kTriple, processor);
  source += fmt::format(".text\n.globl {0}\n.p2align 8\n.type {0},@function\n{0}:\n{1}\ns_endpgm\n", name,
                        traits.body);
  source +=
      fmt::format(".L{0}_end:\n.size {0}, .L{0}_end-{0}\n.rodata\n.p2align 6\n.amdhsa_kernel {0}\n", name);
  source +=
      fmt::format(".amdhsa_next_free_vgpr {}\n.amdhsa_next_free_sgpr {}\n",
                  traits.agprs != 0 ? align(traits.vgprs, 4) + traits.agprs : traits.vgprs, traits.sgprs);
  if (cdna) source += fmt::format(".amdhsa_accum_offset {}\n", align(traits.vgprs, 4));
  source += fmt::format(".amdhsa_group_segment_fixed_size {}\n.amdhsa_private_segment_fixed_size {}\n",
                        traits.lds_bytes, traits.scratch_bytes);
  if (traits.scratch_bytes != 0) source += ".amdhsa_enable_private_segment 1\n";
  source += fmt::format(".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_kernarg_size {}\n", kernarg);
  source += ".amdhsa_system_sgpr_workgroup_id_y 1\n.amdhsa_system_sgpr_workgroup_id_z 1\n";
  if (!cdna) source += fmt::format(".amdhsa_wavefront_size32 {}\n", traits.wave_size == 32 ? 1 : 0);
  source += traits.directives + "\n.end_amdhsa_kernel\n";
  source +=
      fmt::format(".amdgpu_metadata\n---\namdhsa.version: [1, {}]\namdhsa.target: {}--{}\namdhsa.kernels:\n",
                  version - 3, kTriple, processor);
  source += fmt::format(
      "  - .name: {0}\n    .symbol: {0}.kd\n    .kernarg_segment_size: {1}\n    .kernarg_segment_align: 8\n"
      "    .group_segment_fixed_size: {2}\n    .private_segment_fixed_size: {3}\n    .wavefront_size: {4}\n"
      "    .sgpr_count: {5}\n    .vgpr_count: {6}\n{7}    .max_flat_workgroup_size: {8}\n"
      "    .sgpr_spill_count: 0\n    .vgpr_spill_count: 0\n    .uses_dynamic_stack: false\n",
      name, kernarg, traits.lds_bytes, traits.scratch_bytes, traits.wave_size, traits.sgprs,
      traits.vgprs + traits.agprs, cdna ? fmt::format("    .agpr_count: {}\n", traits.agprs) : "",
      traits.max_work_items);
  if (!arguments.empty()) source += "    .args:\n" + arguments;
  return source + "...\n.end_amdgpu_metadata\n";
}

Expected<std::vector<std::byte>> link_code_object(std::string_view source, std::string_view processor,
                                                  std::uint32_t wave_size, unsigned version) {
  const auto object = assemble_object(source, processor, wave_size, version);
  if (!object) return object;
  std::string folder = (std::filesystem::temp_directory_path() / "wavesmith-test-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return fail(ErrorKind::environment, "no temporary folder");
  const std::string input = folder + "/in.o", output = folder + "/out.hsaco";
  std::ofstream(input, std::ios::binary)
      .write(reinterpret_cast<const char*>(object->data()), static_cast<std::streamsize>(object->size()));
  const int status = std::system(
      fmt::format("{} -shared {} -o {}", WAVESMITH_TEST_LLD, input, output).c_str());  // NOLINT(cert-env33-c)
  std::vector<std::byte> bytes;
  if (status == 0) {
    std::ifstream file(output, std::ios::binary);
    const std::vector<char> contents((std::istreambuf_iterator<char>(file)),
                                     std::istreambuf_iterator<char>());
    bytes = to_bytes(llvm::StringRef(contents.data(), contents.size()));
  }
  std::filesystem::remove_all(folder);
  if (bytes.empty()) return fail(ErrorKind::compiler_failed, "ld.lld failed");
  return bytes;
}

}  // namespace wavesmith::simulator::testing
