// The code-object reader says what LLVM's own readers say: llvm-readobj about headers, segments, symbols,
// relocations and metadata, llvm-objdump about kernel descriptors. The kernels are compiled by llc, not by
// wavesmith.
#include <map>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/code_object.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using Fields = std::map<std::string, std::string>;

namespace {

// 16 accumulation registers, and vector registers for the addresses and the sum.
constexpr std::string_view kAccumulationKernel = R"(
define amdgpu_kernel void @accumulate(ptr addrspace(1) %p) "amdgpu-flat-work-group-size"="64,64" {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %address = getelementptr <16 x float>, ptr addrspace(1) %p, i32 %lane
  %c = load <16 x float>, ptr addrspace(1) %address
  %d = call <16 x float> asm sideeffect "; use $0 $1", "=v,a"(<16 x float> %c)
  store <16 x float> %d, ptr addrspace(1) %address
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x())";

/// What the metadata printed by llvm-readobj says about one kernel: its own fields, and those of each
/// argument.
struct KernelText {
  Fields fields;
  std::vector<Fields> arguments;
};

std::pair<std::string, std::string> key_and_value(std::string_view line) {
  const std::size_t colon = line.find(':');
  std::string key(line.substr(0, colon));
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (value.starts_with('\'')) value = value.substr(1, value.size() - 2);
  return {key, std::string(value)};
}

/// One line for each expected field that was found to be something else.
std::string differences(const Fields& found, const Fields& expected) {
  std::string text;
  for (const auto& [name, value] : expected) {
    const auto at = found.find(name);
    if (at == found.end()) text += fmt::format("{} is missing\n", name);
    if (at != found.end() && at->second != value)
      text += fmt::format("{}: {} != {}\n", name, at->second, value);
  }
  return text;
}

/// Splits the YAML by its fixed indentation: kernels at 2, their fields at 4, arguments at 6, their fields
/// at 8.
std::vector<KernelText> parse_metadata(const std::string& yaml) {
  std::vector<KernelText> kernels;
  std::istringstream lines(yaml);
  bool in_list_of_sizes = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("amdhsa.target")) break;  // the kernels come first
    if (line.starts_with("  - ")) {
      kernels.emplace_back();
      line.replace(2, 2, "  ");
    }
    if (kernels.empty()) continue;
    KernelText& kernel = kernels.back();
    if (line.starts_with("      - ") && in_list_of_sizes) {
      kernel.fields[".reqd_workgroup_size"] += line.substr(8) + " ";
    } else if (line.starts_with("      - ")) {
      kernel.arguments.emplace_back().insert(key_and_value(line.substr(8)));
    } else if (line.starts_with("        ")) {
      kernel.arguments.back().insert(key_and_value(line.substr(8)));
    } else if (line.starts_with("    .")) {
      const auto field = key_and_value(line.substr(4));
      in_list_of_sizes = field.first == ".reqd_workgroup_size";
      if (field.first != ".args") kernel.fields.insert(field);
    }
  }
  return kernels;
}

