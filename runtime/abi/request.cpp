// Requests: built field by field or from JSON, and asked whether they can be served.
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wavesmith/jit.h"

#include "golden/strict_json.h"
#include "runtime/abi/boundary.h"
#include "runtime/abi/handles.h"
#include "runtime/jit/request_resolver.h"

namespace wavesmith::abi {
namespace {

std::unexpected<Problem> refused(std::string_view field, std::string value, std::string allowed) {
  return std::unexpected(
      Problem(Error::refused({{std::string(field), std::move(value), std::move(allowed)}})));
}

/// Names that are members of a JitRequest; every other one is a field of the spec.
Outcome set(JitRequest& request, std::string_view name, std::string value) {
  const std::pair<std::string_view, std::string*> texts[]{
      {"family", &request.family}, {"preset", &request.preset},   {"target", &request.target},
      {"symbol", &request.symbol}, {"flavour", &request.flavour}, {"compiler", &request.compiler}};
  for (const auto& [known, member] : texts)
    if (name == known) {
      *member = std::move(value);
      return {};
    }
  if (name == "line_table") {
    if (value != "true" && value != "false") return refused(name, value, "true, false");
    request.line_table = value == "true";
  } else if (name == "code_object_version") {
    const char* end = value.data() + value.size();
    if (const auto parsed = std::from_chars(value.data(), end, request.code_object_version);
        parsed.ec != std::errc() || parsed.ptr != end)
      return refused(name, value, "5, 6");
  } else {
    request.fields.insert_or_assign(std::string(name), std::move(value));
  }
  return {};
}

Outcome read_json(std::string_view text, JitRequest& request) {
  const auto parsed = golden::parse_strict_json(text);
  if (!parsed) return refused("text", "(JSON text)", "a JSON object: " + parsed.error());
  if (!parsed->is_object()) return refused("text", parsed->dump(-1, ' ', true), "a JSON object");
  std::vector<Refusal> refusals;
  for (const auto& [name, value] : parsed->items()) {
    if (!value.is_string() && !value.is_number_integer() && !value.is_boolean()) {
      refusals.push_back({name, value.dump(-1, ' ', true), "a string, a whole number, true or false"});
      continue;
    }
    std::string plain = value.is_string() ? value.get<std::string>() : value.dump();
    if (Outcome outcome = set(request, name, std::move(plain)); !outcome)
      for (Refusal& refusal : outcome.error().error.refusals) refusals.push_back(std::move(refusal));
  }
  if (!refusals.empty()) return std::unexpected(Problem(Error::refused(std::move(refusals))));
  return {};
}

wavesmith_request* handle_of(JitRequest request) {
  return new wavesmith_request{std::make_shared<const JitRequest>(std::move(request))};
}

}  // namespace
}  // namespace wavesmith::abi

using namespace wavesmith;
using namespace wavesmith::abi;

extern "C" {

wavesmith_status wavesmith_request_create(const char* family, wavesmith_request** request) noexcept {
  if (request != nullptr) *request = nullptr;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(family, "family"); !there) return there;
    if (Outcome there = not_null(request, "request"); !there) return there;
    JitRequest made;
    made.family = family;
    *request = handle_of(std::move(made));
    return {};
  });
}

wavesmith_status wavesmith_request_from_json(const char* text, wavesmith_request** request) noexcept {
  if (request != nullptr) *request = nullptr;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(text, "text"); !there) return there;
    if (Outcome there = not_null(request, "request"); !there) return there;
    JitRequest made;
    if (Outcome read = read_json(text, made); !read) return read;
    *request = handle_of(std::move(made));
    return {};
  });
}

wavesmith_status wavesmith_request_set(wavesmith_request* request, const char* name,
                                       const char* value) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(request, "request"); !there) return there;
    if (Outcome there = not_null(name, "name"); !there) return there;
    if (Outcome there = not_null(value, "value"); !there) return there;
    JitRequest changed = *request->request;
    if (Outcome done = set(changed, name, value); !done) return done;
    request->request = std::make_shared<const JitRequest>(std::move(changed));
    return {};
  });
}

wavesmith_status wavesmith_supports(const wavesmith_request* request) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(request, "request"); !there) return there;
    if (auto checked = runtime::RequestResolver::check(*request->request); !checked)
      return std::unexpected(Problem(std::move(checked).error()));
    return {};
  });
}

void wavesmith_request_destroy(wavesmith_request* request) noexcept {
  delete request;
}
}
