// The module around a kernel: layout, LDS pool, declarations, attributes, metadata.
#include "lowering/lower.h"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lowering/function_lowering.h"
#include "lowering/llvm_spelling.h"

namespace wavesmith::lowering {
namespace {

std::string parameter(const ir::Parameter& parameter) {
  const ir::Type type = parameter.value.type();
  if (!type.is_pointer()) return fmt::format("{} %{}", llvm_type(type), parameter.value.name());
  return fmt::format("{} noalias {} align {} %{}", llvm_type(type),
                     parameter.writeonly ? "writeonly" : "readonly", parameter.align, parameter.value.name());
}

std::string function_attributes(const ir::KernelAttributes& attributes, const Flavour& flavour) {
  std::string text = "convergent mustprogress norecurse nounwind";
  auto out = std::back_inserter(text);
  fmt::format_to(out, " \"amdgpu-flat-work-group-size\"=\"{0},{0}\"", attributes.workgroup_size);
  if (!attributes.ieee_mode) text += " \"amdgpu-ieee\"=\"false\"";
  fmt::format_to(out, " \"amdgpu-waves-per-eu\"=\"{0},{0}\"", attributes.waves_per_eu);
  if (attributes.f32_denormals == ir::DenormalMode::flush)
    fmt::format_to(out, " {}", flavour.flush_f32_denormals);
  fmt::format_to(out, " {}", flavour.uniform_workgroup);
  return text;
}

}  // namespace

Expected<std::string> lower(const ir::FinishedKernel& finished, const TargetFacts& target,
                            const Flavour& flavour, const LowerOptions& options) {
  const ir::Kernel& kernel = *finished;
  if (kernel.lds_bytes() > target.lds_bytes)
    return fail(ErrorKind::invalid_request,
                fmt::format("{} bytes of LDS; {} has {} a workgroup", kernel.lds_bytes(), target.processor,
                            target.lds_bytes));
  Metadata metadata(kernel);
  FunctionLowering function(kernel, target, flavour, metadata, options.line_table);
  function.run();
  if (!function.unsupported.empty())
    return fail(ErrorKind::invalid_request,
                fmt::format("{} does not have {}", target.processor, fmt::join(function.unsupported, ", ")));

  std::vector<std::string> parameters;
  for (const ir::Parameter& p : kernel.parameters) parameters.push_back(parameter(p));
  const unsigned workgroup =
      metadata.node(fmt::format("!{{i32 {}, i32 1, i32 1}}", kernel.attributes.workgroup_size));
  std::vector<unsigned> flags{metadata.node(
      fmt::format("!{{i32 1, !\"amdhsa_code_object_version\", i32 {}}}", options.code_object_version * 100))};
  std::string debug;
  if (options.line_table) {
    debug = fmt::format(" !dbg !{}", metadata.subprogram());
    flags.push_back(metadata.node("!{i32 2, !\"Debug Info Version\", i32 3}"));
  }

  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "target datalayout = \"{}\"\ntarget triple = \"amdgcn-amd-amdhsa\"\n\n",
                 flavour.data_layout);
  if (kernel.lds_bytes() > 0)
    // 16: the widest LDS access, ds_read_b128, and 16-byte LDS DMA.
    fmt::format_to(out, "{} = internal unnamed_addr addrspace(3) global [{} x i8] poison, align 16\n\n",
                   lds_pool_name(kernel), kernel.lds_bytes());
  fmt::format_to(out, "{}\n\n", fmt::join(function.declarations, "\n"));
  fmt::format_to(out, "define amdgpu_kernel void @{}({}) #0{} !reqd_work_group_size !{} {{\n{}}}\n\n",
                 kernel.name, fmt::join(parameters, ", "), debug, workgroup, function.text);
  fmt::format_to(out, "attributes #0 = {{ {} }}\n\n", function_attributes(kernel.attributes, flavour));
  std::vector<std::string> flag_list;
  for (unsigned flag : flags) flag_list.push_back(fmt::format("!{}", flag));
  fmt::format_to(out, "!llvm.module.flags = !{{{}}}\n", fmt::join(flag_list, ", "));
  if (options.line_table) fmt::format_to(out, "!llvm.dbg.cu = !{{!{}}}\n", metadata.compile_unit());
  text += metadata.text();
  return text;
}

}  // namespace wavesmith::lowering
