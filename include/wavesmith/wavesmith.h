/* The C interface of libwavesmith: asks for attention kernels by spec, plans launches of them and, where the
 * program wants it, puts them on a GPU through HIP. C11 and C++. docs/embedding.md has the rules for
 * ownership, threads and versions, and a worked example.
 *
 * In short: a function that can fail returns a wavesmith_status and, where that is not WAVESMITH_OK, leaves
 * its outputs at null or zero and the reason in wavesmith_last_error() of the calling thread. Null pointers
 * and structures of a wrong size are refused. Nothing throws or ends the process. Functions may be called
 * from any thread, and by several at a time with the same handles, except where their comment says otherwise;
 * no handle may be used by another call while it is destroyed. Text is UTF-8 and ends in a null byte. */
#ifndef WAVESMITH_WAVESMITH_H
#define WAVESMITH_WAVESMITH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WAVESMITH_API __attribute__((visibility("default")))
#else
#define WAVESMITH_API
#endif
#ifdef __cplusplus
#define WAVESMITH_NOEXCEPT noexcept
extern "C" {
#else
#define WAVESMITH_NOEXCEPT
#endif

/** \name Versions */
/** @{ */

/** Grows by one with every addition to this header. docs/embedding.md says what that promises. */
#define WAVESMITH_ABI_VERSION 1

/** WAVESMITH_ABI_VERSION of the library: at least that of the header, or functions may be missing. */
WAVESMITH_API int32_t wavesmith_abi_version(void) WAVESMITH_NOEXCEPT;
/** Version of the library, "0.1.0". */
WAVESMITH_API const char* wavesmith_version(void) WAVESMITH_NOEXCEPT;
/** SHA-256 of the sources that write kernels, hexadecimal: part of every kernel's key. */
WAVESMITH_API const char* wavesmith_emitter_identity(void) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Errors */
/** @{ */

typedef int32_t wavesmith_status;
enum {
  WAVESMITH_OK = 0,
  WAVESMITH_CHECK_FAILED = 1,     /**< something is not what it should be: a damaged file, work that failed */
  WAVESMITH_INVALID_REQUEST = 2,  /**< the request is wrong; the refusals say which fields */
  WAVESMITH_COMPILER_FAILED = 3,  /**< rejected, crashed, hung or out of memory; the log has what it wrote */
  WAVESMITH_ENVIRONMENT = 4,      /**< the machine is not able to: no GPU, no compiler, no memory */
  WAVESMITH_NOT_READY = 5,        /**< being compiled; ask again */
  WAVESMITH_INVALID_ARGUMENT = 6, /**< a null pointer or a structure of a wrong size: a fault of the caller */
  WAVESMITH_INTERNAL = 7          /**< a fault of the library */
};

/** One value that was refused. The texts stay until the thread's next call that returns a status. */
typedef struct wavesmith_refusal {
  size_t struct_size; /**< sizeof(wavesmith_refusal) */
  const char* field;  /**< "head_size", "shapes.struct_size" */
  const char* value;  /**< that was given */
  const char* allowed;
} wavesmith_refusal;

/** What the calling thread's last call that returns a status said: one sentence, or one line for each
 * refusal; empty after WAVESMITH_OK. Never null; stays until that thread's next such call. */
WAVESMITH_API const char* wavesmith_last_error(void) WAVESMITH_NOEXCEPT;
/** The compiler's own output with that error; empty where there is none. */
WAVESMITH_API const char* wavesmith_last_error_log(void) WAVESMITH_NOEXCEPT;
/** How many values that error refused. */
WAVESMITH_API size_t wavesmith_refusal_count(void) WAVESMITH_NOEXCEPT;
/** One of them. Neither this nor the functions above change the error, except that this one's own failure is
 * returned alone: WAVESMITH_INVALID_ARGUMENT for no such index. */
WAVESMITH_API wavesmith_status wavesmith_refusal_get(size_t index,
                                                     wavesmith_refusal* refusal) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Requests: which kernel
 * A request is changed by one thread at a time and by none while another uses it. */
/** @{ */

typedef struct wavesmith_request wavesmith_request;

/** An empty request for a family, "attention-dense". */
WAVESMITH_API wavesmith_status wavesmith_request_create(const char* family,
                                                        wavesmith_request** request) WAVESMITH_NOEXCEPT;
/** A request from a JSON object, e.g. {"head_size": 64, "num_query_heads": 32, "num_kv_heads": 8, "lse":
 * true}. Its names are those of wavesmith_request_set(); "family" may be among them. */
WAVESMITH_API wavesmith_status wavesmith_request_from_json(const char* text,
                                                           wavesmith_request** request) WAVESMITH_NOEXCEPT;
/** Sets a field of the spec by its name, to a value as on the command line ("64", "bf16", "true"); `wavesmith
 * list` shows them all. These names are no fields: family, preset (a named set of fields, which those that
 * are set override), target ("gfx950:sramecc+"), symbol, flavour, compiler ("auto", "comgr", "llvm"),
 * code_object_version ("5", "6"), line_table ("true", "false"). Fields are checked when the request is used,
 * all of them at once. */
WAVESMITH_API wavesmith_status wavesmith_request_set(wavesmith_request* request, const char* name,
                                                     const char* value) WAVESMITH_NOEXCEPT;
/** Whether there is such a kernel: WAVESMITH_OK, or WAVESMITH_INVALID_REQUEST with every reason why not. A
 * pure query; no compiler is started. */
WAVESMITH_API wavesmith_status wavesmith_supports(const wavesmith_request* request) WAVESMITH_NOEXCEPT;
/** Null is allowed. */
WAVESMITH_API void wavesmith_request_destroy(wavesmith_request* request) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Jit: kernels by request, compiled at most once */
/** @{ */

typedef struct wavesmith_jit wavesmith_jit;
typedef struct wavesmith_kernel wavesmith_kernel;

/** "No limit", for the limits below. */
#define WAVESMITH_UNLIMITED UINT64_MAX

/** Zero in every member but the first is the default of each. */
typedef struct wavesmith_jit_options {
  size_t struct_size; /**< sizeof(wavesmith_jit_options) */
  const char*
      cache_directory; /**< null: $WAVESMITH_CACHE_DIR, $XDG_CACHE_HOME/wavesmith, ~/.cache/wavesmith */
  const char* const* shared_directories; /**< read-only caches, searched first */
  size_t shared_directory_count;
  const char* const* bundles; /**< bundle files, searched first */
  size_t bundle_count;
  uint64_t memory_bytes;         /**< most that code objects in memory take; default 256 MiB */
  uint64_t workers;              /**< most compiles at a time; default one per hardware thread */
  const char* worker_path;       /**< the worker program; null: found relative to the library */
  const char* comgr_library;     /**< of the comgr compiler; null: looked for */
  uint64_t compile_milliseconds; /**< most for one compile; default 120,000 */
  uint64_t compile_memory_bytes; /**< most for one worker; default 4 GiB */
  /** Told once about each thing that costs only speed, from any thread; must not call the library. Null: a
   * line on standard error. */
  void (*warn)(void* user, const char* message);
  void* warn_user;
  int32_t no_disk;  /**< 1: nothing is read from or written to the cache on disk */
  int32_t reserved; /**< 0 */
} wavesmith_jit_options;

/** `options` may be null. Nothing is started, read or written yet. */
WAVESMITH_API wavesmith_status wavesmith_jit_create(const wavesmith_jit_options* options,
                                                    wavesmith_jit** jit) WAVESMITH_NOEXCEPT;
/** Ends the workers, after what they have begun. Kernels stay. Null is allowed. */
WAVESMITH_API void wavesmith_jit_destroy(wavesmith_jit* jit) WAVESMITH_NOEXCEPT;

/** The kernel, compiled if it is nowhere yet. Concurrent calls for one kernel compile it once. */
WAVESMITH_API wavesmith_status wavesmith_jit_get(wavesmith_jit* jit, const wavesmith_request* request,
                                                 wavesmith_kernel** kernel) WAVESMITH_NOEXCEPT;
/** The same without waiting: WAVESMITH_NOT_READY, and no kernel, while it is being compiled in the
 * background, which the first call begins. A failure is the answer of one later call; the one after it starts
 * anew. */
WAVESMITH_API wavesmith_status wavesmith_jit_prepare(wavesmith_jit* jit, const wavesmith_request* request,
                                                     wavesmith_kernel** kernel) WAVESMITH_NOEXCEPT;
/** wavesmith_jit_get() for `count` requests, as many at a time as there are workers. `kernels` and `statuses`
 * are arrays of as many, or null. Returns the first status that is not WAVESMITH_OK, in the order of the
 * requests, with its error; every request is served all the same. */
WAVESMITH_API wavesmith_status wavesmith_jit_warm(wavesmith_jit* jit,
                                                  const wavesmith_request* const* requests, size_t count,
                                                  wavesmith_kernel** kernels,
                                                  wavesmith_status* statuses) WAVESMITH_NOEXCEPT;
/** SHA-256 of everything that decides the kernel, as 64 hexadecimal digits and a null byte. Nothing is
 * compiled; a worker is asked who it is. */
WAVESMITH_API wavesmith_status wavesmith_jit_key(wavesmith_jit* jit, const wavesmith_request* request,
                                                 char key[65]) WAVESMITH_NOEXCEPT;

/** Counts since the Jit was made; in a forked child, since the child's first call. */
typedef struct wavesmith_statistics {
  size_t struct_size; /**< sizeof(wavesmith_statistics) */
  uint64_t memory_hits;
  uint64_t shared_hits; /**< from shared directories and bundles */
  uint64_t disk_hits;
  uint64_t same_code_hits; /**< a new key, but its text had been compiled before */
  uint64_t compiles;       /**< that succeeded */
  uint64_t failures;
  uint64_t joined;  /**< calls that waited for another thread's work on the same key */
  uint64_t damaged; /**< entries on disk that were not what was written */
  uint64_t evictions;
  uint64_t memory_kernels; /**< now in memory */
  uint64_t memory_bytes;   /**< that they take */
  double emit_milliseconds;
  double compile_milliseconds;
} wavesmith_statistics;

WAVESMITH_API wavesmith_status wavesmith_jit_statistics(wavesmith_jit* jit,
                                                        wavesmith_statistics* statistics) WAVESMITH_NOEXCEPT;
/** The cache on disk; empty where there is none, and for null. Stays as long as the Jit. */
WAVESMITH_API const char* wavesmith_jit_cache_directory(const wavesmith_jit* jit) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Kernels
 * A kernel is immutable and outlives its Jit. */
/** @{ */

/** Pointers stay as long as the kernel. */
typedef struct wavesmith_kernel_info {
  size_t struct_size; /**< sizeof(wavesmith_kernel_info) */
  const void* hsaco;  /**< the code object, for hipModuleLoadData */
  size_t hsaco_bytes;
  const char* symbol; /**< of the kernel in it, for hipModuleGetFunction */
  const char* target;
  const char* flavour;        /**< dialect of the LLVM IR that was compiled */
  const char* compiler;       /**< identity of the compiler */
  const char* key;            /**< SHA-256 of the request */
  const char* ir_sha256;      /**< SHA-256 of the LLVM IR text */
  const char* code_object_id; /**< SHA-256 over IR, flavour, target, options and compiler */
  uint32_t argument_count;    /**< explicit ones */
  uint32_t kernarg_bytes;     /**< hidden arguments included */
  uint32_t vgpr;              /**< AGPRs included where they share the file */
  uint32_t agpr;
  uint32_t sgpr;
  uint32_t vgpr_spills;
  uint32_t sgpr_spills;
  uint32_t lds_bytes;      /**< of a workgroup */
  uint32_t scratch_bytes;  /**< of a work-item */
  uint32_t workgroup_size; /**< work-items */
} wavesmith_kernel_info;

WAVESMITH_API wavesmith_status wavesmith_kernel_get_info(const wavesmith_kernel* kernel,
                                                         wavesmith_kernel_info* info) WAVESMITH_NOEXCEPT;

typedef struct wavesmith_kernel_argument {
  size_t struct_size; /**< sizeof(wavesmith_kernel_argument) */
  const char* name;
  const char* kind; /**< the metadata's word: "global_buffer", "by_value" */
  uint32_t offset;  /**< bytes from the start of the argument block */
  uint32_t bytes;
} wavesmith_kernel_argument;

/** One explicit argument, in the order of the kernel's. */
WAVESMITH_API wavesmith_status wavesmith_kernel_get_argument(
    const wavesmith_kernel* kernel, size_t index, wavesmith_kernel_argument* argument) WAVESMITH_NOEXCEPT;
/** Null is allowed. */
WAVESMITH_API void wavesmith_kernel_destroy(wavesmith_kernel* kernel) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Launches of attention-dense: from shapes to a grid and an argument block */
/** @{ */

/** Distances in elements between neighbours along each axis; the head size is contiguous. */
typedef struct wavesmith_strides {
  int64_t batch; /**< 0 for packed sequences; the distance of pages for paged keys and values */
  int64_t token;
  int64_t head;
} wavesmith_strides;

enum {
  WAVESMITH_BSHD = 0, /**< [batch, token, head, head size] */
  WAVESMITH_BHSD = 1, /**< [batch, head, token, head size] */
  WAVESMITH_THD =
      2 /**< [token, head, head size]; seqlen is the tokens of a page, and 0 for packed sequences */
};
/** The strides of a contiguous tensor. */
WAVESMITH_API wavesmith_status wavesmith_contiguous_strides(int32_t layout, int64_t seqlen, int64_t heads,
                                                            int64_t head_size,
                                                            wavesmith_strides* strides) WAVESMITH_NOEXCEPT;

/** Bits of wavesmith_attention_shapes.given. A member that is not given must be 0. */
enum {
  WAVESMITH_GIVEN_SOFTMAX_SCALE = 1,  /**< else 1 / sqrt(head size) */
  WAVESMITH_GIVEN_LSE_STRIDES = 2,    /**< else contiguous; packed sequences need them */
  WAVESMITH_GIVEN_WINDOW_LEFT = 4,    /**< else no bound */
  WAVESMITH_GIVEN_WINDOW_RIGHT = 8,   /**< else no bound */
  WAVESMITH_GIVEN_NUM_PERSISTENT = 16 /**< else what fits the device */
};

/** The order in which a persistent kernel takes its work items (docs/attention_dense.md). */
enum {
  WAVESMITH_ORDER_AUTO = 0,
  WAVESMITH_ORDER_QB_MAJOR = 1,
  WAVESMITH_ORDER_HKV_MAJOR = 2,
  WAVESMITH_ORDER_GQA_PAIR = 3,
  WAVESMITH_ORDER_GQA_PAIR_2PHASE = 4,
  WAVESMITH_ORDER_CHIPLET = 5
};

typedef struct wavesmith_attention_shapes {
  size_t struct_size; /**< sizeof(wavesmith_attention_shapes) */
  uint64_t given;     /**< WAVESMITH_GIVEN_… */
  int64_t batch;
  int64_t seqlen_q;  /**< the longest one's, where lengths are in device memory */
  int64_t seqlen_kv; /**< the same of keys */
  wavesmith_strides q, k, v, o;
  int64_t lse_stride_batch, lse_stride_head; /**< of f32 [batch, head, query]; batch 0 for packed sequences */
  int64_t block_table_stride;                /**< pages that the table has room for in each batch element */
  int64_t window_left, window_right; /**< keys seen before and behind the diagonal, inclusive; -1: no bound */
  int64_t num_persistent;            /**< workgroups of a persistent kernel */
  float softmax_scale;
  int32_t persist_decode; /**< WAVESMITH_ORDER_… of a persistent kernel */
  int32_t interleave;     /**< 1: blocks of odd query heads in falling order, with WAVESMITH_ORDER_QB_MAJOR */
  int32_t reserved;       /**< 0 */
} wavesmith_attention_shapes;

/** Device addresses. Those that the kernel has no argument for must be 0. */
typedef struct wavesmith_attention_buffers {
  size_t struct_size; /**< sizeof(wavesmith_attention_buffers) */
  uint64_t q, k, v, o;
  uint64_t lse;                         /**< f32; with lse */
  uint64_t sinks;                       /**< f32, one for each query head; with sinks */
  uint64_t cu_seqlens_q, cu_seqlens_kv; /**< i32, batch + 1; with sequences varlen, keys that are not paged */
  uint64_t seqlens_q, seqlens_kv;       /**< i32, batch; with sequences ragged, keys also with kv paged */
  uint64_t block_table;                 /**< i32, [batch, block_table_stride]; with kv paged */
} wavesmith_attention_buffers;

/** Bytes that wavesmith_launch has for explicit arguments; a kernel with more is refused. */
#define WAVESMITH_ARGUMENT_BYTES 1024

/** A planned launch. A plain value: may be copied, kept and launched again. `arguments` is the explicit part
 * of the argument block, as HIP_LAUNCH_PARAM_BUFFER_POINTER takes it. */
typedef struct wavesmith_launch {
  size_t struct_size; /**< sizeof(wavesmith_launch) */
  uint32_t grid[3];   /**< workgroups */
  uint32_t block[3];  /**< work-items of a workgroup */
  uint32_t dynamic_lds_bytes;
  uint32_t arguments_bytes; /**< of `arguments` that count */
  int64_t work_items;       /**< blocks of rows of all heads and batches */
  uint64_t arguments[WAVESMITH_ARGUMENT_BYTES / 8];
} wavesmith_launch;

/** Checks everything that a launch must keep, and packs the arguments by the code object's own metadata. The
 * kernel must be one of attention-dense. */
WAVESMITH_API wavesmith_status wavesmith_plan_attention(const wavesmith_kernel* kernel,
                                                        const wavesmith_attention_shapes* shapes,
                                                        const wavesmith_attention_buffers* buffers,
                                                        wavesmith_launch* launch) WAVESMITH_NOEXCEPT;

/** Host copies of what the buffers of the same names hold; null and 0 where the kernel takes none. */
typedef struct wavesmith_sequence_data {
  size_t struct_size; /**< sizeof(wavesmith_sequence_data) */
  const int32_t* cu_seqlens_q;
  size_t cu_seqlens_q_count;
  const int32_t* cu_seqlens_kv;
  size_t cu_seqlens_kv_count;
  const int32_t* seqlens_q;
  size_t seqlens_q_count;
  const int32_t* seqlens_kv;
  size_t seqlens_kv_count;
  const int32_t* block_table;
  size_t block_table_count;
  int64_t num_pages; /**< of the cache */
} wavesmith_sequence_data;

/** Checks lengths and pages, which wavesmith_plan_attention() cannot see, against the shapes of the launch.
 */
WAVESMITH_API wavesmith_status
wavesmith_check_sequences(const wavesmith_kernel* kernel, const wavesmith_attention_shapes* shapes,
                          const wavesmith_sequence_data* data) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Launching through HIP
 * The library of HIP is opened at run time. A program that has HIP itself needs none of this: it loads the
 * code object and passes wavesmith_launch.arguments. Streams and events are HIP's own (hipStream_t,
 * hipEvent_t) and may be of HIP's or of these functions' making; a null stream is HIP's null stream. Only
 * what says so waits for the device. Work that failed there is WAVESMITH_CHECK_FAILED; every HIP error is
 * named in the message. */
