/* Attention prefill from C: asks libwavesmith for a kernel, launches it through HIP, and compares what comes
 * back with a reference in double precision of its own.
 *
 *   prefill [HIP-LIBRARY]
 *
 * HIP-LIBRARY is the path of libamdhip64; without it, the dynamic linker's. Exit status: 0 right, 1 wrong
 * numbers, else the status that the library gave (4: no GPU). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wavesmith/wavesmith.h"

enum { BATCH = 1, QUERIES = 70, KEYS = 100, QUERY_HEADS = 2, KV_HEADS = 1, HEAD_SIZE = 64 };

#define Q_ELEMENTS ((size_t)BATCH * QUERIES * QUERY_HEADS * HEAD_SIZE)
#define KV_ELEMENTS ((size_t)BATCH * KEYS * KV_HEADS * HEAD_SIZE)

/* Everything that has to be given back, in any state. */
typedef struct run {
  wavesmith_launcher* launcher;
  wavesmith_jit* jit;
  wavesmith_request* request;
  wavesmith_kernel* kernel;
  wavesmith_loaded_kernel* loaded;
  void* stream;
  uint64_t q, k, v, o; /* on the device */
} run;

static uint16_t host_q[Q_ELEMENTS], host_k[KV_ELEMENTS], host_v[KV_ELEMENTS], host_o[Q_ELEMENTS];

/* bf16 is the upper half of a float; rounded to nearest, ties to even. */
static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits += 0x7fff + ((bits >> 16) & 1);
  return (uint16_t)(bits >> 16);
}

