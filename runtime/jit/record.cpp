// Layout of an encoded record: magic, length of header, length of payload, header, payload, and the SHA-256
// of all that in hexadecimal digits. The header is strings with their lengths: kind, name, then names and
// values.
#include "runtime/jit/record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "generator/identity.h"

namespace wavesmith::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "lengths are stored in little-endian order");

constexpr std::string_view kMagic = "WSMITHC1";  // the digit is the version of the layout
constexpr std::size_t kDigits = 64;
constexpr std::size_t kPrefix = kMagic.size() + 2 * sizeof(std::uint64_t);
constexpr std::array kKindNames = {std::string_view("request"), std::string_view("object")};

void put_length(std::string& bytes, std::uint64_t length) {
  std::array<char, sizeof length> raw{};
  std::memcpy(raw.data(), &length, sizeof length);
  bytes.append(raw.data(), raw.size());
}

void put_text(std::string& bytes, std::string_view text) {
  put_length(bytes, text.size());
  bytes += text;
}

/// Takes from the front of what is left; `complete` turns false when that is too short.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t length() {
    const std::string_view raw = take(sizeof(std::uint64_t));
    std::uint64_t value = 0;
    if (complete_) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(length()); }
  std::string_view take(std::uint64_t size) {
    complete_ = complete_ && size <= rest_.size();
    if (!complete_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool complete_ = true;
};

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::check_failed, fmt::format("the entry is damaged: {}", what));
}

}  // namespace

std::string_view name_of(RecordKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

std::string_view Record::value(std::string_view value_name) const {
  const auto found = values.find(value_name);
  return found == values.end() ? std::string_view() : std::string_view(found->second);
}

bool is_record_name(std::string_view name) {
  return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string encode(const Record& record) {
  std::string header;
  put_text(header, name_of(record.kind));
  put_text(header, record.name);
  for (const auto& [name, value] : record.values) {
    put_text(header, name);
    put_text(header, value);
  }
  std::string bytes;
  bytes.reserve(kPrefix + header.size() + record.payload.size() + kDigits);
  bytes += kMagic;
  put_length(bytes, header.size());
  put_length(bytes, record.payload.size());
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(record.payload.data()), record.payload.size());
  bytes += generator::sha256_hex(bytes);
  return bytes;
}

Expected<Record> decode(std::string_view bytes) {
  if (bytes.size() < kPrefix + kDigits) return damaged("it is too short");
  if (!bytes.starts_with(kMagic)) return damaged("it does not begin as an entry of this version does");
  const std::string_view content = bytes.substr(0, bytes.size() - kDigits);
  Reader reader(content.substr(kMagic.size()));
  const std::uint64_t header_bytes = reader.length(), payload_bytes = reader.length();
  const std::uint64_t left = content.size() - kPrefix;
  if (header_bytes > left || payload_bytes != left - header_bytes) return damaged("its length is wrong");
  if (generator::sha256_hex(content) != bytes.substr(content.size())) return damaged("its SHA-256 is wrong");

  Reader header(reader.take(header_bytes));
  const std::string_view payload = reader.take(payload_bytes);
  Record record;
  const auto kind = std::ranges::find(kKindNames, header.text());
  record.name = header.text();
  while (header.complete() && !header.at_end()) {
    std::string name(header.text());
    record.values.insert_or_assign(std::move(name), header.text());
  }
  if (!header.complete() || kind == kKindNames.end() || !is_record_name(record.name))
    return damaged("its header cannot be read");
  record.kind = static_cast<RecordKind>(kind - kKindNames.begin());
  record.payload.resize(payload.size());
  if (!payload.empty()) std::memcpy(record.payload.data(), payload.data(), payload.size());
  return record;
}

}  // namespace wavesmith::runtime
