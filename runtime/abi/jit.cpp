// The Jit behind its handle.
#include "wavesmith/jit.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/abi/boundary.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/structs.h"

namespace wavesmith::abi {
namespace {

Outcome read_list(const char* const* list, std::size_t count, std::string_view field,
                  std::vector<std::string>& own) {
  if (count == 0) return {};
  if (Outcome there = not_null(list, field); !there) return there;
  for (std::size_t i = 0; i < count; ++i) {
    if (Outcome there = not_null(list[i], std::string(field) + "[" + std::to_string(i) + "]"); !there)
      return there;
    own.emplace_back(list[i]);
  }
  return {};
}

/// 0 is the default; none where the caller says so.
void read_limit(std::uint64_t given, auto& own, std::uint64_t most) {
  using Own = std::remove_cvref_t<decltype(own)>;
  if (given == WAVESMITH_UNLIMITED)
    own = Own(0);
  else if (given != 0)
    own = Own(std::min(given, most));
}

Outcome read_options(const wavesmith_jit_options& given, JitOptions& own) {
  if (Outcome flag = check_flag(given.no_disk, "options.no_disk"); !flag) return flag;
  if (Outcome reserved = check_reserved(given.reserved, "options.reserved"); !reserved) return reserved;
  const auto text = [](const char* pointer) { return std::string(pointer == nullptr ? "" : pointer); };
  own.cache_directory = text(given.cache_directory);
  own.worker_path = text(given.worker_path);
  own.comgr_library = text(given.comgr_library);
  own.use_disk = given.no_disk == 0;
  if (Outcome read = read_list(given.shared_directories, given.shared_directory_count,
                               "options.shared_directories", own.shared_directories);
      !read)
    return read;
  if (Outcome read = read_list(given.bundles, given.bundle_count, "options.bundles", own.bundles); !read)
    return read;
  if (given.memory_bytes != 0) own.memory_bytes = given.memory_bytes;
  constexpr std::uint64_t most_workers = 1024;
  if (given.workers > most_workers)
    return bad_argument("options.workers", std::to_string(given.workers),
                        "at most " + std::to_string(most_workers) + "; 0 for one per hardware thread");
  own.workers = given.workers;
  // A year: deadlines are added to the time of now.
  constexpr std::uint64_t most_milliseconds = 365ULL * 24 * 3600 * 1000;
  read_limit(given.compile_milliseconds, own.compile_time_limit, most_milliseconds);
  read_limit(given.compile_memory_bytes, own.compile_memory_bytes, std::numeric_limits<std::int64_t>::max());
  if (given.warn != nullptr)
    own.warn = [warn = given.warn, user = given.warn_user](std::string_view message) {
      warn(user, std::string(message).c_str());
    };
  return {};
}

std::unexpected<Problem> not_ready() {
  return std::unexpected(Problem(
      WAVESMITH_NOT_READY,
      Error{ErrorKind::environment, "the kernel is not ready: it is being made in the background", {}, {}}));
}

/// get() and prepare().
template <class Ask>
wavesmith_status answer(wavesmith_jit* jit, const wavesmith_request* request, wavesmith_kernel** kernel,
                        const Ask& ask) noexcept {
  if (kernel != nullptr) *kernel = nullptr;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(jit, "jit"); !there) return there;
    if (Outcome there = not_null(request, "request"); !there) return there;
    if (Outcome there = not_null(kernel, "kernel"); !there) return there;
    Expected<JitKernelPointer> made = ask(jit->jit, *request->request);
    if (!made) return std::unexpected(Problem(std::move(made).error()));
    if (*made == nullptr) return not_ready();
    *kernel = new wavesmith_kernel(*std::move(made), request->request);
    return {};
  });
}

/// warm(), once its arguments are there. Kernels that were made are the caller's only if all handles could
/// be.
Outcome warm(Jit& jit, const wavesmith_request* const* requests, std::size_t count,
             wavesmith_kernel** kernels, wavesmith_status* statuses) {
  std::vector<JitRequest> own;
  own.reserve(count);
  for (std::size_t i = 0; i < count; ++i) own.push_back(*requests[i]->request);
  std::vector<Expected<JitKernelPointer>> made = jit.warm(own);
  if (kernels != nullptr) {
    std::vector<std::unique_ptr<wavesmith_kernel>> handles(count);
    for (std::size_t i = 0; i < count; ++i)
      if (made[i]) handles[i] = std::make_unique<wavesmith_kernel>(*made[i], requests[i]->request);
    for (std::size_t i = 0; i < count; ++i) kernels[i] = handles[i].release();
  }
  if (statuses != nullptr)
    std::ranges::transform(made, statuses, [](const auto& one) {
      return one ? WAVESMITH_OK : static_cast<wavesmith_status>(one.error().kind);
    });
  const auto failed = std::ranges::find_if(made, [](const auto& one) { return !one; });
  if (failed != made.end()) return std::unexpected(Problem(std::move(*failed).error()));
  return {};
}

}  // namespace
}  // namespace wavesmith::abi