/// The same, as the reader sees it.
KernelText describe(const Kernel& kernel, const Processor& processor, unsigned version) {
  const bool has_agprs = processor.family == Family::gfx90a || processor.name == "gfx908";
  KernelText text;
  Fields& fields = text.fields;
  fields[".name"] = kernel.name;
  fields[".symbol"] = kernel.descriptor_symbol;
  fields[".kernarg_segment_size"] = std::to_string(kernel.kernarg_bytes);
  fields[".kernarg_segment_align"] = std::to_string(kernel.kernarg_align);
  fields[".group_segment_fixed_size"] = std::to_string(kernel.lds_bytes);
  fields[".private_segment_fixed_size"] = std::to_string(kernel.scratch_bytes);
  fields[".vgpr_count"] = std::to_string(kernel.total_vgprs);
  if (has_agprs) fields[".agpr_count"] = std::to_string(kernel.agprs);
  fields[".sgpr_count"] = std::to_string(kernel.sgprs);
  fields[".vgpr_spill_count"] = std::to_string(kernel.vgpr_spills);
  fields[".sgpr_spill_count"] = std::to_string(kernel.sgpr_spills);
  fields[".wavefront_size"] = std::to_string(kernel.wavefront_size);
  fields[".max_flat_workgroup_size"] = std::to_string(kernel.max_flat_workgroup_size);
  if (version >= 5) fields[".uses_dynamic_stack"] = kernel.uses_dynamic_stack ? "true" : "false";
  if (kernel.uniform_workgroup_size)
    fields[".uniform_work_group_size"] = *kernel.uniform_workgroup_size ? "1" : "0";
  if (kernel.required_workgroup_size) {
    for (const std::uint32_t size : *kernel.required_workgroup_size) {
      fields[".reqd_workgroup_size"] += std::to_string(size) + " ";
    }
  }
  if (processor.family >= Family::gfx10 && version >= 5)
    fields[".workgroup_processor_mode"] = *kernel.descriptor.wgp_mode ? "1" : "0";
  for (const KernelArgument& argument : kernel.arguments) {
    Fields& entry = text.arguments.emplace_back();
    if (!argument.name.empty()) entry[".name"] = argument.name;
    if (!argument.type_name.empty()) entry[".type_name"] = argument.type_name;
    entry[".offset"] = std::to_string(argument.offset);
    entry[".size"] = std::to_string(argument.size);
    entry[".value_kind"] = name_of(argument.kind);
    if (!argument.address_space.empty()) entry[".address_space"] = argument.address_space;
    if (!argument.access.empty()) entry[".access"] = argument.access;
    if (!argument.actual_access.empty()) entry[".actual_access"] = argument.actual_access;
    if (argument.pointee_align != 0) entry[".pointee_align"] = std::to_string(argument.pointee_align);
  }
  return text;
}

void check_metadata(const CodeObject& object, const std::string& path) {
  const std::vector<KernelText> expected =
      parse_metadata(test::run(fmt::format("{} -n {}", WAVESMITH_READELF, path)));
  REQUIRE(object.kernels.size() == expected.size());
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const KernelText found = describe(object.kernels[index], *object.target.processor, object.version);
    CHECK(differences(found.fields, expected[index].fields) == "");
    CHECK(found.fields.size() == expected[index].fields.size());
    CHECK(found.arguments == expected[index].arguments);
  }
}

void check_elf_structures(const CodeObject& object, const std::string& path) {
  const auto document = nlohmann::json::parse(test::run(fmt::format(
      "{} --elf-output-style=JSON --file-headers --program-headers --dyn-symbols --relocations {}",
      WAVESMITH_READOBJ, path)))[0];
  CHECK(object.elf_flags == document["ElfHeader"]["Flags"]["Value"].get<std::uint32_t>());
  CHECK(object.version == document["ElfHeader"]["Ident"]["ABIVersion"].get<unsigned>() + 2);

  std::size_t segments = 0;
  for (const auto& entry : document["ProgramHeaders"]) {
    const auto& header = entry["ProgramHeader"];
    if (header["Type"]["Name"] != "PT_LOAD") continue;
    REQUIRE(segments < object.segments.size());
    const Segment& segment = object.segments[segments++];
    CHECK(segment.address == header["VirtualAddress"].get<std::uint64_t>());
    CHECK(segment.memory_bytes == header["MemSize"].get<std::uint64_t>());
    CHECK(segment.file_offset == header["Offset"].get<std::uint64_t>());
    CHECK(segment.file_bytes == header["FileSize"].get<std::uint64_t>());
    const unsigned flags =
        (segment.readable ? 4U : 0U) | (segment.writable ? 2U : 0U) | (segment.executable ? 1U : 0U);
    CHECK(flags == header["Flags"]["Value"].get<unsigned>());
  }
  CHECK(segments == object.segments.size());

  REQUIRE(object.symbols.size() == document["DynamicSymbols"].size());
  for (std::size_t index = 0; index < object.symbols.size(); ++index) {
    const auto& symbol = document["DynamicSymbols"][index]["Symbol"];
    CHECK(object.symbols[index].name == symbol["Name"]["Name"].get<std::string>());
    CHECK(object.symbols[index].address == symbol["Value"].get<std::uint64_t>());
    CHECK(object.symbols[index].size == symbol["Size"].get<std::uint64_t>());
    CHECK(object.symbols[index].defined == (symbol["Section"]["Name"] != "Undefined"));
  }

  std::size_t relocations = 0;
  for (const auto& section : document["Relocations"]) {
    for (const auto& entry : section["Relocs"]) {
      REQUIRE(relocations < object.relocations.size());
      const Relocation& relocation = object.relocations[relocations++];
      CHECK(relocation.address == entry["Relocation"]["Offset"].get<std::uint64_t>());
      CHECK(static_cast<std::uint32_t>(relocation.type) ==
            entry["Relocation"]["Type"]["Value"].get<std::uint32_t>());
      CHECK(relocation.addend == entry["Relocation"]["Addend"].get<std::int64_t>());
      const std::string name = entry["Relocation"]["Symbol"]["Name"];
      CHECK(object.symbols.at(relocation.symbol).name == (name == "-" ? "" : name));
    }
  }
  CHECK(relocations == object.relocations.size());
}