/** @{ */

typedef struct wavesmith_launcher wavesmith_launcher;
typedef struct wavesmith_loaded_kernel wavesmith_loaded_kernel;

/** `library` is a path or name; null: libamdhip64 in $ROCM_PATH/lib and where the dynamic linker finds it.
 * WAVESMITH_ENVIRONMENT: no library, or no GPU. */
WAVESMITH_API wavesmith_status wavesmith_launcher_open(const char* library,
                                                       wavesmith_launcher** launcher) WAVESMITH_NOEXCEPT;
/** Null is allowed. Loaded kernels are destroyed before. */
WAVESMITH_API void wavesmith_launcher_close(wavesmith_launcher* launcher) WAVESMITH_NOEXCEPT;

/** The name stays as long as the launcher. */
typedef struct wavesmith_device_info {
  size_t struct_size; /**< sizeof(wavesmith_device_info) */
  const char* name;
  const char* target; /**< full target id, for wavesmith_request_set(): "gfx950:sramecc+:xnack-" */
  uint64_t memory_bytes;
  uint32_t compute_units;
  uint32_t lds_bytes; /**< most that one workgroup can have */
  uint32_t wave_size;
  uint32_t clock_khz;
} wavesmith_device_info;

WAVESMITH_API wavesmith_status wavesmith_launcher_device_count(const wavesmith_launcher* launcher,
                                                               int32_t* count) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_launcher_get_device(const wavesmith_launcher* launcher,
                                                             int32_t device,
                                                             wavesmith_device_info* info) WAVESMITH_NOEXCEPT;

