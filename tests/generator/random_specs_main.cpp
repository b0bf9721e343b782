// random_specs: random requests, each refused with all reasons or resolved, emitted in every flavour and
// compiled: without spill or scratch, and to the same bytes again and again.
//
//     random_specs [REQUESTS [SEED [EVERY]]]      1000, 1; every EVERYth kernel (20) is compiled ten times
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "runtime/code_object.h"
#include "runtime/compiler.h"
#include "tests/generator/random_specs.h"

namespace wavesmith::test {
namespace {

class Compilation {
 public:
  std::vector<std::string> wrong;
  std::size_t compiled = 0, repeated = 0;

  void check(const std::string& ir, bool repeat) {
    runtime::CompileRequest request;
    request.ir = ir;
    request.target = "gfx950";
    request.backend = runtime::Backend::llvm;
    const Expected<runtime::CompileResult> first = pool_.compile(request);
    if (!first) {
      wrong.push_back("does not compile: " + first.error().message);
      return;
    }
    ++compiled;
    const Expected<runtime::CodeObject> object = runtime::read_code_object(first->hsaco);
    if (!object || object->kernels.size() != 1) {
      wrong.emplace_back("is no code object with one kernel");
      return;
    }
    const runtime::Kernel& kernel = object->kernels.front();
    if (kernel.vgpr_spills != 0 || kernel.sgpr_spills != 0 || kernel.scratch_bytes != 0)
      wrong.push_back(kernel.name + " spills");
    if (!repeat) return;
    ++repeated;
    for (int i = 1; i < 10; ++i) {
      const Expected<runtime::CompileResult> again = pool_.compile(request);
      if (!again || again->hsaco != first->hsaco) wrong.push_back(kernel.name + " compiles to other bytes");
    }
  }

 private:
  runtime::CompilerPool pool_;
};

bool run(std::size_t count, std::uint64_t seed, std::size_t every) {
  RandomRequests requests(seed);
  RequestCheck check;
  Compilation compilation;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string ir = check.check(requests.next());
    if (!ir.empty()) compilation.check(ir, check.findings.kernels % every == 0);
  }
  for (const auto* wrong : {&check.findings.wrong, &compilation.wrong})
    for (const std::string& what : *wrong) fmt::print("WRONG {}\n", what);
  fmt::print(
      "{} requests: {} refused with all reasons, {} resolved ({} distinct texts) and emitted in every "
      "flavour; {} "
      "compiled without spill, {} of them ten times to the same bytes; {} wrong\n",
      count, count - check.findings.kernels, check.findings.kernels, check.findings.distinct,
      compilation.compiled, compilation.repeated, check.findings.wrong.size() + compilation.wrong.size());
  return check.findings.wrong.empty() && compilation.wrong.empty();
}

}  // namespace
}  // namespace wavesmith::test

int main(int count, char** words) {
  const auto number = [&](int at, std::size_t fallback) {
    return count > at ? std::strtoull(words[at], nullptr, 10) : fallback;
  };
  const std::size_t every = number(3, 20);
  return every != 0 && wavesmith::test::run(number(1, 1000), number(2, 1), every) ? 0 : 1;
}
