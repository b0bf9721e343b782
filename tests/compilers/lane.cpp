#include "tests/compilers/lane.h"

#include <stdexcept>

#include <fmt/format.h>

#include "generator/attention_dense/plan.h"
#include "golden/emission.h"
#include "runtime/code_object.h"
#include "tools/verify/attention.h"

namespace wavesmith::test {
namespace {

namespace dense = generator::attention_dense;

template <class T>
T required(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message + "\n" + value.error().log);
  return *std::move(value);
}

dense::Plan plan_of(const golden::Case& one) {
  if (one.family != "attention-dense") throw std::runtime_error("no oracle for the family " + one.family);
  dense::Spec spec;
  std::vector<Refusal> refusals;
  generator::read_fields(one.fields, spec, refusals);
  if (!refusals.empty()) throw std::runtime_error(Error::refused(std::move(refusals)).message);
  return required(dense::resolve(spec, required(lowering::parse_target_id(one.target))));
}

verify::AttentionCase shape() {
  verify::AttentionCase shape;
  shape.seqlen_q = 70;
  shape.seqlen_kv = 333;
  return shape;
}

void run_on_simulator(const golden::Case& one, const Compiled& compiled, LaneResult& result) {
  simulator::Options options;
  options.threads = 2;
  verify::AttentionRun run =
      required(verify::verify_attention(plan_of(one), compiled.code_object, shape(), options));
  result.right = run.ok();
  result.output = std::move(run.output);
  if (run.report.fault) result.problems.push_back(run.report.fault->message());
  if (!run.accuracy.ok())
    result.problems.push_back(
        fmt::format("{} of {} elements are wrong", run.accuracy.mismatched, run.accuracy.elements));
}

}  // namespace

LaneResult run_case(Toolchain& compiler, const golden::Case& one) {
  LaneResult result;
  try {
    const golden::Emission emission = required(golden::emit(one, compiler.flavour()));
    const Compiled compiled = compiler.compile(emission.text, one.target);
    result.problems = compiled.changes;
    const runtime::CodeObject object = required(runtime::read_code_object(compiled.code_object));
    const runtime::Kernel* kernel = object.find_kernel(emission.entry.symbol);
    if (kernel == nullptr) throw std::runtime_error("the code object has no kernel of that name");
    const auto code = object.code(*kernel);
    result.code.assign(code.begin(), code.end());
    result.needs = {.vgprs = kernel->total_vgprs,
                    .sgprs = kernel->sgprs,
                    .spills = kernel->vgpr_spills + kernel->sgpr_spills,
                    .scratch_bytes = kernel->scratch_bytes,
                    .lds_bytes = kernel->lds_bytes};
    result.compiled = compiled.changes.empty();
    run_on_simulator(one, compiled, result);
  } catch (const std::exception& error) {
    result.problems.emplace_back(error.what());
  }
  return result;
}

}  // namespace wavesmith::test