/** Loads the kernel's code object on a device, once for each device and content. Not while a stream captures.
 */
WAVESMITH_API wavesmith_status wavesmith_launcher_load(wavesmith_launcher* launcher, int32_t device,
                                                       const wavesmith_kernel* kernel,
                                                       wavesmith_loaded_kernel** loaded) WAVESMITH_NOEXCEPT;
/** The code stays on the device until wavesmith_launcher_unload_unused(). Null is allowed. */
WAVESMITH_API void wavesmith_loaded_kernel_destroy(wavesmith_loaded_kernel* loaded) WAVESMITH_NOEXCEPT;
/** Unloads the code of which no loaded kernel is left; its launches must have finished. `modules`, how many
 * that were, may be null. */
WAVESMITH_API wavesmith_status wavesmith_launcher_unload_unused(wavesmith_launcher* launcher,
                                                                uint64_t* modules) WAVESMITH_NOEXCEPT;

/** Puts a planned launch of that kernel into a stream. Allocates, compiles and waits for nothing, so that it
 * can be captured. `launch` may be changed as soon as the call has returned. */
WAVESMITH_API wavesmith_status wavesmith_launcher_launch(const wavesmith_launcher* launcher,
                                                         const wavesmith_loaded_kernel* loaded,
                                                         const wavesmith_launch* launch,
                                                         void* stream) WAVESMITH_NOEXCEPT;

