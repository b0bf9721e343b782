// The boundary between C callers and the library: what a call may answer (Outcome), the calling thread's last
// error, and guarded(), through which every function of wavesmith.h that returns a status runs, so that no
// exception leaves the library.
#pragma once

#include <exception>
#include <expected>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "wavesmith/error.h"
#include "wavesmith/wavesmith.h"

namespace wavesmith::abi {

/// Why a call does not answer WAVESMITH_OK.
struct Problem {
  wavesmith_status status;
  Error error;

  Problem(wavesmith_status code, Error why) : status(code), error(std::move(why)) {}
  /// The statuses of the library's own errors are their kinds.
  Problem(Error why)  // NOLINT(google-explicit-constructor): an Error is a Problem
      : status(static_cast<wavesmith_status>(why.kind)), error(std::move(why)) {}
};
using Outcome = std::expected<void, Problem>;

/// A fault of the calling program: a null pointer, a structure of a wrong size, an index that is not there.
[[nodiscard]] std::unexpected<Problem> bad_argument(std::string_view field, std::string value,
                                                    std::string allowed);
/// bad_argument() where `pointer` is null.
[[nodiscard]] Outcome not_null(const void* pointer, std::string_view field);

/// \name The calling thread's last error
/// @{
void clear_error() noexcept;
wavesmith_status keep_error(wavesmith_status status, Error error) noexcept;
/// For what must not allocate any more; `message` is a literal.
wavesmith_status keep_error(wavesmith_status status, const char* message) noexcept;
/// @}

/// Runs `body`, which returns an Outcome, and keeps its error.
template <class Body>
wavesmith_status guarded(Body&& body) noexcept {
  try {
    clear_error();
    Outcome outcome = std::forward<Body>(body)();
    if (outcome) return WAVESMITH_OK;
    return keep_error(outcome.error().status, std::move(outcome.error().error));
  } catch (const std::bad_alloc&) {
    return keep_error(WAVESMITH_ENVIRONMENT, "there is not enough memory");
  } catch (const std::exception& error) {
    try {
      return keep_error(WAVESMITH_INTERNAL, Error{ErrorKind::environment, error.what(), {}, {}});
    } catch (...) {
      return keep_error(WAVESMITH_INTERNAL, "an unexpected fault of the library");
    }
  } catch (...) {
    return keep_error(WAVESMITH_INTERNAL, "an unexpected fault of the library");
  }
}

}  // namespace wavesmith::abi