/// The .amdhsa_ directives that llvm-objdump makes of a descriptor, as the reader sees them. Directives that
/// are not fields of the descriptor (reserve_vcc and its like) are left out.
Fields describe(const KernelDescriptor& kd, Family family) {
  Fields fields;
  const auto put = [&](std::string_view name, auto value) {
    fields[fmt::format(".amdhsa_{}", name)] = std::to_string(static_cast<unsigned long long>(value));
  };
  put("group_segment_fixed_size", kd.group_segment_fixed_size);
  put("private_segment_fixed_size", kd.private_segment_fixed_size);
  put("kernarg_size", kd.kernarg_size);
  put("next_free_vgpr", kd.reserved_vgprs);
  if (kd.reserved_sgprs) put("next_free_sgpr", *kd.reserved_sgprs);
  put("float_round_mode_32", kd.round_f32);
  put("float_round_mode_16_64", kd.round_f16_f64);
  put("float_denorm_mode_32", kd.denorm_f32);
  put("float_denorm_mode_16_64", kd.denorm_f16_f64);
  if (kd.dx10_clamp) put("dx10_clamp", *kd.dx10_clamp);
  if (kd.ieee) put("ieee_mode", *kd.ieee);
  put("fp16_overflow", kd.fp16_overflow);
  if (kd.round_robin) put("round_robin_scheduling", *kd.round_robin);
  if (kd.wgp_mode) put("workgroup_processor_mode", *kd.wgp_mode);
  if (kd.memory_ordered) put("memory_ordered", *kd.memory_ordered);
  if (kd.forward_progress) put("forward_progress", *kd.forward_progress);
  put("enable_private_segment", kd.enable_private_segment);
  put("system_sgpr_private_segment_wavefront_offset", kd.enable_private_segment);
  put("system_sgpr_workgroup_id_x", kd.enable_workgroup_id_x);
  put("system_sgpr_workgroup_id_y", kd.enable_workgroup_id_y);
  put("system_sgpr_workgroup_id_z", kd.enable_workgroup_id_z);
  put("system_sgpr_workgroup_info", kd.enable_workgroup_info);
  put("system_vgpr_workitem_id", kd.workitem_id_dimensions - 1);
  put("exception_fp_ieee_invalid_op", kd.exceptions & 1);
  put("exception_fp_denorm_src", (kd.exceptions >> 1) & 1);
  put("exception_fp_ieee_div_zero", (kd.exceptions >> 2) & 1);
  put("exception_fp_ieee_overflow", (kd.exceptions >> 3) & 1);
  put("exception_fp_ieee_underflow", (kd.exceptions >> 4) & 1);
  put("exception_fp_ieee_inexact", (kd.exceptions >> 5) & 1);
  put("exception_int_div_zero", (kd.exceptions >> 6) & 1);
  if (kd.first_agpr) put("accum_offset", *kd.first_agpr);
  if (kd.threadgroup_split) put("tg_split", *kd.threadgroup_split);
  if (kd.shared_vgprs && !kd.wave32) put("shared_vgpr_count", *kd.shared_vgprs / 8);
  if (kd.prefetch_size) put("inst_pref_size", *kd.prefetch_size);
  put("user_sgpr_private_segment_buffer", kd.sgpr_private_segment_buffer);
  put("user_sgpr_flat_scratch_init", kd.sgpr_flat_scratch_init);
  put("user_sgpr_dispatch_ptr", kd.sgpr_dispatch_ptr);
  put("user_sgpr_queue_ptr", kd.sgpr_queue_ptr);
  put("user_sgpr_kernarg_segment_ptr", kd.sgpr_kernarg_segment_ptr);
  put("user_sgpr_dispatch_id", kd.sgpr_dispatch_id);
  put("user_sgpr_private_segment_size", kd.sgpr_private_segment_size);
  put("user_sgpr_kernarg_preload_length", kd.preload_dwords);
  put("user_sgpr_kernarg_preload_offset", kd.preload_offset_dwords);
  if (family >= Family::gfx10) put("wavefront_size32", kd.wave32);
  put("uses_dynamic_stack", kd.uses_dynamic_stack);
  return fields;
}

