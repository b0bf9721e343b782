// Checking and resolving requests.
#include "runtime/jit/request_resolver.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lowering/flavour.h"

namespace wavesmith::runtime {
namespace {

using generator::Family;

/// Far more than a server has kernels; bounds what a caller who never asks twice can fill.
constexpr std::size_t kMostRecipes = 8192;

/// A request whose fields are all right.
struct Resolved {
  std::shared_ptr<const generator::ResolvedKernel> kernel;
  lowering::LowerOptions options;
  Backend backend = Backend::automatic;
};

void add(const Error& error, std::vector<Refusal>& refusals) {
  refusals.insert(refusals.end(), error.refusals.begin(), error.refusals.end());
}

std::string family_names() {
  std::vector<std::string_view> names;
  for (const Family* family : generator::families()) names.push_back(family->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

Expected<Resolved> resolve_kernel(const JitRequest& request) {
  Resolved resolved;
  std::vector<Refusal> refusals;
  const Family* family = generator::find_family(request.family);
  if (family == nullptr) refusals.push_back({"family", request.family, family_names()});
  if (request.flavour != "auto" && lowering::find_flavour(request.flavour) == nullptr)
    refusals.push_back({"flavour", request.flavour, "auto, " + lowering::flavour_names()});
  if (request.code_object_version != 5 && request.code_object_version != 6)
    refusals.push_back({"code_object_version", std::to_string(request.code_object_version), "5, 6"});
  resolved.options = {.code_object_version = request.code_object_version, .line_table = request.line_table};
  const std::array backends{Backend::automatic, Backend::comgr, Backend::llvm};
  const auto backend = std::ranges::find(backends, request.compiler, [](Backend b) { return name_of(b); });
  if (backend == backends.end())
    refusals.push_back({"compiler", request.compiler, "auto, comgr, llvm"});
  else
    resolved.backend = *backend;
  if (!request.symbol.empty())
    if (const auto checked = generator::check_symbol(request.symbol); !checked)
      add(checked.error(), refusals);
  if (family == nullptr) return std::unexpected(Error::refused(std::move(refusals)));

  const auto target =
      lowering::parse_target_id(request.target.empty() ? family->targets().front() : request.target);
  if (!target) add(target.error(), refusals);
  auto kernel = family->resolve(request.fields, request.preset,
                                target.value_or(lowering::TargetId{.processor = family->targets().front()}));
  if (!kernel) add(kernel.error(), refusals);
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  if (!kernel) return std::unexpected(std::move(kernel).error());
  if (!request.symbol.empty()) {
    kernel = (*kernel)->with_symbol(request.symbol);
    if (!kernel) return std::unexpected(std::move(kernel).error());
  }
  resolved.kernel = *std::move(kernel);
  return resolved;
}

}  // namespace

void write_request_text(const JitRequest& request, std::string& text) {
  const auto put = [&text](std::string_view part) {
    // The length first: no part can be mistaken for another.
    const auto size = static_cast<std::uint32_t>(part.size());
    text.append(reinterpret_cast<const char*>(&size), sizeof size);
    text += part;
  };
  text.clear();
  for (const std::string* part : {&request.family, &request.preset, &request.target, &request.symbol,
                                  &request.flavour, &request.compiler})
    put(*part);
  text.append(reinterpret_cast<const char*>(&request.code_object_version),
              sizeof request.code_object_version);
  text += request.line_table ? '\1' : '\0';
  for (const auto& [name, value] : request.fields) {
    put(name);
    put(value);
  }
}

RequestResolver::RequestResolver(Choose choose, Key key) : choose_(std::move(choose)), key_(std::move(key)) {}

std::shared_ptr<const Recipe> RequestResolver::find(const std::string& text) {
  const std::lock_guard lock(recipes_mutex_);
  const auto known = recipes_.find(text);
  return known == recipes_.end() ? nullptr : known->second;
}

Expected<void> RequestResolver::check(const JitRequest& request) {
  const auto resolved = resolve_kernel(request);
  if (!resolved) return std::unexpected(resolved.error());
  return {};
}

Expected<std::shared_ptr<const Recipe>> RequestResolver::resolve(const JitRequest& request) {
  thread_local std::string text;
  write_request_text(request, text);
  if (auto known = find(text)) return known;
  Expected<Resolved> resolved = resolve_kernel(request);
  if (!resolved) return std::unexpected(std::move(resolved).error());
  const std::string target = to_string(resolved->kernel->target());
  const Expected<CompilerChoice> choice = chosen(resolved->backend, request.flavour, target);
  if (!choice) return std::unexpected(choice.error());

  auto recipe = std::make_shared<Recipe>();
  recipe->symbol = resolved->kernel->symbol();
  recipe->spec = request.family + "\n";
  for (const auto& [name, value] : resolved->kernel->spec())
    recipe->spec += fmt::format("{}={}\n", name, value);
  recipe->target = target;
  recipe->flavour = choice->flavour->name;
  recipe->code_object_version = resolved->options.code_object_version;
  const CompileRequest defaults;
  recipe->options = fmt::format("code_object_version={} line_table={} backend={} optimization_level={}",
                                recipe->code_object_version, resolved->options.line_table,
                                name_of(choice->backend), defaults.optimization_level);
  recipe->compiler = choice->compiler.identity;
  recipe->backend = choice->backend;
  recipe->key = key_(*resolved->kernel, recipe->flavour, recipe->options, recipe->compiler);
  recipe->emit = [kernel = resolved->kernel, flavour = choice->flavour, options = resolved->options] {
    return kernel->emit(*flavour, options);
  };
  const std::lock_guard lock(recipes_mutex_);
  if (recipes_.size() >= kMostRecipes) recipes_.clear();
  recipes_.insert_or_assign(text, recipe);
  return recipe;
}

Expected<CompilerChoice> RequestResolver::chosen(Backend backend, const std::string& flavour,
                                                 const std::string& target) {
  const std::lock_guard lock(choices_mutex_);
  const Chosen which{backend, flavour, target};
  if (const auto known = choices_.find(which); known != choices_.end()) return known->second;
  Expected<CompilerChoice> choice = choose_(backend, flavour, target);
  if (choice) choices_.emplace(which, *choice);
  return choice;
}

void RequestResolver::forget() {
  const std::scoped_lock lock(recipes_mutex_, choices_mutex_);
  recipes_.clear();
  choices_.clear();
}

}  // namespace wavesmith::runtime