using namespace wavesmith;
using namespace wavesmith::abi;

extern "C" {

wavesmith_status wavesmith_jit_create(const wavesmith_jit_options* options, wavesmith_jit** jit) noexcept {
  if (jit != nullptr) *jit = nullptr;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(jit, "jit"); !there) return there;
    JitOptions own;
    if (options != nullptr) {
      wavesmith_jit_options known{};
      if (Outcome read = read_struct(options, known, "options"); !read) return read;
      if (Outcome read = read_options(known, own); !read) return read;
    }
    *jit = new wavesmith_jit(std::move(own));
    return {};
  });
}

void wavesmith_jit_destroy(wavesmith_jit* jit) noexcept {
  delete jit;
}

wavesmith_status wavesmith_jit_get(wavesmith_jit* jit, const wavesmith_request* request,
                                   wavesmith_kernel** kernel) noexcept {
  return answer(jit, request, kernel, [](Jit& one, const JitRequest& asked) { return one.get(asked); });
}

wavesmith_status wavesmith_jit_prepare(wavesmith_jit* jit, const wavesmith_request* request,
                                       wavesmith_kernel** kernel) noexcept {
  return answer(jit, request, kernel, [](Jit& one, const JitRequest& asked) { return one.prepare(asked); });
}

wavesmith_status wavesmith_jit_warm(wavesmith_jit* jit, const wavesmith_request* const* requests,
                                    size_t count, wavesmith_kernel** kernels,
                                    wavesmith_status* statuses) noexcept {
  if (kernels != nullptr) std::fill_n(kernels, count, nullptr);
  if (statuses != nullptr) std::fill_n(statuses, count, WAVESMITH_INVALID_ARGUMENT);
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(jit, "jit"); !there) return there;
    if (count == 0) return {};
    if (Outcome there = not_null(requests, "requests"); !there) return there;
    for (std::size_t i = 0; i < count; ++i)
      if (Outcome there = not_null(requests[i], "requests[" + std::to_string(i) + "]"); !there) return there;
    return warm(jit->jit, requests, count, kernels, statuses);
  });
}

wavesmith_status wavesmith_jit_key(wavesmith_jit* jit, const wavesmith_request* request,
                                   char key[65]) noexcept {
  if (key != nullptr) key[0] = '\0';
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(jit, "jit"); !there) return there;
    if (Outcome there = not_null(request, "request"); !there) return there;
    if (Outcome there = not_null(key, "key"); !there) return there;
    Expected<std::string> made = jit->jit.key(*request->request);
    if (!made) return std::unexpected(Problem(std::move(made).error()));
    std::memcpy(key, made->c_str(), std::min<std::size_t>(made->size() + 1, 65));
    return {};
  });
}

wavesmith_status wavesmith_jit_statistics(wavesmith_jit* jit, wavesmith_statistics* statistics) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(jit, "jit"); !there) return there;
    if (Outcome checked = check_struct(statistics, "statistics"); !checked) return checked;
    const JitStatistics now = jit->jit.statistics();
    write_struct(wavesmith_statistics{.struct_size = 0,
                                      .memory_hits = now.memory_hits,
                                      .shared_hits = now.shared_hits,
                                      .disk_hits = now.disk_hits,
                                      .same_code_hits = now.same_code_hits,
                                      .compiles = now.compiles,
                                      .failures = now.failures,
                                      .joined = now.joined,
                                      .damaged = now.damaged,
                                      .evictions = now.evictions,
                                      .memory_kernels = now.memory_kernels,
                                      .memory_bytes = now.memory_bytes,
                                      .emit_milliseconds = now.emit_milliseconds,
                                      .compile_milliseconds = now.compile_milliseconds},
                 statistics);
    return {};
  });
}

const char* wavesmith_jit_cache_directory(const wavesmith_jit* jit) noexcept {
  return jit == nullptr ? "" : jit->jit.cache_directory().c_str();
}
}