void check_descriptors(const CodeObject& object, const std::string& path) {
  std::map<std::string, Fields> expected;
  std::istringstream lines(test::run(fmt::format("{} -D -j .rodata {}", WAVESMITH_OBJDUMP, path)));
  std::string kernel;
  const bool gfx10_plus = object.target.processor->family >= Family::gfx10;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string directive, value;
    words >> directive >> value;
    if (directive == ".amdhsa_kernel") kernel = value;
    // Not fields of the descriptor, or, from gfx10 on, one the hardware ignores.
    if (directive.starts_with(".amdhsa_reserve_") || directive == ".amdhsa_kernel") continue;
    if (directive == ".amdhsa_next_free_sgpr" && gfx10_plus) continue;
    // The hardware reserves in blocks of 16, llvm-objdump prints the lower bound in blocks of 8.
    if (directive == ".amdhsa_next_free_sgpr") value = std::to_string((std::stoul(value) + 15) / 16 * 16);
    if (directive.starts_with(".amdhsa_")) expected[kernel][directive] = value;
  }
  CHECK(expected.size() == object.kernels.size());
  for (const Kernel& found : object.kernels) {
    CHECK(differences(describe(found.descriptor, object.target.processor->family), expected[found.name]) ==
          "");
  }
}

CodeObject check_against_llvm(const std::vector<std::byte>& bytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("k.hsaco");
  test::write_bytes(path, bytes);
  auto object = read_code_object(bytes);
  if (!object) FAIL(object.error().message);
  check_metadata(*object, path);
  check_elf_structures(*object, path);
  check_descriptors(*object, path);
  return std::move(*object);
}

}  // namespace

TEST_CASE("code objects of every simulated target and all versions read as LLVM reads them") {
  for (const char* processor :
       {"gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx90a", "gfx908"}) {
    for (const int version : {4, 5, 6}) {
      INFO(processor << ", code object version " << version);
      const CodeObject object =
          check_against_llvm(test::compile_with_llc(test::two_kernels(version), processor));
      CHECK(object.version == static_cast<unsigned>(version));
      CHECK(object.target.text() == processor);
      CHECK_FALSE(object.relocations.empty());
    }
  }
}

TEST_CASE("target settings come from e_flags and agree with the metadata") {
  const std::string ir = test::two_kernels(5);
  const auto target_with = [&](std::string_view processor, std::string_view attributes) {
    return check_against_llvm(test::compile_with_llc(ir, processor, fmt::format("-mattr={}", attributes)))
        .target;
  };
  const TargetId both = target_with("gfx942", "+sramecc,-xnack");
  CHECK(both.text() == "gfx942:sramecc+:xnack-");
  CHECK(both.sramecc == FeatureSetting::on);
  CHECK(both.xnack == FeatureSetting::off);
  CHECK(target_with("gfx950", "+xnack").text() == "gfx950:xnack+");
  CHECK(target_with("gfx90a", "-sramecc").text() == "gfx90a:sramecc-");
  CHECK(target_with("gfx1030", "").xnack == FeatureSetting::unsupported);
  CHECK(target_with("gfx950", "").xnack == FeatureSetting::any);
}

TEST_CASE("a generic target has a version, a processor has none") {
  const CodeObject generic =
      check_against_llvm(test::compile_with_llc(test::two_kernels(6), "gfx9-4-generic"));
  CHECK(generic.target.text() == "gfx9-4-generic");
  CHECK(generic.generic_version == 1);
  CHECK(read_code_object(test::compile_with_llc(test::two_kernels(6), "gfx950"))->generic_version == 0);
}

TEST_CASE("wave64 on RDNA changes the granules of the descriptor") {
  const CodeObject object =
      check_against_llvm(test::compile_with_llc(test::two_kernels(5), "gfx1100", "-mattr=+wavefrontsize64"));
  CHECK(object.kernels[0].wavefront_size == 64);
  CHECK_FALSE(object.kernels[0].descriptor.wave32);
}

