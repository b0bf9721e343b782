// Defects planted in IR text. Every function throws when the text has no such place: a planted defect that
// plants nothing would prove nothing.
#pragma once

#include <string>
#include <string_view>

namespace wavesmith::test {

/// Every occurrence of `from` becomes `to`.
[[nodiscard]] std::string replaced(std::string text, std::string_view from, std::string_view to);
/// The same for a regular expression (ECMAScript).
[[nodiscard]] std::string replaced_pattern(const std::string& text, const std::string& pattern,
                                           const std::string& to);
/// Without every line that contains `what`.
[[nodiscard]] std::string without_lines(std::string_view text, std::string_view what);
/// Without the first line that contains `what`.
[[nodiscard]] std::string without_first_line(std::string_view text, std::string_view what);
/// Without every attachment " !kind !7" and the comma before it.
[[nodiscard]] std::string without_metadata(std::string text, std::string_view kind);

}  // namespace wavesmith::test
