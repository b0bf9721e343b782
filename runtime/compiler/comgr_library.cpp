// Opening comgr and running its actions. Every object that comgr hands out is released on every way out.
#include "runtime/compiler/comgr_library.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include <dlfcn.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/compiler/build_id.h"

namespace wavesmith::runtime {
namespace {

using namespace comgr;

/// Resolves every function; the name of the first that is missing, or empty.
std::string resolve(void* library, Functions& functions) {
  std::string missing;
  const auto get = [&]<class F>(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  get("amd_comgr_get_version", functions.get_version);
  get("amd_comgr_get_isa_count", functions.get_isa_count);
  get("amd_comgr_get_isa_name", functions.get_isa_name);
  get("amd_comgr_create_data", functions.create_data);
  get("amd_comgr_release_data", functions.release_data);
  get("amd_comgr_set_data", functions.set_data);
  get("amd_comgr_set_data_name", functions.set_data_name);
  get("amd_comgr_get_data", functions.get_data);
  get("amd_comgr_create_data_set", functions.create_data_set);
  get("amd_comgr_destroy_data_set", functions.destroy_data_set);
  get("amd_comgr_data_set_add", functions.data_set_add);
  get("amd_comgr_create_action_info", functions.create_action_info);
  get("amd_comgr_destroy_action_info", functions.destroy_action_info);
  get("amd_comgr_action_info_set_isa_name", functions.action_info_set_isa_name);
  get("amd_comgr_action_info_set_language", functions.action_info_set_language);
  get("amd_comgr_action_info_set_option_list", functions.action_info_set_option_list);
  get("amd_comgr_action_info_set_logging", functions.action_info_set_logging);
  get("amd_comgr_do_action", functions.do_action);
  get("amd_comgr_action_data_count", functions.action_data_count);
  get("amd_comgr_action_data_get_data", functions.action_data_get_data);
  return missing;
}

/// Owns one object of comgr.
template <class T, Status (*Functions::*release)(T)>
class Owned {
 public:
  explicit Owned(const Functions& functions) : functions_(functions) {}
  ~Owned() {
    if (value.handle != 0) (functions_.*release)(value);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  T value;

 private:
  const Functions& functions_;
};
using OwnedData = Owned<Data, &Functions::release_data>;
using OwnedSet = Owned<DataSet, &Functions::destroy_data_set>;
using OwnedInfo = Owned<ActionInfo, &Functions::destroy_action_info>;

std::string_view describe(Status status) {
  switch (status) {
    case Status::success:
      return "success";
    case Status::error:
      return "an error";
    case Status::invalid_argument:
      return "invalid argument";
    case Status::out_of_resources:
      return "out of resources";
  }
  return "an unknown status";
}

/// comgr hands its inputs to the clang driver as files, which judges them by their names.
std::string_view file_name(DataKind kind) {
  switch (kind) {
    case DataKind::relocatable:
      return "kernel.o";
    case DataKind::source:
      return "version.cl";
    default:
      return "kernel.ll";
  }
}

/// The first object of a kind in a set; empty where there is none.
std::vector<char> first_of(const Functions& comgr, DataSet set, DataKind kind) {
  std::size_t count = 0, size = 0;
  OwnedData data(comgr);
  if (comgr.action_data_count(set, kind, &count) != Status::success || count == 0 ||
      comgr.action_data_get_data(set, kind, 0, &data.value) != Status::success ||
      comgr.get_data(data.value, &size, nullptr) != Status::success)
    return {};
  std::vector<char> bytes(size);
  if (comgr.get_data(data.value, &size, bytes.data()) != Status::success) return {};
  return bytes;
}

}  // namespace

Expected<std::unique_ptr<ComgrLibrary>> ComgrLibrary::open(const std::string& path) {
  // comgr 7 keeps results in the user's cache folder by default and would answer from there; and its log must
  // not go anywhere else.
  setenv("AMD_COMGR_CACHE", "0", 1);
  unsetenv("AMD_COMGR_REDIRECT_LOGS");
  std::vector<std::string> candidates{path};
  if (path.empty())
    candidates = {"libamd_comgr.so.3", "libamd_comgr.so.2", "/opt/rocm/lib/libamd_comgr.so.3",
                  "/opt/rocm/lib/libamd_comgr.so.2"};
  std::vector<std::string> reasons;
  std::unique_ptr<ComgrLibrary> library(new ComgrLibrary);
  for (const std::string& candidate : candidates) {
    library->library_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library->library_ != nullptr) break;
    reasons.emplace_back(dlerror());
  }
  if (library->library_ == nullptr)
    return path.empty()
               ? fail(ErrorKind::environment,
                      fmt::format("no comgr can be opened; looked for {}", fmt::join(candidates, ", ")),
                      fmt::format("{}\n", fmt::join(reasons, "\n")))
               : fail(ErrorKind::environment, "comgr cannot be opened: " + reasons.front());
  if (const std::string missing = resolve(library->library_, library->functions_); !missing.empty())
    return fail(ErrorKind::environment, fmt::format("this comgr has no function {}", missing));
  std::size_t major = 0, minor = 0;
  library->functions_.get_version(&major, &minor);
  if (major != 2 && major != 3)
    return fail(ErrorKind::environment,
                fmt::format("comgr's interface has version {}.{}; known are 2 and 3", major, minor));
  library->actions_ = major == 2 ? &actions_of_version_2 : &actions_of_version_3;
  return library;
}

std::string ComgrLibrary::interface_version() const {
  std::size_t major = 0, minor = 0;
  functions_.get_version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

Expected<ComgrLibrary::LlvmVersion> ComgrLibrary::llvm_version() const {
  // Looks in comgr and what comgr depends on, so never in the LLVM of this program.
  using GetVersion = void (*)(unsigned*, unsigned*, unsigned*);
  const auto get_version = reinterpret_cast<GetVersion>(dlsym(library_, "LLVMGetVersion"));
  if (get_version == nullptr) return preprocessor_version();
  LlvmVersion version;
  get_version(&version.major, &version.minor, &version.patch);
  return version;
}

Expected<ComgrLibrary::LlvmVersion> ComgrLibrary::preprocessor_version() const {
  const auto isas = isa_names();
  if (!isas) return std::unexpected(isas.error());
  const auto output = run({.action = actions_->preprocess,
                           .input_kind = DataKind::source,
                           .output_kind = DataKind::source,
                           .input = "__clang_major__ __clang_minor__ __clang_patchlevel__\n",
                           .isa = isas->front(),
                           .language = Language::opencl_1_2,
                           .options = {}});
  if (!output) return std::unexpected(output.error());
  // The last line; the ones before it are line markers.
  std::string_view text(output->bytes.data(), output->bytes.size());
  while (text.ends_with('\n') || text.ends_with('\0')) text.remove_suffix(1);
  if (const std::size_t at = text.rfind('\n'); at != std::string_view::npos) text.remove_prefix(at + 1);
  LlvmVersion version;
  for (unsigned* number : {&version.major, &version.minor, &version.patch}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc())
      return fail(ErrorKind::environment,
                  fmt::format("comgr's preprocessor gives \"{}\" for its version", text));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return version;
}

std::string ComgrLibrary::build() const {
  std::string text = build_id_of(reinterpret_cast<const void*>(functions_.get_version));
  const void* llvm = dlsym(library_, "LLVMGetVersion");
  if (llvm != nullptr)
    if (const std::string own = build_id_of(llvm); own != text) text += "+" + own;
  return text;
}

Expected<std::vector<std::string>> ComgrLibrary::isa_names() const {
  std::size_t count = 0;
  std::vector<std::string> names;
  if (functions_.get_isa_count(&count) == Status::success) {
    for (std::size_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      if (functions_.get_isa_name(i, &name) == Status::success && name != nullptr) names.emplace_back(name);
    }
  }
  if (names.empty()) return fail(ErrorKind::environment, "comgr lists no processors");
  return names;
}

Expected<ComgrLibrary::Output> ComgrLibrary::run(const Action& action) const {
  const Functions& comgr = functions_;
  const auto unusable = [](std::string_view what, Status status) {
    return fail(ErrorKind::compiler_failed, fmt::format("comgr cannot {}: {}", what, describe(status)));
  };
  OwnedData input(comgr);
  OwnedSet inputs(comgr), results(comgr);
  OwnedInfo info(comgr);
  const std::string name(file_name(action.input_kind));
  for (const Status status :
       {comgr.create_data(action.input_kind, &input.value), comgr.create_data_set(&inputs.value),
        comgr.create_data_set(&results.value), comgr.create_action_info(&info.value)})
    if (status != Status::success) return unusable("make its objects", status);
  const Status isa = comgr.action_info_set_isa_name(info.value, action.isa.c_str());
  if (isa != Status::success)
    return std::unexpected(Error::refused({{"target", action.isa, "a target that this comgr has"}}));
  std::vector<const char*> options = action.options;
  for (const Status status :
       {comgr.set_data(input.value, action.input.size(), action.input.data()),
        comgr.set_data_name(input.value, name.c_str()), comgr.data_set_add(inputs.value, input.value),
        comgr.action_info_set_language(info.value, action.language),
        comgr.action_info_set_option_list(info.value, options.data(), options.size()),
        comgr.action_info_set_logging(info.value, true)})
    if (status != Status::success) return unusable("take its input", status);

  const Status status = comgr.do_action(action.action, info.value, inputs.value, results.value);
  const std::vector<char> log_bytes = first_of(comgr, results.value, DataKind::log);
  Output output{.bytes = {}, .log = std::string(log_bytes.begin(), log_bytes.end())};
  std::erase(output.log, '\0');
  if (status == Status::success) output.bytes = first_of(comgr, results.value, action.output_kind);
  if (!output.bytes.empty()) return output;
  // The log's first complaint as the message, all of it as the log.
  std::string message(describe(status));
  for (const std::string_view sign : {"error: ", "LLVM ERROR: "})
    if (const std::size_t at = output.log.find(sign); at != std::string::npos) {
      message = output.log.substr(at, output.log.find('\n', at) - at);
      break;
    }
  return fail(ErrorKind::compiler_failed, fmt::format("comgr: {}", message), output.log);
}

}  // namespace wavesmith::runtime
