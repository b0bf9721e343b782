// check_sequences(): what a host knows of the lengths and pages of a launch, against its shapes.
#include "generator/attention_dense/sequences.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace wavesmith::generator::attention_dense {
namespace {

using Table = std::span<const std::int32_t>;

/// Of every table at most this many entries are refused: a wrong table tends to be wrong everywhere.
constexpr std::size_t most_refusals = 8;

/// Collects the refusals of one table.
class TableCheck {
 public:
  TableCheck(std::string_view name, std::vector<Refusal>& refusals) : name_(name), refusals_(refusals) {}

  void refuse(std::string value, std::string allowed) {
    refusals_.push_back({std::string(name_), std::move(value), std::move(allowed)});
  }
  void refuse_entry(std::string_view place, std::int64_t value, std::string allowed) {
    if (entries_++ < most_refusals)
      refusals_.push_back(
          {fmt::format("{}[{}]", name_, place), fmt::format("{}", value), std::move(allowed)});
  }

  /// Whether there is anything to look at: what the kernel takes, of the right size.
  bool there(Table table, bool taken, std::int64_t size, std::string_view what) {
    const auto entries = static_cast<std::int64_t>(table.size());
    if (!taken) {
      if (entries != 0) refuse(fmt::format("{} entries", entries), "nothing: the kernel does not take it");
      return false;
    }
    if (entries == size) return true;
    refuse(fmt::format("{} entries", entries), fmt::format("{}: {}", size, what));
    return false;
  }

 private:
  std::string_view name_;
  std::vector<Refusal>& refusals_;
  std::size_t entries_ = 0;
};

/// What all tables of a launch have in common.
class SequenceCheck {
 public:
  SequenceCheck(const Plan& plan, const Shapes& shapes)
      : spec_(plan.spec), shapes_(shapes), batch_(std::max<std::int64_t>(shapes.batch, 0)) {}

  std::vector<Refusal> refusals;

  void cumulative(std::string_view name, Table table, bool taken, std::string_view bound, std::int64_t most) {
    TableCheck check(name, refusals);
    if (!check.there(table, taken, batch_ + 1, "batch + 1")) return;
    if (table.front() != 0)
      check.refuse_entry("0", table.front(), "0: the first sequence begins with the first token");
    for (std::size_t i = 1; i < table.size(); ++i) {
      const std::int64_t before = table[i - 1], value = table[i];
      const std::string place = fmt::format("{}", i);
      if (value < before)
        check.refuse_entry(place, value, fmt::format("at least {}[{}] = {}", name, i - 1, before));
      else if (value - before > most)
        check.refuse_entry(place, value,
                           fmt::format("at most {}[{}] = {} and {} = {}", name, i - 1, before, bound, most));
    }
  }

  void lengths(std::string_view name, Table table, bool taken, std::string_view bound, std::int64_t most) {
    TableCheck check(name, refusals);
    if (!check.there(table, taken, batch_, "batch")) return;
    for (std::size_t i = 0; i < table.size(); ++i)
      if (table[i] < 0 || table[i] > most)
        check.refuse_entry(fmt::format("{}", i), table[i], fmt::format("0 to {} = {}", bound, most));
  }

  void pages(Table table, Table keys, std::int64_t num_pages) {
    const bool paged = spec_.kv == Kv::paged;
    const std::int64_t stride = std::max<std::int64_t>(shapes_.block_table_stride, 0);
    if (!paged && num_pages != 0)
      refusals.push_back(
          {"num_pages", fmt::format("{}", num_pages), "nothing: the kernel was built without kv paged"});
    TableCheck check("block_table", refusals);
    if (!check.there(table, paged, batch_ * stride, "batch * block_table_stride")) return;
    if (static_cast<std::int64_t>(keys.size()) != batch_) return;
    TableCheck room("seqlens_kv", refusals);
    for (std::size_t b = 0; b < keys.size(); ++b) {
      const std::int64_t length = keys[b];
      if (length < 0 || length > shapes_.seqlen_kv) continue;  // refused as a length
      const std::int64_t used = (length + spec_.page_size - 1) / spec_.page_size;
      if (used > stride) {
        room.refuse_entry(fmt::format("{}", b), length,
                          fmt::format("at most {}: block_table_stride = {} pages of {} tokens",
                                      stride * spec_.page_size, stride, spec_.page_size));
        continue;
      }
      const Table row = table.subspan(b * static_cast<std::size_t>(stride), static_cast<std::size_t>(used));
      for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i] < 0 || row[i] >= num_pages)
          check.refuse_entry(fmt::format("{}, {}", b, i), row[i],
                             fmt::format("a page of the cache: at least 0, below num_pages = {}", num_pages));
    }
  }

 private:
  const Spec& spec_;
  const Shapes& shapes_;
  std::int64_t batch_;
};

}  // namespace

Expected<void> check_sequences(const Plan& plan, const Shapes& shapes, const SequenceData& data) {
  const Spec& spec = plan.spec;
  SequenceCheck check(plan, shapes);
  check.cumulative("cu_seqlens_q", data.cu_seqlens_q, packed_q(spec), "seqlen_q", shapes.seqlen_q);
  check.cumulative("cu_seqlens_kv", data.cu_seqlens_kv, packed_kv(spec), "seqlen_kv", shapes.seqlen_kv);
  check.lengths("seqlens_q", data.seqlens_q, reads_seqlen_q(spec) && !packed_q(spec), "seqlen_q",
                shapes.seqlen_q);
  check.lengths("seqlens_kv", data.seqlens_kv, reads_seqlen_kv(spec) && !packed_kv(spec), "seqlen_kv",
                shapes.seqlen_kv);
  check.pages(data.block_table, data.seqlens_kv, data.num_pages);
  if (!check.refusals.empty()) return std::unexpected(Error::refused(std::move(check.refusals)));
  return {};
}

}  // namespace wavesmith::generator::attention_dense
