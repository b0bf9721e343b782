#include "tests/verify/kernels.h"

#include <stdexcept>

#include "generator/attention_dense/emit.h"
#include "lowering/flavour.h"
#include "runtime/compiler.h"

namespace wavesmith::test {
namespace {

template <class T>
T required(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message + "\n" + value.error().log);
  return *std::move(value);
}

}  // namespace

Kernel compiled(const dense::Spec& spec) {
  static runtime::CompilerPool pool([] {
    runtime::CompilerPoolOptions options;
    options.workers = 1;
    return options;
  }());
  const lowering::TargetId target{.processor = "gfx950"};
  dense::Plan plan = required(dense::resolve(spec, target));
  runtime::CompileRequest request;
  request.ir = required(dense::emit(plan, *lowering::find_flavour("llvm22"), {.line_table = true}));
  request.target = to_string(target);
  request.backend = runtime::Backend::llvm;
  runtime::CompileResult result = required(pool.compile(request));
  return {std::move(plan), std::move(result.hsaco)};
}

verify::AttentionRun run(const Kernel& kernel, const verify::AttentionCase& shape,
                         simulator::Options options) {
  if (options.threads == 0) options.threads = 2;
  options.hazards = true;
  return required(verify::verify_attention(kernel.plan, kernel.code, shape, options));
}

simulator::InstructionCounters counted(const simulator::Report& report, std::string_view step,
                                       std::string_view mnemonic) {
  simulator::InstructionCounters sum;
  for (const simulator::InstructionReport& instruction : report.instructions)
    if (instruction.step == step && instruction.mnemonic == mnemonic) sum += instruction.counters;
  return sum;
}

}  // namespace wavesmith::test