/** A stream that does not wait for the null stream. */
WAVESMITH_API wavesmith_status wavesmith_stream_create(const wavesmith_launcher* launcher, int32_t device,
                                                       void** stream) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_stream_destroy(const wavesmith_launcher* launcher,
                                                        void* stream) WAVESMITH_NOEXCEPT;
/** Waits until everything in the stream is done. */
WAVESMITH_API wavesmith_status wavesmith_stream_synchronize(const wavesmith_launcher* launcher,
                                                            void* stream) WAVESMITH_NOEXCEPT;
/** Later work of the stream waits for the event; the call does not. */
WAVESMITH_API wavesmith_status wavesmith_stream_wait(const wavesmith_launcher* launcher, void* stream,
                                                     void* event) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_event_create(const wavesmith_launcher* launcher, int32_t device,
                                                      void** event) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_event_destroy(const wavesmith_launcher* launcher,
                                                       void* event) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_event_record(const wavesmith_launcher* launcher, void* event,
                                                      void* stream) WAVESMITH_NOEXCEPT;
/** Waits until the event is reached. */
WAVESMITH_API wavesmith_status wavesmith_event_synchronize(const wavesmith_launcher* launcher,
                                                           void* event) WAVESMITH_NOEXCEPT;
/** Milliseconds between two events that have been reached; on the simulated driver, of its own clock. */
WAVESMITH_API wavesmith_status wavesmith_event_elapsed(const wavesmith_launcher* launcher, void* from,
                                                       void* to, float* milliseconds) WAVESMITH_NOEXCEPT;

