; out[i] = in[i] + bias for the 64 work-items of each workgroup; the bias is a variable of the module. Compiled by the
; build for gfx950 and for gfx942, run by the tests of this folder.
target triple = "amdgcn-amd-amdhsa"

@bias = addrspace(1) externally_initialized global float 0.25, align 4

define protected amdgpu_kernel void @biased(ptr addrspace(1) noundef %out, ptr addrspace(1) noundef %in) #0 {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %group, 64
  %i = add i32 %first, %item
  %bytes = shl nuw i32 %i, 2
  %offset = zext i32 %bytes to i64
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %offset
  %to = getelementptr i8, ptr addrspace(1) %out, i64 %offset
  %value = load float, ptr addrspace(1) %from, align 4
  %add = load float, ptr addrspace(1) @bias, align 4
  %sum = fadd float %value, %add
  store float %sum, ptr addrspace(1) %to, align 4
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
