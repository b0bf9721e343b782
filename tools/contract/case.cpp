// Golden cases to Plans and shapes, Plans to code objects.
#include "tools/contract/case.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "generator/attention_dense/emit.h"
#include "generator/families.h"
#include "runtime/compiler_choice.h"
#include "tools/verify/attention_launch.h"

namespace wavesmith::contract {
namespace {

constexpr std::string_view family = "attention-dense";

Expected<dense::Plan> plan_of(const golden::Case& golden) {
  if (golden.family != family)
    return fail(ErrorKind::invalid_request, fmt::format("the contract knows {} alone", family));
  const auto target = lowering::parse_target_id(golden.target);
  if (!target) return std::unexpected(target.error());
  const auto kernel = generator::find_family(golden.family)->resolve(golden.fields, golden.preset, *target);
  if (!kernel) return std::unexpected(kernel.error());
  if (simulator::implemented_forms(target->processor).empty())
    return fail(ErrorKind::invalid_request, fmt::format("there is no simulator of {}", target->processor));
  return verify::plan_of(**kernel);
}

/// Sequences of different lengths, where the kernel finds them in memory: none and one, and some around the
/// ends of tiles, pages and blocks of rows; the longest are as long as all would be.
void vary_lengths(const dense::Spec& spec, Shape& tiles, Shape& blocks) {
  if (!dense::reads_seqlen_kv(spec)) return;
  constexpr std::int64_t wave_rows = 32;
  const std::int64_t n = spec.block_n, m = spec.block_m;
  const std::int64_t q = tiles.seqlen_q, kv = tiles.seqlen_kv;
  const std::int64_t edge = spec.kv == dense::Kv::paged ? spec.page_size : n;
  tiles.seqlens_kv = {kv - 2, n, n + 1, 0, kv};
  blocks.seqlens_kv = {edge - 1, edge + 1, 1, 3, edge};
  blocks.seqlen_kv = edge + 1;
  if (dense::reads_seqlen_q(spec)) {
    tiles.seqlens_q = {std::min(q, m), 0, 1, std::min(q - 1, wave_rows - 1), q};
    blocks.seqlens_q = {m, m + 9, 1, 0, wave_rows + 1};
  }
  for (Shape* shape : {&tiles, &blocks}) {
    shape->batch = static_cast<std::int64_t>(shape->seqlens_kv.size());
    shape->seed = 3;  // with which the table has no entry more than the longest sequence needs
  }
}

}  // namespace

std::vector<Shape> shapes_for(const dense::Spec& spec) {
  constexpr std::int64_t least_rows = 256;  // fewer say little about the size of an error
  constexpr int many_heads = 16;            // with as many query heads, one key/value head is enough to run
  const int ratio = dense::gqa_ratio(spec);
  // Wide enough that mostly some row is rescaled before each of the few PV.
  Shape tiles{.batch = 2, .kv_heads = spec.num_kv_heads > 1 && ratio < many_heads ? 2 : 1, .sigma = 4};
  const std::int64_t three_tiles = 3 * spec.block_n;
  if (spec.mask == dense::Mask::causal_top_left) {
    // The last workgroup's first row is to see three whole tiles.
    tiles.seqlen_q = (three_tiles + spec.block_m - 1) / spec.block_m * spec.block_m + 30;
    tiles.seqlen_kv = three_tiles + spec.block_n + 17;
  } else {
    const std::int64_t rows = least_rows / (tiles.batch * tiles.kv_heads * ratio) + 2;
    tiles.seqlen_q = std::clamp<std::int64_t>(rows, 20, spec.block_m - 6);
    const std::int64_t visited = (tiles.seqlen_q + three_tiles + spec.block_n - 1) / spec.block_n;
    tiles.seqlen_kv = (visited + 1) * spec.block_n - 3;
  }
  if (spec.mask == dense::Mask::window) {
    // Tiles that only some rows see on either side of tiles that all see whole.
    tiles.seqlen_kv = tiles.seqlen_q + 5 * spec.block_n - 1;
    tiles.window_left = three_tiles;
    tiles.window_right = 5;
  }
  Shape blocks{.batch = 1, .seqlen_q = spec.block_m + 9, .seqlen_kv = 21, .bhsd = true};
  vary_lengths(spec, tiles, blocks);
  return {tiles, blocks};
}

std::vector<ContractCase> contract_cases(std::span<const golden::Case> goldens) {
  std::vector<ContractCase> cases;
  for (const golden::Case& golden : goldens)
    if (Expected<dense::Plan> plan = plan_of(golden))
      cases.push_back({golden.id(), *plan, shapes_for(plan->spec)});
  return cases;
}

std::vector<std::string> uncovered(std::span<const golden::Case> goldens,
                                   std::span<const ContractCase> cases) {
  std::vector<std::string> missing;
  for (const golden::Case& golden : goldens) {
    if (std::ranges::find(cases, golden.id(), &ContractCase::id) != cases.end()) continue;
    const Expected<dense::Plan> plan = plan_of(golden);
    missing.push_back(plan ? golden.id() : fmt::format("{} ({})", golden.id(), plan.error().message));
  }
  return missing;
}

Expected<std::vector<std::byte>> KernelCompiler::compile(const dense::Plan& plan) const {
  return compile(plan, dense::draft(plan));
}

Expected<std::vector<std::byte>> KernelCompiler::compile(const dense::Plan& plan,
                                                         std::unique_ptr<ir::Kernel> draft) const {
  const std::string target = to_string(plan.target);
  const auto choice = runtime::choose_compiler(pool_, wanted_, "auto", target);
  if (!choice) return std::unexpected(choice.error());
  const Expected<ir::FinishedKernel> kernel = ir::finish(std::move(draft));
  if (!kernel) return std::unexpected(kernel.error());
  const Expected<std::string> text =
      lowering::lower(*kernel, *plan.facts, *choice->flavour, {.line_table = true});
  if (!text) return std::unexpected(text.error());
  runtime::CompileRequest request;
  request.ir = *text;
  request.target = target;
  request.backend = choice->backend;
  Expected<runtime::CompileResult> result = pool_.compile(request);
  if (!result) return std::unexpected(result.error());
  return std::move(result->hsaco);
}

}  // namespace wavesmith::contract
