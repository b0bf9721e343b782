// Every choice that a spec decides, made once: resolve() turns a spec and a target into a Plan, and emission,
// launching,
// --explain, the request key and the documentation all read the Plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "generator/attention_dense/layout.h"
#include "generator/attention_dense/spec.h"
#include "ir_builder/function.h"
#include "lowering/target.h"

namespace wavesmith::generator::attention_dense {

/// One kernel argument, in the order of the argument block.
struct Argument {
  std::string_view name;
  ir::Type type;
  std::string_view meaning;
  unsigned align = 0;      ///< bytes, pointers alone; plan_launch() checks it
  bool writeonly = false;  ///< pointers alone; the others are only read
};

/// One step of the kernel, in the order of the machine; also the labels of the optional line table.
struct Step {
  std::string_view name;
  std::string_view what;
};

struct Plan {
  Spec spec;  ///< canonical
  lowering::TargetId target;
  const lowering::TargetFacts* facts;
  std::string symbol;

  // Geometry. One wave owns 32 query rows; a matrix instruction is 32 x 32 x 16.
  unsigned waves;
  unsigned k_steps;    ///< MFMA steps over the head size in QK
  unsigned d_tiles;    ///< 32-column tiles of O
  unsigned sub_tiles;  ///< 32-key tiles of a KV tile
  unsigned key_steps;  ///< MFMA steps over the keys of a KV tile in PV

  // Local data share: K buffers first, then V buffers.
  Layout k_layout, v_layout;
  unsigned k_base, v_base, lds_bytes;  ///< bytes

  // Asynchronous copies: DMA instructions that one wave issues for a tile, and what may stay in flight at
  // each wait.
  unsigned k_dma, v_dma;
  /// One offset for each instruction of a tile in registers of every lane; or, where that would be too many
  /// registers, one offset and a descriptor for each instruction.
  bool dma_descriptors;
  /// Keys of a tile that one wave copies, and how many of them lie in one page of paged keys at least.
  unsigned rows_per_wave, rows_per_page_copy;
  unsigned wait_first_k;  ///< before QK of tile 0: V(0) and K(1) may be in flight
  unsigned wait_loop;     ///< before QK of tile j and PV of tile j - 1: only V(j) may be in flight
  unsigned wait_last;     ///< before PV of the last tile: nothing

  unsigned k_reads_ahead;  ///< K fragments read ahead of the MFMA that uses them, one ds_read_b128 each

  // Softmax.
  unsigned exps_per_mfma;   ///< exponentials of tile j placed after each MFMA of PV(j - 1)
  float rescale_threshold;  ///< log2; P stays below 2 to this power. Only with lazy_rescale

  ir::KernelAttributes attributes;
  std::vector<Argument> arguments;
  std::vector<Step> steps;
  std::vector<std::string> preconditions;  ///< of a launch; checked by plan_launch()
};

/// Rows of keys that one 32-bit byte offset may span: two tiles, or a page.
[[nodiscard]] unsigned most_key_rows(const Spec& spec);

/// Digits with which the kernel decodes a work item (order.h).
[[nodiscard]] unsigned digits_of(const Spec& spec);
/// The arguments of that decode, the last ones of Plan::arguments.
[[nodiscard]] std::vector<Argument> order_arguments(const Spec& spec);

/// All reasons why there is no kernel for this spec on this target; empty when there is one. Then resolving,
/// emitting and compiling succeed. `known`: what was refused already, for fields that could not be read and
/// are at their default in `spec`; each field is refused once.
[[nodiscard]] std::vector<Refusal> refusals_of(const Spec& spec, const lowering::TargetId& target,
                                               std::vector<Refusal> known = {});

/// Errors: those reasons, at once.
[[nodiscard]] Expected<Plan> resolve(const Spec& spec, const lowering::TargetId& target);

/// The Plan and the LDS bank table of its layouts, as stable text.
[[nodiscard]] std::string explain(const Plan& plan);

/// SHA-256 over everything that decides a code object: each field of the canonical spec, symbol, target,
/// flavour, options, the compiler's and the emitter's identity.
[[nodiscard]] std::string request_key(const Plan& plan, std::string_view flavour, std::string_view options,
                                      std::string_view compiler);

}  // namespace wavesmith::generator::attention_dense
