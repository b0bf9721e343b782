// Two texts to the lines in which they differ, by git.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

namespace wavesmith::golden {

struct TextDiff {
  std::string hunks;  ///< unified, from the first "@@" on; empty: the texts are equal
  std::size_t added = 0;
  std::size_t removed = 0;  ///< lines
};

/// Errors (environment): git cannot be run.
[[nodiscard]] Expected<TextDiff> diff_texts(std::string_view before, std::string_view now);

/// The diff as a patch of the file at `path` in a repository, for `git apply`. `creates`: there was no such
/// file before.
[[nodiscard]] std::string patch_text(std::string_view path, const TextDiff& diff, bool creates);

}  // namespace wavesmith::golden
