// The way through the levels. A key is worked on by one thread of a process (flights_) and a code object is
// compiled by one process (the lock of its id); records are written object first, so that what a request
// names is there.
#include "runtime/jit/kernel_store.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "generator/identity.h"
#include "runtime/jit/bundle.h"

namespace wavesmith::runtime {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

using Values = std::map<std::string, std::string, std::less<>>;

/// What the records of a code object and of every request for it say of it.
Values object_values(const Recipe& recipe, std::string_view ir_sha256) {
  return {{"ir_sha256", std::string(ir_sha256)},
          {"target", recipe.target},
          {"flavour", recipe.flavour},
          {"options", recipe.options},
          {"compiler", recipe.compiler}};
}

Values request_values(const Recipe& recipe, std::string_view ir_sha256, std::string_view code_object_id) {
  Values values = object_values(recipe, ir_sha256);
  values.emplace("code_object_id", code_object_id);
  values.emplace("symbol", recipe.symbol);
  values.emplace("spec", recipe.spec);
  values.emplace("emitter", generator::emitter_identity());
  return values;
}

Record object_record(const Recipe& recipe, std::string_view ir_sha256, std::string_view code_object_id,
                     const std::vector<std::byte>& hsaco) {
  return {.kind = RecordKind::object,
          .name = std::string(code_object_id),
          .values = object_values(recipe, ir_sha256),
          .payload = hsaco};
}

Record request_record(const Recipe& recipe, std::string_view ir_sha256, std::string_view code_object_id) {
  return {.kind = RecordKind::request,
          .name = recipe.key,
          .values = request_values(recipe, ir_sha256, code_object_id),
          .payload = {}};
}

}  // namespace

KernelStore::KernelStore(KernelStoreOptions options, Compile compile, Describe describe, Warnings& warnings)
    : options_(std::move(options)),
      compile_(std::move(compile)),
      describe_(std::move(describe)),
      memory_(options_.memory_bytes) {
  for (const std::string& directory : options_.shared_directories)
    shared_.push_back(std::make_unique<DiskCache>(directory, DiskCache::Access::read_only, warnings));
  for (const std::string& path : options_.bundles) {
    auto bundle = Bundle::open(path, warnings);
    if (bundle)
      shared_.push_back(*std::move(bundle));
    else
      warnings.once(path, bundle.error().message + "; it is not used");
  }
  if (!options_.directory.empty())
    disk_ = std::make_unique<DiskCache>(options_.directory, DiskCache::Access::read_write, warnings);
}

void KernelStore::count(std::uint64_t JitStatistics::* counter) {
  const std::lock_guard lock(mutex_);
  ++(statistics_.*counter);
}

JitKernelPointer KernelStore::find_in_memory(std::string_view key) {
  const std::lock_guard lock(mutex_);
  JitKernelPointer kernel = memory_.find(key);
  if (kernel) ++statistics_.memory_hits;
  return kernel;
}

bool KernelStore::is_in_memory(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  return memory_.contains(key);
}

Expected<JitKernelPointer> KernelStore::get(const Recipe& recipe) {
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock lock(mutex_);
    if (JitKernelPointer kernel = memory_.find(recipe.key)) {
      ++statistics_.memory_hits;
      return kernel;
    }
    if (const auto running = flights_.find(recipe.key); running != flights_.end()) {
      ++statistics_.joined;
      flight = running->second;
      flight->done.wait(lock, [&] { return flight->result.has_value(); });
      return *flight->result;
    }
    flight = flights_.emplace(recipe.key, std::make_shared<Flight>()).first->second;
  }
  // Whatever happens, those who wait get an answer and the key is free again.
  Expected<JitKernelPointer> result = fail(ErrorKind::environment, "");
  try {
    result = fetch(recipe);
  } catch (const std::exception& error) {
    result = fail(ErrorKind::environment,
                  fmt::format("the kernel {} cannot be made: {}", recipe.symbol, error.what()));
  }
  {
    const std::lock_guard lock(mutex_);
    if (result) memory_.insert(*result);
    flight->result = result;
    flights_.erase(recipe.key);
  }
  flight->done.notify_all();
  return result;
}

Expected<JitKernelPointer> KernelStore::fetch(const Recipe& recipe) {
  for (const auto& source : shared_)
    if (JitKernelPointer kernel = load(*source, recipe)) {
      count(&JitStatistics::shared_hits);
      return kernel;
    }
  if (disk_)
    if (JitKernelPointer kernel = load(*disk_, recipe)) {
      count(&JitStatistics::disk_hits);
      return kernel;
    }
  Expected<JitKernelPointer> made = make(recipe);
  if (!made) count(&JitStatistics::failures);
  return made;
}

JitKernelPointer KernelStore::identified(JitKernel kernel, const Recipe& recipe, const Identity& identity) {
  kernel.symbol = recipe.symbol;
  kernel.target = recipe.target;
  kernel.flavour = recipe.flavour;
  kernel.compiler = recipe.compiler;
  kernel.key = recipe.key;
  kernel.ir_sha256 = identity.ir_sha256;
  kernel.code_object_id = identity.code_object_id;
  return std::make_shared<const JitKernel>(std::move(kernel));
}

