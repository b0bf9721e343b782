// Error values shared by every part of wavesmith. Nothing here throws or aborts: functions that can fail
// return Expected<T>. A Refusal names one field of a request; an Error carries all of them at once.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wavesmith {

/// What an error means for the caller. The command line's exit status is the enumerator's value.
enum class ErrorKind : int {
  check_failed = 1,     ///< a check found a difference: golden drift, wrong numbers, a hazard
  invalid_request = 2,  ///< the request itself is wrong; `Error::refusals` says which fields
  compiler_failed = 3,  ///< the compiler rejected the text, crashed, hung or ran out of memory
  environment = 4,      ///< the machine cannot do it: no GPU, no comgr, a directory that is not writable
};

/// One field of a request that cannot be served as given.
struct Refusal {
  std::string field;    ///< name as in the spec, e.g. "lds_k_group_pad"
  std::string value;    ///< the value that was given
  std::string allowed;  ///< what is allowed, and why where that is not evident

  /// "lds_k_group_pad = 12 is refused: a multiple of 8 from 0 to 64".
  [[nodiscard]] std::string message() const { return field + " = " + value + " is refused: " + allowed; }

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// Why an operation failed.
struct Error {
  ErrorKind kind = ErrorKind::invalid_request;
  std::string message;                 ///< one sentence for a person
  std::string log = {};                ///< the compiler's or linker's own output, where there is one
  std::vector<Refusal> refusals = {};  ///< every refused field, when kind is invalid_request

  /// An invalid request made of refusals; the message lists all of them, one a line.
  [[nodiscard]] static Error refused(std::vector<Refusal> refusals) {
    Error error{ErrorKind::invalid_request, {}, {}, std::move(refusals)};
    for (const Refusal& refusal : error.refusals) {
      if (!error.message.empty()) error.message += '\n';
      error.message += refusal.message();
    }
    return error;
  }
};

template <class T>
using Expected = std::expected<T, Error>;

/// Shorthand for returning an error: `return fail(ErrorKind::environment, "…");`
[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, std::string message, std::string log = {}) {
  return std::unexpected(Error{kind, std::move(message), std::move(log), {}});
}

}  // namespace wavesmith