TEST_CASE("denormal attribute shows in the descriptor") {
  for (const char* processor : {"gfx950", "gfx1151"}) {
    const auto object = read_code_object(test::compile_with_llc(test::two_kernels(5), processor));
    REQUIRE(object);
    CHECK(object->find_kernel("first")->descriptor.denorm_f32 == DenormMode::keep);
    CHECK(object->find_kernel("second")->descriptor.denorm_f32 == DenormMode::flush_source_and_result);
    CHECK(object->find_kernel("second")->descriptor.denorm_f16_f64 == DenormMode::keep);
    CHECK(object->find_kernel("third") == nullptr);
  }
}

TEST_CASE("registers: the total includes accumulation registers where both share one file") {
  const CodeObject unified = check_against_llvm(test::compile_with_llc(kAccumulationKernel, "gfx950"));
  const Kernel& kernel = unified.kernels.at(0);
  CHECK(kernel.agprs == 16);
  CHECK(kernel.vgprs >= 17);  // the sum and an address
  CHECK(kernel.total_vgprs == kernel.vgprs + kernel.agprs);
  // Accumulation registers start where the vector registers, rounded up to 4, end.
  CHECK(kernel.descriptor.first_agpr == kernel.vgprs);
}

TEST_CASE("preloaded kernel arguments show in the descriptor") {
  const std::string ir = R"(
    define amdgpu_kernel void @preload(ptr addrspace(1) inreg %p, i32 inreg %v) "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" {
      store i32 %v, ptr addrspace(1) %p
      ret void
    })";
  const CodeObject object = check_against_llvm(test::compile_with_llc(ir, "gfx950"));
  CHECK(object.kernels.at(0).descriptor.preload_dwords == 3);
  CHECK(object.kernels.at(0).descriptor.preload_offset_dwords == 0);
}

TEST_CASE("the code of a kernel is the bytes of its function symbol") {
  const test::TemporaryFolder folder;
  const auto bytes = test::compile_with_llc(test::two_kernels(5), "gfx950");
  test::write_bytes(folder.file("k.hsaco"), bytes);
  const auto object = read_code_object(bytes);
  REQUIRE(object);
  const std::string text_section = folder.file("text");
  test::run(
      fmt::format("{} -O binary -j .text {} {}", WAVESMITH_OBJCOPY, folder.file("k.hsaco"), text_section));
  const auto text = test::read_bytes(text_section);
  const Kernel& first = object->kernels.at(0);
  const Kernel& second = object->kernels.at(1);
  const auto code = object->code(second);
  REQUIRE(code.size() == second.code_bytes);
  CHECK(std::ranges::equal(code,
                           std::span(text).subspan(second.code_address - first.code_address, code.size())));
  CHECK(object->bytes_at(first.code_address, first.code_bytes).size() == first.code_bytes);
  CHECK(object->bytes_at(object->segments.back().address + object->segments.back().memory_bytes, 1).empty());
}

TEST_CASE("the processor table agrees with LLVM about machine numbers and settings") {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("k.ll"), "define amdgpu_kernel void @k() { ret void }");
  for (const Processor& processor : processors()) {
    INFO(processor.name);
    test::run(fmt::format("{} -mtriple=amdgcn-amd-amdhsa -mcpu={} -filetype=obj {} -o {}", WAVESMITH_LLC,
                          processor.name, folder.file("k.ll"), folder.file("k.o")));
    const auto header =
        nlohmann::json::parse(test::run(fmt::format("{} --elf-output-style=JSON --file-headers {}",
                                                    WAVESMITH_READOBJ, folder.file("k.o"))))[0]["ElfHeader"];
    const auto flags = header["Flags"]["Value"].get<std::uint32_t>();
    CHECK((flags & 0xff) == processor.elf_machine);
    CHECK(((flags & 0x300) != 0) == processor.has_xnack);
    CHECK(((flags & 0xc00) != 0) == processor.has_sramecc);
    CHECK((flags >> 24 != 0) == processor.generic);
    CHECK(find_processor(processor.name) == &processor);
    CHECK(find_processor_by_machine(processor.elf_machine) == &processor);
  }
}
