// The calling thread's last error, and the functions that read it.
#include "runtime/abi/boundary.h"

#include "runtime/abi/structs.h"

namespace wavesmith::abi {
namespace {

struct LastError {
  Error error;
  const char* literal = nullptr;  ///< in the place of `error`, where no memory was left for that
};

LastError& last_error() noexcept {
  thread_local LastError error;
  return error;
}

}  // namespace

std::unexpected<Problem> bad_argument(std::string_view field, std::string value, std::string allowed) {
  return std::unexpected(
      Problem(WAVESMITH_INVALID_ARGUMENT,
              Error::refused({{std::string(field), std::move(value), std::move(allowed)}})));
}

Outcome not_null(const void* pointer, std::string_view field) {
  if (pointer == nullptr) return bad_argument(field, "null", "a pointer that is not null");
  return {};
}

void clear_error() noexcept {
  LastError& last = last_error();
  last.literal = nullptr;
  last.error.message.clear();
  last.error.log.clear();
  last.error.refusals.clear();
}

wavesmith_status keep_error(wavesmith_status status, Error error) noexcept {
  LastError& last = last_error();
  last.literal = nullptr;
  last.error = std::move(error);
  return status;
}

wavesmith_status keep_error(wavesmith_status status, const char* message) noexcept {
  clear_error();
  last_error().literal = message;
  return status;
}

}  // namespace wavesmith::abi

using namespace wavesmith::abi;

extern "C" {

const char* wavesmith_last_error(void) noexcept {
  const LastError& last = last_error();
  return last.literal != nullptr ? last.literal : last.error.message.c_str();
}

const char* wavesmith_last_error_log(void) noexcept {
  return last_error().error.log.c_str();
}

size_t wavesmith_refusal_count(void) noexcept {
  return last_error().error.refusals.size();
}

wavesmith_status wavesmith_refusal_get(size_t index, wavesmith_refusal* refusal) noexcept {
  // Not guarded(): the error that is read here stays.
  const auto& refusals = last_error().error.refusals;
  if (refusal == nullptr || !is_known_size(refusal->struct_size, sizeof(wavesmith_refusal)) ||
      index >= refusals.size())
    return WAVESMITH_INVALID_ARGUMENT;
  wavesmith_refusal own{};
  own.field = refusals[index].field.c_str();
  own.value = refusals[index].value.c_str();
  own.allowed = refusals[index].allowed.c_str();
  write_struct(own, refusal);
  return WAVESMITH_OK;
}
}
