// Resources from code objects: the metadata's numbers, and instructions counted in the disassembly.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/cases.h"
#include "golden/emission.h"
#include "golden/interrupts.h"
#include "golden/resource_check.h"
#include "runtime/code_object.h"
#include "runtime/target_id.h"

namespace wavesmith::golden {
namespace {

// The instructions whose counts are pinned, by the start of their mnemonic: the matrix and transcendental
// work, the moves between lanes, all memory, the barriers and waits, and what only spilling brings in.
constexpr std::array<std::string_view, 18> counted{
    "v_mfma_",       "v_wmma_",  "v_exp_",      "v_cvt_",  "v_permlane", "v_dot",
    "ds_read",       "ds_write", "ds_bpermute", "ds_load", "ds_store",   "buffer_load_",
    "buffer_store_", "global_",  "s_barrier",   "s_wait",  "scratch_",   "v_accvgpr_"};

// Instructions without their offsets, up to the padding behind the last one that ends the program.
std::vector<std::string> instructions_of(std::string_view disassembly) {
  std::vector<std::string> lines;
  std::size_t end = 0;
  while (!disassembly.empty()) {
    std::string_view line = disassembly.substr(0, disassembly.find('\n'));
    disassembly.remove_prefix(std::min(disassembly.size(), line.size() + 1));
    const std::size_t tab = line.find('\t');  // "  1a0:\tv_add_f32 …"; a kernel's name has none
    if (tab == std::string_view::npos) continue;
    line.remove_prefix(tab + 1);
    lines.emplace_back(line);
    if (line.starts_with("s_endpgm")) end = lines.size();
  }
  if (end != 0) lines.resize(end);
  return lines;
}

Resources resources_of(const runtime::Kernel& kernel, std::span<const std::string> instructions) {
  Resources resources{.vgpr = kernel.total_vgprs,
                      .agpr = kernel.agprs,
                      .sgpr = kernel.sgprs,
                      .vgpr_spills = kernel.vgpr_spills,
                      .sgpr_spills = kernel.sgpr_spills,
                      .lds_bytes = kernel.lds_bytes,
                      .scratch_bytes = kernel.scratch_bytes};
  for (const std::string_view start : counted) {
    const auto count =
        std::ranges::count_if(instructions, [&](const std::string& line) { return line.starts_with(start); });
    if (count != 0) resources.instructions[std::string(start)] = static_cast<std::uint64_t>(count);
  }
  return resources;
}

}  // namespace

CompilersAtHand compilers_at_hand(runtime::CompilerPool& pool) {
  CompilersAtHand at_hand;
  for (const runtime::Backend backend : {runtime::Backend::comgr, runtime::Backend::llvm}) {
    Expected<runtime::CompilerInfo> info = pool.describe(backend);
    if (!info) {
      at_hand.absent.push_back({std::string(runtime::name_of(backend)), info.error().message});
      continue;
    }
    // "LLVM 22.1.8 (llvm), LLD 22.1.8"
    std::string name = info->version;
    if (const std::size_t comma = name.rfind(", ");
        comma != std::string::npos && name.find("LLD", comma) != std::string::npos)
      name.resize(comma);
    const auto flavour =
        std::ranges::find(lowering::all_flavours(), info->llvm_major, &lowering::Flavour::llvm_major);
    if (flavour == lowering::all_flavours().end())
      at_hand.absent.push_back({name, "there is no flavour for its version"});
    else
      at_hand.found.push_back({backend, std::move(name), &*flavour, std::move(*info)});
  }
  return at_hand;
}

Expected<Measured> measure(runtime::CompilerPool& pool, const Compiler& compiler, std::string_view ir,
                           std::string_view target) {
  runtime::CompileRequest request;
  request.ir = ir;
  request.target = target;
  request.backend = compiler.backend;
  request.want_disassembly = true;
  const Expected<runtime::CompileResult> result = pool.compile(request);
  if (!result) return std::unexpected(result.error());
  const Expected<runtime::CodeObject> object = runtime::read_code_object(result->hsaco);
  if (!object || object->kernels.size() != 1)
    return fail(ErrorKind::compiler_failed,
                object ? fmt::format("the code object has {} kernels, not one", object->kernels.size())
                       : object.error().message,
                result->log);
  const std::vector<std::string> instructions = instructions_of(result->disassembly);
  return Measured{.resources = resources_of(object->kernels.front(), instructions),
                  .disassembly = fmt::format("{}\n", fmt::join(instructions, "\n"))};
}

Expected<ResourceEntries> measure_cases(runtime::CompilerPool& pool, const Compiler& compiler,
                                        const std::function<void(std::size_t, std::size_t)>& progress) {
  std::mutex mutex;
  ResourceEntries entries;
  std::vector<std::string> problems;
  std::atomic<std::size_t> next = 0;
  std::vector<Case> all(cases().begin(), cases().end());
  std::erase_if(all, [&](const Case& one) {
    const auto target = runtime::parse_target_id(one.target);
    return target && !compiler.info.supports(*target);
  });
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size() && !Interrupts::came(); i = next++) {
      const Expected<Emission> emission = emit(all[i], *compiler.flavour);
      const Expected<Measured> measured = emission ? measure(pool, compiler, emission->text, all[i].target)
                                                   : std::unexpected(emission.error());
      const std::scoped_lock lock(mutex);
      if (measured)
        entries.emplace(all[i].id(), measured->resources);
      else
        problems.push_back(fmt::format("{} by {}: {}", all[i].id(), compiler.name, measured.error().message));
      if (progress) progress(entries.size() + problems.size(), all.size());
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  if (Interrupts::came()) return fail(ErrorKind::environment, "compiling the cases was interrupted");
  std::ranges::sort(problems);
  if (!problems.empty())
    return fail(ErrorKind::compiler_failed, fmt::format("{}", fmt::join(problems, "\n")));
  return entries;
}

}  // namespace wavesmith::golden
