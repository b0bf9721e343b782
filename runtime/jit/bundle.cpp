// Layout of a bundle: magic, length of the index, the index as JSON, its SHA-256 in hexadecimal digits, then
// the encoded records one after the other. The index has kind, name and length of each record, in order.
#include "runtime/jit/bundle.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "generator/identity.h"
#include "runtime/jit/cache_files.h"

namespace wavesmith::runtime {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "WSMITHB1";
constexpr std::size_t kDigits = 64;
constexpr std::size_t kPrefix = kMagic.size() + sizeof(std::uint64_t);

/// Empty when the file ends before.
std::string read_at(const FileDescriptor& file, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(file.get(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

Expected<std::unique_ptr<Bundle>> Bundle::open(const std::string& path, Warnings& warnings) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0)
    return fail(ErrorKind::environment,
                fmt::format("the bundle {} cannot be read: {}", path, std::strerror(errno)));
  const auto damaged = [&](std::string_view what) {
    return fail(ErrorKind::check_failed, fmt::format("the bundle {} is damaged: {}", path, what));
  };
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  const std::string prefix = file_bytes < kPrefix + kDigits ? std::string() : read_at(file, 0, kPrefix);
  if (!prefix.starts_with(kMagic)) return damaged("it does not begin as a bundle of this version does");
  std::uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, prefix.data() + kMagic.size(), sizeof index_bytes);
  if (index_bytes > file_bytes - kPrefix - kDigits) return damaged("its length is wrong");
  const std::string index = read_at(file, kPrefix, index_bytes + kDigits);
  if (index.empty() || generator::sha256_hex(index.substr(0, index_bytes)) != index.substr(index_bytes))
    return damaged("the SHA-256 of its index is wrong");

  std::unique_ptr<Bundle> bundle(new Bundle(path, std::move(file), warnings));
  std::uint64_t offset = kPrefix + index_bytes + kDigits;
  const json entries = json::parse(index.substr(0, index_bytes), nullptr, false);
  if (!entries.is_array()) return damaged("its index cannot be read");
  for (const json& entry : entries) {
    if (!entry.is_object() || !entry.contains("kind") || !entry.contains("name") ||
        !entry.contains("bytes") || !entry["kind"].is_string() || !entry["name"].is_string() ||
        !entry["bytes"].is_number_unsigned())
      return damaged("its index cannot be read");
    const auto bytes = entry["bytes"].get<std::uint64_t>();
    if (bytes > file_bytes - offset) return damaged("it is too short");
    const RecordKind kind =
        entry["kind"] == name_of(RecordKind::object) ? RecordKind::object : RecordKind::request;
    bundle->index_.insert_or_assign(Key{kind, entry["name"].get<std::string>()}, Place{offset, bytes});
    offset += bytes;
  }
  if (offset != file_bytes) return damaged("its length is wrong");
  return bundle;
}

Expected<Record> Bundle::read(const Key& key) const {
  const auto place = index_.find(key);
  if (place == index_.end()) return fail(ErrorKind::check_failed, "there is no such entry");
  Expected<Record> record = decode(read_at(file_, place->second.offset, place->second.bytes));
  if (record && (record->kind != key.first || record->name != key.second))
    return fail(ErrorKind::check_failed, "the entry is another's");
  return record;
}

std::optional<Record> Bundle::find(RecordKind kind, std::string_view name) {
  const Key key{kind, std::string(name)};
  if (!index_.contains(key)) return std::nullopt;
  Expected<Record> record = read(key);
  if (record) return *std::move(record);
  warnings_.once(path_ + " damaged",
                 fmt::format("{} in the bundle {}; it is not used", record.error().message, path_));
  return std::nullopt;
}

std::vector<Bundle::Key> Bundle::keys() const {
  std::vector<Key> keys;
  keys.reserve(index_.size());
  for (const auto& [key, place] : index_) keys.push_back(key);
  return keys;
}

Expected<void> write_bundle(const std::string& path, std::span<const Record> records) {
  json index = json::array();
  std::string content;
  for (const Record& record : records) {
    const std::string bytes = encode(record);
    index.push_back({{"kind", name_of(record.kind)}, {"name", record.name}, {"bytes", bytes.size()}});
    content += bytes;
  }
  const std::string index_text = index.dump();
  const std::uint64_t length = index_text.size();
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += index_text + generator::sha256_hex(index_text) + content;
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  if (const std::error_code error = replace_file(path, bytes, folder))
    return fail(ErrorKind::environment,
                fmt::format("the bundle {} cannot be written: {}", path, error.message()));
  return {};
}

}  // namespace wavesmith::runtime
