// The rules for compile requests. Entry: check_request().
#include "runtime/compiler_interface.h"

#include <algorithm>
#include <array>

namespace wavesmith::runtime {
namespace {

constexpr std::array kBackendNames = {std::string_view("auto"), std::string_view("comgr"),
                                      std::string_view("llvm")};

/// Far above any kernel; keeps a mistaken request from travelling to the worker at all.
constexpr std::size_t kMaxIrBytes = std::size_t{256} << 20;

}  // namespace

std::string_view name_of(Backend backend) {
  return kBackendNames[std::size_t(backend)];
}

bool CompilerInfo::supports(const TargetId& target) const {
  return std::ranges::find(processors, target.processor->name) != processors.end();
}

Expected<TargetId> check_request(const CompileRequest& request) {
  std::vector<Refusal> refusals;
  if (request.ir.empty()) refusals.push_back({"ir", "(empty)", "LLVM IR text"});
  if (request.ir.size() > kMaxIrBytes) {
    refusals.push_back({"ir", std::to_string(request.ir.size()) + " bytes", "at most 256 MiB"});
  }
  if (request.code_object_version != 5 && request.code_object_version != 6) {
    refusals.push_back({"code_object_version", std::to_string(request.code_object_version), "5 or 6"});
  }
  if (request.optimization_level > 3) {
    refusals.push_back({"optimization_level", std::to_string(request.optimization_level), "0 to 3"});
  }
  if (std::size_t(request.backend) >= kBackendNames.size()) {
    refusals.push_back({"compiler", std::to_string(unsigned(request.backend)), "auto, comgr or llvm"});
  }
  auto target = parse_target_id(request.target);
  if (!target) {
    refusals.insert(refusals.end(), target.error().refusals.begin(), target.error().refusals.end());
  } else if (target->processor->generic && request.code_object_version < 6) {
    refusals.push_back({"code_object_version", std::to_string(request.code_object_version),
                        "6: generic targets do not exist before it"});
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return target;
}

}  // namespace wavesmith::runtime
