// Requests and kernels of the compiler tests.
#pragma once

#include <string>
#include <string_view>

#include "runtime/compiler.h"

namespace wavesmith::test {

/// A pool of one worker with a time limit that only a hang exceeds.
inline runtime::CompilerPoolOptions one_worker() {
  runtime::CompilerPoolOptions options;
  options.workers = 1;
  return options;
}

inline runtime::CompileRequest request_for(std::string_view ir, std::string_view target) {
  runtime::CompileRequest request;
  request.ir = ir;
  request.target = target;
  return request;
}

/// A kernel `looping` with a loop that LLVM unrolls and vectorizes, so that the level of optimization shows
/// in its code. With a line table its instructions are lines of "attention.plan".
inline std::string looping_kernel(bool line_table = false) {
  const std::string location = line_table ? ", !dbg !6" : "";
  std::string ir =
      "define amdgpu_kernel void @looping(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 "
      "%n)" +
      std::string(line_table ? " !dbg !4" : "") + R"( {
entry:
  %start = call i32 @llvm.amdgcn.workitem.id.x())" +
      location + R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %index = add i32 %i, %start)" +
      location + R"(
  %address = getelementptr float, ptr addrspace(1) %in, i32 %index)" +
      location + R"(
  %value = load float, ptr addrspace(1) %address)" +
      location + R"(
  %product = fmul fast float %value, %value)" +
      location + R"(
  %added = fadd fast float %sum, %product)" +
      location + R"(
  %next = add nuw nsw i32 %i, 1
  %again = icmp ult i32 %next, 12
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %out, i32 %start
  store float %added, ptr addrspace(1) %to)" +
      location + R"(
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
!llvm.module.flags = !{!0)" +
      (line_table ? ", !1" : "") + R"(}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
)";
  if (line_table) {
    ir += R"(!1 = !{i32 2, !"Debug Info Version", i32 3}
!llvm.dbg.cu = !{!2}
!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, producer: "wavesmith", emissionKind: LineTablesOnly)
!3 = !DIFile(filename: "attention.plan", directory: "/")
!4 = distinct !DISubprogram(name: "looping", scope: !3, file: !3, line: 1, type: !5, unit: !2, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 7, scope: !4)
)";
  }
  return ir;
}

/// A kernel of one huge block of loads and stores that keeps LLVM busy for most of a minute.
inline std::string slow_kernel() {
  constexpr int kValues = 4000;
  const auto number = [](int value) { return std::to_string(value); };
  std::string ir =
      "define amdgpu_kernel void @slow(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {\n"
      "  %lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
      "  %from = getelementptr float, ptr addrspace(1) %in, i32 %lane\n"
      "  %to = getelementptr float, ptr addrspace(1) %out, i32 %lane\n";
  for (int i = 0; i < kValues; ++i) {
    ir += "  %f" + number(i) + " = getelementptr float, ptr addrspace(1) %from, i32 " + number(i * 37) +
          "\n  %v" + number(i) + " = load float, ptr addrspace(1) %f" + number(i) + "\n";
  }
  for (int i = 0; i < kValues; ++i) {
    ir += "  %t" + number(i) + " = getelementptr float, ptr addrspace(1) %to, i32 " + number(i * 41) +
          "\n  %w" + number(i) + " = fmul float %v" + number(i) + ", %v" + number(kValues - 1 - i) +
          "\n  store float %w" + number(i) + ", ptr addrspace(1) %t" + number(i) + "\n";
  }
  return ir + "  ret void\n}\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n";
}

}  // namespace wavesmith::test