/// Null when the source does not have it, or has something else under its key.
JitKernelPointer KernelStore::load(RecordSource& source, const Recipe& recipe) const {
  const std::optional<Record> request = source.find(RecordKind::request, recipe.key);
  if (!request) return nullptr;
  const Identity identity{std::string(request->value("ir_sha256")),
                          std::string(request->value("code_object_id"))};
  if (!is_record_name(identity.code_object_id) ||
      request->values != request_values(recipe, identity.ir_sha256, identity.code_object_id))
    return nullptr;
  return load_object(source, recipe, identity);
}

JitKernelPointer KernelStore::load_object(RecordSource& source, const Recipe& recipe,
                                          const Identity& identity) const {
  std::optional<Record> object = source.find(RecordKind::object, identity.code_object_id);
  if (!object || object->values != object_values(recipe, identity.ir_sha256)) return nullptr;
  Expected<JitKernel> kernel = describe_(std::move(object->payload), recipe.symbol);
  if (!kernel) return nullptr;
  return identified(*std::move(kernel), recipe, identity);
}

/// From here on the text is needed.
Expected<JitKernelPointer> KernelStore::make(const Recipe& recipe) {
  const auto started = std::chrono::steady_clock::now();
  const Expected<std::string> ir = recipe.emit();
  if (!ir) return std::unexpected(ir.error());
  Identity identity{.ir_sha256 = generator::sha256_hex(*ir), .code_object_id = {}};
  identity.code_object_id = generator::sha256_hex(
      fmt::format("ir={}\nflavour={}\ntarget={}\noptions={}\ncompiler={}", identity.ir_sha256, recipe.flavour,
                  recipe.target, recipe.options, recipe.compiler));
  {
    const std::lock_guard lock(mutex_);
    statistics_.emit_milliseconds += milliseconds_since(started);
  }
  const auto find_object = [&](RecordSource& source) {
    JitKernelPointer kernel = load_object(source, recipe, identity);
    if (kernel) count(&JitStatistics::same_code_hits);
    return kernel;
  };
  for (const auto& source : shared_)
    if (JitKernelPointer kernel = find_object(*source)) {
      keep(recipe, identity, kernel->hsaco);
      return kernel;
    }
  if (!disk_) return compile(recipe, *ir, identity);
  if (JitKernelPointer kernel = find_object(*disk_)) {
    remember(recipe, identity);
    return kernel;
  }
  // Whoever is first compiles; where there are no locks, or its holder does not get on, so does everybody.
  const auto lock = disk_->lock(identity.code_object_id, options_.lock_patience);
  if (JitKernelPointer kernel = load(*disk_, recipe)) {
    count(&JitStatistics::disk_hits);
    return kernel;
  }
  if (JitKernelPointer kernel = find_object(*disk_)) {
    remember(recipe, identity);
    return kernel;
  }
  return compile(recipe, *ir, identity);
}

Expected<JitKernelPointer> KernelStore::compile(const Recipe& recipe, const std::string& ir,
                                                const Identity& identity) {
  const auto started = std::chrono::steady_clock::now();
  // Syncing a file takes as long as a tenth of a small compile; this one's content is known already.
  std::optional<DiskCache::Draft> request;
  if (disk_) request.emplace(*disk_, request_record(recipe, identity.ir_sha256, identity.code_object_id));
  Expected<Made> made = compile_(recipe, ir);
  if (!made) return std::unexpected(std::move(made).error());
  if (made->compiler != recipe.compiler) {
    ++compiler_changes_;
    return fail(ErrorKind::compiler_failed,
                fmt::format("the compiler was {} when the kernel {} was asked for, and is {}",
                            recipe.compiler, recipe.symbol, made->compiler));
  }
  Expected<JitKernel> kernel = describe_(std::move(made->hsaco), recipe.symbol);
  if (!kernel) {
    Error error = std::move(kernel).error();
    error.kind = ErrorKind::compiler_failed;
    return std::unexpected(std::move(error));
  }
  {
    const std::lock_guard lock(mutex_);
    ++statistics_.compiles;
    statistics_.compile_milliseconds += milliseconds_since(started);
  }
  if (disk_ &&
      disk_->store(object_record(recipe, identity.ir_sha256, identity.code_object_id, kernel->hsaco)))
    request->publish();
  return identified(*std::move(kernel), recipe, identity);
}

/// Writes the code object, and that the request stands for it.
void KernelStore::keep(const Recipe& recipe, const Identity& identity, const std::vector<std::byte>& hsaco) {
  if (disk_ && disk_->store(object_record(recipe, identity.ir_sha256, identity.code_object_id, hsaco)))
    remember(recipe, identity);
}

/// Writes which code object the request stands for; that is in the folder already.
void KernelStore::remember(const Recipe& recipe, const Identity& identity) {
  disk_->store(request_record(recipe, identity.ir_sha256, identity.code_object_id));
}

JitStatistics KernelStore::statistics() const {
  const std::lock_guard lock(mutex_);
  JitStatistics statistics = statistics_;
  statistics.damaged = disk_ ? disk_->damaged() : 0;
  statistics.evictions = memory_.evictions();
  statistics.memory_kernels = memory_.kernels();
  statistics.memory_bytes = memory_.bytes();
  return statistics;
}

}  // namespace wavesmith::runtime