WAVESMITH_API wavesmith_status wavesmith_memory_allocate(const wavesmith_launcher* launcher, int32_t device,
                                                         size_t bytes, uint64_t* address) WAVESMITH_NOEXCEPT;
/** As hipFree, this may wait for the device. */
WAVESMITH_API wavesmith_status wavesmith_memory_free(const wavesmith_launcher* launcher,
                                                     uint64_t address) WAVESMITH_NOEXCEPT;
/** Copies are queued in the stream: the host's memory must stay, unchanged, until they are done. */
WAVESMITH_API wavesmith_status wavesmith_memory_copy_to_device(const wavesmith_launcher* launcher,
                                                               uint64_t to, const void* from, size_t bytes,
                                                               void* stream) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_memory_copy_to_host(const wavesmith_launcher* launcher, void* to,
                                                             uint64_t from, size_t bytes,
                                                             void* stream) WAVESMITH_NOEXCEPT;
WAVESMITH_API wavesmith_status wavesmith_memory_fill(const wavesmith_launcher* launcher, uint64_t to,
                                                     uint8_t value, size_t bytes,
                                                     void* stream) WAVESMITH_NOEXCEPT;
/** @} */

/** \name Looking after a cache directory, while programs use it */
/** @{ */

typedef struct wavesmith_cache_report {
  size_t struct_size; /**< sizeof(wavesmith_cache_report) */
  uint64_t records;   /**< that are intact, and kept or moved */
  uint64_t bytes;     /**< that these take */
  uint64_t problems;  /**< records that are damaged */
  uint64_t removed;   /**< records that are not there any more */
} wavesmith_cache_report;

