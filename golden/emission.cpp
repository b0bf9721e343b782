// From golden cases to the entries of a golden file.
#include "golden/emission.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/families.h"
#include "generator/identity.h"
#include "lowering/target.h"

namespace wavesmith::golden {
namespace {

Expected<std::unique_ptr<generator::ResolvedKernel>> resolve(const Case& golden_case) {
  const generator::Family* family = generator::find_family(golden_case.family);
  if (family == nullptr)
    return fail(ErrorKind::check_failed, fmt::format("there is no family {}", golden_case.family));
  const Expected<lowering::TargetId> target = lowering::parse_target_id(golden_case.target);
  if (!target) return std::unexpected(target.error());
  return family->resolve(golden_case.fields, golden_case.preset, *target);
}

}  // namespace

const Case* find_case(std::string_view id) {
  const auto found = std::ranges::find(cases(), id, &Case::id);
  return found == cases().end() ? nullptr : &*found;
}

Expected<Emission> emit(const Case& golden_case, const lowering::Flavour& flavour) {
  const auto failed = [&](const Error& error) {
    return fail(ErrorKind::check_failed,
                fmt::format("{} does not emit for {}: {}", golden_case.id(), flavour.name, error.message),
                error.log);
  };
  const auto kernel = resolve(golden_case);
  if (!kernel) return failed(kernel.error());
  Expected<std::string> text = (*kernel)->emit(flavour, {});
  if (!text) return failed(text.error());
  Entry entry{.symbol = (*kernel)->symbol(), .sha256 = generator::sha256_hex(*text), .bytes = text->size()};
  return Emission{.entry = std::move(entry), .text = std::move(*text), .spec = (*kernel)->spec()};
}

Expected<Goldens> emit_all() {
  Goldens goldens;
  std::vector<std::string> problems;
  for (const lowering::Flavour& flavour : lowering::all_flavours()) {
    Entries& entries = goldens[std::string(flavour.name)];
    for (const Case& golden_case : cases()) {
      Expected<Emission> emission = emit(golden_case, flavour);
      if (emission)
        entries.emplace(golden_case.id(), std::move(emission->entry));
      else
        problems.push_back(emission.error().message);
    }
  }
  if (!problems.empty()) return fail(ErrorKind::check_failed, fmt::format("{}", fmt::join(problems, "\n")));
  return goldens;
}

}  // namespace wavesmith::golden
