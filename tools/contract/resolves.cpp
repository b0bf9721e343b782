// The first gate: does the code object promise what Plan and launcher rely on?
#include <algorithm>
#include <iterator>
#include <ranges>
#include <variant>

#include <fmt/format.h>

#include "runtime/code_object.h"
#include "runtime/occupancy.h"
#include "tools/contract/gates.h"

namespace wavesmith::contract {
namespace {

class ResolveCheck {
 public:
  ResolveCheck(const dense::Plan& plan, const dense::Launch& launch) : plan_(plan), launch_(launch) {}

  void object(const runtime::CodeObject& object) {
    if (const auto target = to_string(plan_.target); object.target.text() != target)
      problem("target", fmt::format("the code object is for {}, not {}", object.target.text(), target));
    const runtime::Kernel* kernel = object.find_kernel(plan_.symbol);
    if (kernel == nullptr || object.kernels.size() != 1) {
      problem("symbol", fmt::format("the code object has {} kernels, {} named {}", object.kernels.size(),
                                    kernel == nullptr ? "none" : "one", plan_.symbol));
      return;
    }
    if (kernel->descriptor_symbol != plan_.symbol + ".kd")
      problem("symbol",
              fmt::format("the descriptor is {}, not {}.kd", kernel->descriptor_symbol, plan_.symbol));
    arguments(*kernel);
    workgroup(*kernel);
    resources(object, *kernel);
  }

  void problem(std::string kind, std::string what) {
    verdict.problems.push_back({.gate = Gate::resolves,
                                .symptom = Symptom::not_resolved,
                                .kind = std::move(kind),
                                .what = std::move(what)});
  }

  Verdict verdict;

 private:
  // Explicit arguments lie at their natural alignment, one behind the other (AMDGPUUsage, "Kernel Argument
  // Passing").
  void arguments(const runtime::Kernel& kernel) {
    std::vector<const runtime::KernelArgument*> declared;
    for (const runtime::KernelArgument& argument : kernel.arguments)
      if (!argument.hidden()) declared.push_back(&argument);
    if (declared.size() != launch_.arguments.size()) {
      problem("arguments", fmt::format("the launcher packs {} arguments, the kernel has {}",
                                       launch_.arguments.size(), declared.size()));
      return;
    }
    std::uint32_t offset = 0;
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const auto& [name, value] = launch_.arguments[i];
      const auto size = std::visit([](auto v) { return static_cast<std::uint32_t>(sizeof v); }, value);
      const bool pointer = std::holds_alternative<std::uint64_t>(value);
      offset = (offset + size - 1) / size * size;
      const runtime::KernelArgument& argument = *declared[i];
      const bool buffer = argument.kind == runtime::ValueKind::global_buffer;
      if (argument.name != name || argument.offset != offset || argument.size != size || buffer != pointer)
        problem("arguments",
                fmt::format("argument {}: the launcher packs {} of {} bytes at {}{}, the kernel has {} of {} "
                            "bytes at {}{}",
                            i, name, size, offset, pointer ? ", a pointer" : "", argument.name, argument.size,
                            argument.offset, buffer ? ", a pointer" : ""));
      offset += size;
    }
  }

  void workgroup(const runtime::Kernel& kernel) {
    const unsigned size = plan_.attributes.workgroup_size;
    const std::array<std::uint32_t, 3> promised{size, 1, 1};
    if (kernel.required_workgroup_size != promised || kernel.max_flat_workgroup_size != size)
      problem("workgroup", fmt::format("the kernel does not ask for exactly {} work-items", size));
    if (launch_.block != promised)
      problem("workgroup", fmt::format("the launch has workgroups of {} x {} x {} work-items, not {} x 1 x 1",
                                       launch_.block[0], launch_.block[1], launch_.block[2], size));
    if (kernel.wavefront_size != plan_.facts->wave_size)
      problem("workgroup",
              fmt::format("waves of {} lanes, not {}", kernel.wavefront_size, plan_.facts->wave_size));
  }

  void resources(const runtime::CodeObject& object, const runtime::Kernel& kernel) {
    if (kernel.lds_bytes != plan_.lds_bytes)
      problem("lds", fmt::format("{} bytes of LDS, not the Plan's {}", kernel.lds_bytes, plan_.lds_bytes));
    if (kernel.lds_bytes > plan_.facts->lds_bytes)
      problem("lds", fmt::format("{} bytes of LDS; {} has {} a workgroup", kernel.lds_bytes,
                                 plan_.facts->processor, plan_.facts->lds_bytes));
    if (kernel.vgpr_spills != 0 || kernel.sgpr_spills != 0)
      problem("spills", fmt::format("{} vector and {} scalar registers are spilled", kernel.vgpr_spills,
                                    kernel.sgpr_spills));
    if (kernel.scratch_bytes != 0 || kernel.uses_dynamic_stack)
      problem("scratch", fmt::format("{} bytes of scratch a work-item", kernel.scratch_bytes));
    const auto occupancy = runtime::occupancy(object, kernel);
    if (!occupancy) {
      problem("occupancy", occupancy.error().message);
      return;
    }
    if (occupancy->workgroups == 0) problem("occupancy", "no workgroup fits on a compute unit");
    if (occupancy->waves_per_simd < plan_.attributes.waves_per_eu)
      problem("occupancy", fmt::format("{} waves fit on a SIMD, {} were asked for", occupancy->waves_per_simd,
                                       plan_.attributes.waves_per_eu));
    // Registers permit what was asked for, but waves come in whole workgroups, which need their LDS too.
    const unsigned asked = plan_.attributes.waves_per_eu * plan_.facts->simds_per_cu;
    if (occupancy->workgroups > 0 &&
        occupancy->resident_waves < asked / occupancy->waves_per_workgroup * occupancy->waves_per_workgroup)
      verdict.remarks.push_back(
          {"workgroups",
           fmt::format("{} waves in whole workgroups fit on a compute unit, {} were asked for ({})",
                       occupancy->resident_waves, asked, runtime::name_of(occupancy->resident_limiter))});
  }

  const dense::Plan& plan_;
  const dense::Launch& launch_;
};

}  // namespace

Verdict check_resolves(const Subject& subject, const dense::Launch& launch) {
  ResolveCheck check(subject.plan, launch);
  if (const auto object = runtime::read_code_object(subject.code))
    check.object(*object);
  else
    check.problem("code_object", object.error().message);
  return std::move(check.verdict);
}

}  // namespace wavesmith::contract
