; out[i] = a[i] * scale + b[i] for i < count, product and sum rounded separately, in workgroups of 100 work-items, which
; leave the last wave partly empty. Compiled by the build, run by compiled_kernel_test.cpp.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @scale_add(ptr addrspace(1) noundef %out, ptr addrspace(1) noundef %a, ptr addrspace(1) noundef %b, float noundef %scale, i32 noundef %count) #0 {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %group, 100
  %i = add i32 %first, %item
  %inside = icmp ult i32 %i, %count
  br i1 %inside, label %body, label %done

body:
  %bytes = shl nuw i32 %i, 2
  %offset = zext i32 %bytes to i64
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %offset
  %pb = getelementptr i8, ptr addrspace(1) %b, i64 %offset
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %offset
  %va = load float, ptr addrspace(1) %pa, align 4
  %vb = load float, ptr addrspace(1) %pb, align 4
  %product = fmul float %va, %scale
  %sum = fadd float %product, %vb
  store float %sum, ptr addrspace(1) %po, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { "amdgpu-flat-work-group-size"="1,128" "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