/** Checks every record; `repair` 1 removes what is damaged. WAVESMITH_CHECK_FAILED where something is, with
 * the report filled in all the same. */
WAVESMITH_API wavesmith_status wavesmith_cache_check(const char* directory, int32_t repair,
                                                     wavesmith_cache_report* report) WAVESMITH_NOEXCEPT;
/** Removes what is damaged, what was not used for `max_seconds`, and what was used longest ago until
 * `max_bytes` are left; WAVESMITH_UNLIMITED for no bound. `report` may be null. */
WAVESMITH_API wavesmith_status wavesmith_cache_prune(const char* directory, uint64_t max_bytes,
                                                     uint64_t max_seconds,
                                                     wavesmith_cache_report* report) WAVESMITH_NOEXCEPT;
/** Writes the intact records to one file, for wavesmith_jit_options.bundles or wavesmith_cache_import().
 * `report`, which may be null, counts what was written, and as problems what was left out. */
WAVESMITH_API wavesmith_status wavesmith_cache_export(const char* directory, const char* bundle,
                                                      wavesmith_cache_report* report) WAVESMITH_NOEXCEPT;
/** Stores a bundle's intact records; the report as above. WAVESMITH_CHECK_FAILED for a file that is no
 * bundle. */
WAVESMITH_API wavesmith_status wavesmith_cache_import(const char* bundle, const char* directory,
                                                      wavesmith_cache_report* report) WAVESMITH_NOEXCEPT;
/** @} */

#ifdef __cplusplus
}
#endif
#endif
