/* wavesmith.h as C11 with every warning, and the layout of its structures: programs that were compiled with
 * it rely on these places, so a member may only be added behind the last. Figures are those of the x86-64
 * ABI, worked out by hand. */
#include "wavesmith/wavesmith.h"

#define PLACE(type, member, at) _Static_assert(offsetof(type, member) == (at), #type "." #member " has moved")

PLACE(wavesmith_refusal, struct_size, 0);
PLACE(wavesmith_refusal, allowed, 24);
PLACE(wavesmith_jit_options, cache_directory, 8);
PLACE(wavesmith_jit_options, bundle_count, 40);
PLACE(wavesmith_jit_options, worker_path, 64);
PLACE(wavesmith_jit_options, compile_milliseconds, 80);
PLACE(wavesmith_jit_options, warn, 96);
PLACE(wavesmith_jit_options, no_disk, 112);
PLACE(wavesmith_statistics, memory_hits, 8);
PLACE(wavesmith_statistics, compile_milliseconds, 104);
PLACE(wavesmith_kernel_info, hsaco_bytes, 16);
PLACE(wavesmith_kernel_info, code_object_id, 72);
PLACE(wavesmith_kernel_info, argument_count, 80);
PLACE(wavesmith_kernel_info, workgroup_size, 116);
PLACE(wavesmith_kernel_argument, kind, 16);
PLACE(wavesmith_kernel_argument, bytes, 28);
PLACE(wavesmith_attention_shapes, batch, 16);
PLACE(wavesmith_attention_shapes, q, 40);
PLACE(wavesmith_attention_shapes, o, 112);
PLACE(wavesmith_attention_shapes, lse_stride_batch, 136);
PLACE(wavesmith_attention_shapes, softmax_scale, 184);
PLACE(wavesmith_attention_shapes, reserved, 196);
PLACE(wavesmith_attention_buffers, lse, 40);
PLACE(wavesmith_attention_buffers, block_table, 88);
PLACE(wavesmith_launch, grid, 8);
PLACE(wavesmith_launch, block, 20);
PLACE(wavesmith_launch, work_items, 40);
PLACE(wavesmith_launch, arguments, 48);
PLACE(wavesmith_sequence_data, block_table, 72);
PLACE(wavesmith_sequence_data, num_pages, 88);
PLACE(wavesmith_cache_report, removed, 32);

int wavesmith_test_versions(void);

/* Called by the tests: a C program's calls reach the library. */
int wavesmith_test_versions(void) {
  wavesmith_jit_options options = {.struct_size = sizeof options, .no_disk = 1};
  wavesmith_jit* jit = NULL;
  if (wavesmith_jit_create(&options, &jit) != WAVESMITH_OK) return -1;
  wavesmith_jit_destroy(jit);
  return wavesmith_abi_version();
}
