#include "tests/runtime/support.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/wait.h>

namespace wavesmith::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "wavesmith-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, got);
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(command + " failed:\n" + output);
  return output;
}

std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return to_bytes(text);
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  write_text(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> compile_with_llc(std::string_view ir, std::string_view processor,
                                        std::string_view options) {
  const TemporaryFolder folder;
  write_text(folder.file("k.ll"), ir);
  run(fmt::format("{} -O2 -mtriple=amdgcn-amd-amdhsa -mcpu={} {} -filetype=obj {} -o {}", WAVESMITH_LLC,
                  processor, options, folder.file("k.ll"), folder.file("k.o")));
  run(fmt::format("{} -shared {} -o {}", WAVESMITH_LD_LLD, folder.file("k.o"), folder.file("k.hsaco")));
  return read_bytes(folder.file("k.hsaco"));
}

std::string two_kernels(int code_object_version) {
  return R"(
@table = addrspace(1) global [2 x ptr addrspace(1)] [ptr addrspace(1) @value, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @value, i64 4)]
@value = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@lds = internal unnamed_addr addrspace(3) global [512 x i8] poison, align 16

define amdgpu_kernel void @first(ptr addrspace(1) noalias readonly %in, ptr addrspace(1) %out, i32 %n, float %f,
                                 ptr addrspace(3) align 8 %shared, {i32, i64} %pair) #0 !reqd_work_group_size !1 {
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %blocks = load i32, ptr addrspace(4) %implicit
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %sum = add i32 %blocks, %y
  store i32 %sum, ptr addrspace(1) %out
  store i32 %sum, ptr addrspace(3) @lds
  ret void
}

define amdgpu_kernel void @second(ptr addrspace(1) %out) #1 {
  %address = load ptr addrspace(1), ptr addrspace(1) @table
  %loaded = load float, ptr addrspace(1) %address
  %doubled = fadd float %loaded, %loaded
  store float %doubled, ptr addrspace(1) %out
  ret void
}

declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.workitem.id.y()

attributes #0 = { "amdgpu-flat-work-group-size"="128,128" "uniform-work-group-size"="true" }
attributes #1 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 )" +
         std::to_string(code_object_version * 100) + "}\n!1 = !{i32 64, i32 2, i32 1}\n";
}

}  // namespace wavesmith::test
