#include "tests/generator/code_objects.h"

#include <stdexcept>

#include <fmt/format.h>

#include "runtime/compiler.h"
#include "tests/runtime/support.h"

namespace wavesmith::test {

Compiled compile(const std::string& ir) {
  static runtime::CompilerPool pool;
  runtime::CompileRequest request;
  request.ir = ir;
  request.target = "gfx950";
  const Expected<runtime::CompileResult> result = pool.compile(request);
  if (!result) throw std::runtime_error(result.error().message + "\n" + result.error().log);
  Expected<runtime::CodeObject> object = runtime::read_code_object(result->hsaco);
  if (!object) throw std::runtime_error(object.error().message);
  const TemporaryFolder folder;
  write_bytes(folder.file("k.hsaco"), result->hsaco);
  return {*std::move(object),
          Listing(run(fmt::format("{} -d {}", WAVESMITH_OBJDUMP, folder.file("k.hsaco"))))};
}

}  // namespace wavesmith::test