static double from_bf16(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void fill(uint16_t* tensor, size_t elements, uint32_t seed, float range) {
  for (size_t i = 0; i < elements; ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor[i] = to_bf16(((float)(seed >> 8) / 8388608.0f - 1.0f) * range);
  }
}

static size_t at(int token, int head, int heads) {
  return ((size_t)token * (size_t)heads + (size_t)head) * HEAD_SIZE;
}

/* One row of the result: softmax(q k / sqrt(head size)) v over the keys that a causal query sees. */
static void reference_row(int query, int head, double* row) {
  const int kv_head = head / (QUERY_HEADS / KV_HEADS);
  const int visible = query + KEYS - QUERIES + 1; /* bottom-right: the last query sees every key */
  const double scale = 1.0 / sqrt((double)HEAD_SIZE);
  double score[KEYS], most = -INFINITY, sum = 0.0;
  for (int d = 0; d < HEAD_SIZE; ++d) row[d] = 0.0;
  for (int key = 0; key < visible; ++key) {
    score[key] = 0.0;
    for (int d = 0; d < HEAD_SIZE; ++d)
      score[key] += from_bf16(host_q[at(query, head, QUERY_HEADS) + (size_t)d]) *
                    from_bf16(host_k[at(key, kv_head, KV_HEADS) + (size_t)d]) * scale;
    most = fmax(most, score[key]);
  }
  for (int key = 0; key < visible; ++key) {
    const double weight = exp(score[key] - most);
    sum += weight;
    for (int d = 0; d < HEAD_SIZE; ++d)
      row[d] += weight * from_bf16(host_v[at(key, kv_head, KV_HEADS) + (size_t)d]);
  }
  for (int d = 0; d < HEAD_SIZE; ++d) row[d] /= sum;
}

static double largest_error(void) {
  double error = 0.0, row[HEAD_SIZE];
  for (int query = 0; query < QUERIES; ++query)
    for (int head = 0; head < QUERY_HEADS; ++head) {
      reference_row(query, head, row);
      for (int d = 0; d < HEAD_SIZE; ++d) {
        const double difference = fabs(from_bf16(host_o[at(query, head, QUERY_HEADS) + (size_t)d]) - row[d]);
        if (!isnan(error) && !(difference <= error)) error = difference; /* NaN comes and stays */
      }
    }
  return error;
}

#define TRY(call)                                \
  do {                                           \
    const wavesmith_status status_ = (call);     \
    if (status_ != WAVESMITH_OK) return status_; \
  } while (0)

/* A kernel for the device, loaded on it. */
static wavesmith_status get_kernel(run* r) {
  wavesmith_device_info device = {.struct_size = sizeof device};
  wavesmith_kernel_info info = {.struct_size = sizeof info};
  TRY(wavesmith_launcher_get_device(r->launcher, 0, &device));
  TRY(wavesmith_request_create("attention-dense", &r->request));
  TRY(wavesmith_request_set(r->request, "target", device.target));
  TRY(wavesmith_request_set(r->request, "head_size", "64"));
  TRY(wavesmith_request_set(r->request, "num_query_heads", "2"));
  TRY(wavesmith_request_set(r->request, "num_kv_heads", "1"));
  TRY(wavesmith_request_set(r->request, "mask", "causal"));
  TRY(wavesmith_request_set(r->request, "block_m", "128"));
  TRY(wavesmith_jit_create(NULL, &r->jit));
  TRY(wavesmith_jit_get(r->jit, r->request, &r->kernel));
  TRY(wavesmith_kernel_get_info(r->kernel, &info));
  printf("%s, %s\n%s, %u VGPRs, compiled by %s\n", device.name, device.target, info.symbol, info.vgpr,
         info.compiler);
  return wavesmith_launcher_load(r->launcher, 0, r->kernel, &r->loaded);
}

static wavesmith_status upload(run* r, uint64_t* address, const uint16_t* tensor, size_t elements) {
  TRY(wavesmith_memory_allocate(r->launcher, 0, elements * sizeof *tensor, address));
  return wavesmith_memory_copy_to_device(r->launcher, *address, tensor, elements * sizeof *tensor, r->stream);
}

static wavesmith_status launch(run* r) {
  wavesmith_attention_shapes shapes = {
      .struct_size = sizeof shapes, .batch = BATCH, .seqlen_q = QUERIES, .seqlen_kv = KEYS};
  wavesmith_attention_buffers buffers = {
      .struct_size = sizeof buffers, .q = r->q, .k = r->k, .v = r->v, .o = r->o};
  wavesmith_launch planned = {.struct_size = sizeof planned};
  TRY(wavesmith_contiguous_strides(WAVESMITH_BSHD, QUERIES, QUERY_HEADS, HEAD_SIZE, &shapes.q));
  TRY(wavesmith_contiguous_strides(WAVESMITH_BSHD, KEYS, KV_HEADS, HEAD_SIZE, &shapes.k));
  shapes.o = shapes.q;
  shapes.v = shapes.k;
  TRY(wavesmith_plan_attention(r->kernel, &shapes, &buffers, &planned));
  return wavesmith_launcher_launch(r->launcher, r->loaded, &planned, r->stream);
}

static wavesmith_status prefill(run* r, const char* library) {
  TRY(wavesmith_launcher_open(library, &r->launcher));
  TRY(get_kernel(r));
  TRY(wavesmith_stream_create(r->launcher, 0, &r->stream));
  TRY(upload(r, &r->q, host_q, Q_ELEMENTS));
  TRY(upload(r, &r->k, host_k, KV_ELEMENTS));
  TRY(upload(r, &r->v, host_v, KV_ELEMENTS));
  TRY(wavesmith_memory_allocate(r->launcher, 0, sizeof host_o, &r->o));
  TRY(wavesmith_memory_fill(r->launcher, r->o, 0xff, sizeof host_o,
                            r->stream)); /* NaN: what is not written shows */
  TRY(launch(r));
  TRY(wavesmith_memory_copy_to_host(r->launcher, host_o, r->o, sizeof host_o, r->stream));
  return wavesmith_stream_synchronize(r->launcher, r->stream);
}

static void give_back(run* r) {
  const uint64_t memory[] = {r->q, r->k, r->v, r->o};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i)
    if (memory[i] != 0) wavesmith_memory_free(r->launcher, memory[i]);
  if (r->stream != NULL) wavesmith_stream_destroy(r->launcher, r->stream);
  wavesmith_loaded_kernel_destroy(r->loaded);
  wavesmith_kernel_destroy(r->kernel);
  wavesmith_jit_destroy(r->jit);
  wavesmith_request_destroy(r->request);
  wavesmith_launcher_close(r->launcher);
}

int main(int count, char** words) {
  const double tolerance = 0.01; /* |O| is below 1; bf16 keeps 8 bits of the weights and of the result */
  run r = {0};
  wavesmith_status status;
  double error;
  if (count > 2) {
    fprintf(stderr, "usage: prefill [HIP-LIBRARY]\n");
    return WAVESMITH_INVALID_REQUEST;
  }
  fill(host_q, Q_ELEMENTS, 1, 3.0f);
  fill(host_k, KV_ELEMENTS, 2, 1.0f);
  fill(host_v, KV_ELEMENTS, 3, 1.0f);
  status = prefill(&r, count > 1 ? words[1] : NULL);
  if (status != WAVESMITH_OK) {
    fprintf(stderr, "%s\n%s", wavesmith_last_error(), wavesmith_last_error_log());
    give_back(&r);
    return status;
  }
  give_back(&r);
  error = largest_error();
  printf("largest error %.2e, allowed %.2e\n", error, tolerance);
  return error <= tolerance ? 0 : 1;
}
