// The golden check.
#include "golden/check.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "golden/emission.h"

namespace wavesmith::golden {
namespace {

Expected<std::string> read_file(const std::filesystem::path& folder, std::string_view name) {
  const std::filesystem::path path = folder / name;
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path, error) || !file)
    return std::unexpected(Error::refused(
        {{"golden folder", folder.string(), fmt::format("a folder with a readable {}", name)}}));
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// Golden files are all JSON; the sources beside them are not.
std::vector<std::string> unread_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    if (entry->path().extension() == ".json" && name != golden_file_name && name != resource_file_name)
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

CheckResult compare(const Goldens& golden, const Goldens& emitted) {
  CheckResult result;
  const auto find = [](const Goldens& in, const std::string& flavour, const std::string& id) -> const Entry* {
    const auto entries = in.find(flavour);
    if (entries == in.end()) return nullptr;
    const auto entry = entries->second.find(id);
    return entry == entries->second.end() ? nullptr : &entry->second;
  };
  for (const auto& [flavour, entries] : emitted)
    for (const auto& [id, entry] : entries) {
      const Entry* pinned = find(golden, flavour, id);
      if (pinned == nullptr) {
        result.missing.push_back({flavour, id});
        continue;
      }
      ++result.checked;
      if (*pinned == entry)
        result.agreed.push_back({flavour, id});
      else
        result.drifted.push_back({{flavour, id}, *pinned, entry});
    }
  for (const auto& [flavour, entries] : golden) {
    if (entries.empty() && !emitted.contains(flavour)) result.unexpected.push_back({flavour, "(no case)"});
    for (const auto& [id, entry] : entries)
      if (find(emitted, flavour, id) == nullptr) result.unexpected.push_back({flavour, id});
  }
  return result;
}

Expected<Goldens> read_goldens(const std::filesystem::path& folder) {
  const Expected<std::string> text = read_file(folder, golden_file_name);
  if (!text) return std::unexpected(text.error());
  return parse_goldens(*text, (folder / golden_file_name).string());
}

Expected<ResourceGoldens> read_resources(const std::filesystem::path& folder) {
  const Expected<std::string> text = read_file(folder, resource_file_name);
  if (!text) return std::unexpected(text.error());
  return parse_resources(*text, (folder / resource_file_name).string());
}

Expected<CheckResult> check(const std::filesystem::path& folder) {
  const Expected<Goldens> golden = read_goldens(folder);
  if (!golden) return std::unexpected(golden.error());
  const Expected<Goldens> emitted = emit_all();
  if (!emitted) return std::unexpected(emitted.error());
  CheckResult result = compare(*golden, *emitted);
  result.unread = unread_files(folder);
  return result;
}

}  // namespace wavesmith::golden
