// Reading of the metadata note: msgpack through nlohmann_json, then field by field into Kernel. Source of the
// fields: LLVM's AMDGPU usage guide, "Code Object V3 Metadata" to "Code Object V6 Metadata".
#include "runtime/code_object_metadata.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/elf_image.h"

namespace wavesmith::runtime {
namespace {

using Json = nlohmann::json;

/// Metadata nests five deep (root, kernels, kernel, args, argument). The msgpack reader recurses once per
/// level, so the depth has to be known to be small before it runs.
constexpr int kMaxDepth = 16;

/// The hardware's limit on work-items in a workgroup.
constexpr std::uint32_t kMaxWorkgroupSize = 1024;

/// Accepts every event until the nesting is too deep.
class DepthGuard : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kMaxDepth; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ <= kMaxDepth; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  int depth_ = 0;
};

/// Parses msgpack into a document whose strings are all UTF-8, or into a discarded value.
Json parse_msgpack(std::string_view bytes) {
  DepthGuard guard;
  if (!Json::sax_parse(bytes.begin(), bytes.end(), &guard, Json::input_format_t::msgpack))
    return Json::value_t::discarded;
  Json document = Json::from_msgpack(bytes.begin(), bytes.end(), true, false);
  try {
    // The text itself is not needed: dump() is the library's UTF-8 check, and whoever prints a name relies on
    // it.
    static_cast<void>(document.dump());
  } catch (const Json::exception&) {
    return Json::value_t::discarded;
  }
  return document;
}

/// Reads the members of one msgpack map. The first problem is kept and makes every later read return a
/// default, so that a struct can be filled in one go and checked once.
class MapReader {
 public:
  MapReader(const Json& map, std::string where) : map_(map), where_(std::move(where)) {
    if (!map.is_object()) problem_ = where_ + " is not a map";
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }
  void complain(std::string_view field, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {} {}", where_, field, what);
  }

  std::string text(const char* field, bool required = false) {
    const Json* value = find(field, required);
    if (value == nullptr) return {};
    if (!value->is_string()) return complain(field, "is not a string"), std::string();
    return value->get<std::string>();
  }

  std::uint32_t number(const char* field, bool required = false) {
    const Json* value = find(field, required);
    return value == nullptr ? 0 : to_number(field, *value);
  }

  std::optional<bool> flag(const char* field) {
    const Json* value = find(field, false);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    return to_number(field, *value) != 0;
  }

  /// A member that is an array; null, with a complaint, where it is something else; null where it is missing.
  const Json* array(const char* field, bool required = false) {
    const Json* value = find(field, required);
    if (value == nullptr || value->is_array()) return value;
    complain(field, "is not an array");
    return nullptr;
  }

  std::uint32_t to_number(const char* field, const Json& value) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
        value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
      return complain(field, "is not a number from 0 to 2^32 - 1"), 0;
    }
    return value.get<std::uint32_t>();
  }

 private:
  const Json* find(const char* field, bool required) {
    if (!problem_.empty()) return nullptr;
    const auto found = map_.find(field);
    if (found != map_.end()) return &*found;
    if (required) complain(field, "is missing");
    return nullptr;
  }

  const Json& map_;
  std::string where_;
  std::string problem_;
};

constexpr std::array kValueKindNames = {std::string_view("by_value"),
                                        std::string_view("global_buffer"),
                                        std::string_view("dynamic_shared_pointer"),
                                        std::string_view("sampler"),
                                        std::string_view("image"),
                                        std::string_view("pipe"),
                                        std::string_view("queue"),
                                        std::string_view("hidden_global_offset_x"),
                                        std::string_view("hidden_global_offset_y"),
                                        std::string_view("hidden_global_offset_z"),
                                        std::string_view("hidden_none"),
                                        std::string_view("hidden_printf_buffer"),
                                        std::string_view("hidden_hostcall_buffer"),
                                        std::string_view("hidden_heap_v1"),
                                        std::string_view("hidden_default_queue"),
                                        std::string_view("hidden_completion_action"),
                                        std::string_view("hidden_multigrid_sync_arg"),
                                        std::string_view("hidden_block_count_x"),
                                        std::string_view("hidden_block_count_y"),
                                        std::string_view("hidden_block_count_z"),
                                        std::string_view("hidden_group_size_x"),
                                        std::string_view("hidden_group_size_y"),
                                        std::string_view("hidden_group_size_z"),
                                        std::string_view("hidden_remainder_x"),
                                        std::string_view("hidden_remainder_y"),
                                        std::string_view("hidden_remainder_z"),
                                        std::string_view("hidden_grid_dims"),
                                        std::string_view("hidden_dynamic_lds_size"),
                                        std::string_view("hidden_private_base"),
                                        std::string_view("hidden_shared_base"),
                                        std::string_view("hidden_queue_ptr")};
static_assert(kValueKindNames.size() == std::size_t(ValueKind::hidden_queue_ptr) + 1);

Expected<KernelArgument> read_argument(const Json& map, std::uint32_t kernarg_bytes,
                                       const std::string& where) {
  MapReader reader(map, where);
  KernelArgument argument{.name = reader.text(".name"),
                          .type_name = reader.text(".type_name"),
                          .offset = reader.number(".offset", true),
                          .size = reader.number(".size", true),
                          .address_space = reader.text(".address_space"),
                          .access = reader.text(".access"),
                          .actual_access = reader.text(".actual_access"),
                          .pointee_align = reader.number(".pointee_align")};
  const std::string kind = reader.text(".value_kind", true);
  const auto known = std::ranges::find(kValueKindNames, kind);
  if (known == kValueKindNames.end()) {
    reader.complain(".value_kind", fmt::format("is \"{}\", which is not known", kind));
  } else {
    argument.kind = ValueKind(known - kValueKindNames.begin());
  }
  if (!inside(argument.offset, argument.size, kernarg_bytes)) {
    reader.complain(".offset", "and .size reach outside the kernarg segment");
  }
  if (!reader.problem().empty()) return malformed(reader.problem());
  return argument;
}

/// The register counts, which mean different things per family (see Kernel).
void read_registers(MapReader& reader, Family family, Kernel& kernel) {
  kernel.total_vgprs = reader.number(".vgpr_count", true);
  kernel.agprs = reader.number(".agpr_count");
  kernel.sgprs = reader.number(".sgpr_count", true);
  kernel.vgpr_spills = reader.number(".vgpr_spill_count");
  kernel.sgpr_spills = reader.number(".sgpr_spill_count");
  kernel.vgprs = kernel.total_vgprs;
  if (family == Family::gfx90a) {
    if (kernel.agprs > kernel.total_vgprs) {
      reader.complain(".agpr_count", "exceeds .vgpr_count, which includes it on this processor");
    } else {
      kernel.vgprs -= kernel.agprs;
    }
  }
}

void read_workgroup_size(MapReader& reader, Kernel& kernel) {
  kernel.max_flat_workgroup_size = reader.number(".max_flat_workgroup_size", true);
  kernel.uniform_workgroup_size = reader.flag(".uniform_work_group_size");
  if (kernel.max_flat_workgroup_size < 1 || kernel.max_flat_workgroup_size > kMaxWorkgroupSize) {
    reader.complain(".max_flat_workgroup_size", fmt::format("is not 1 to {}", kMaxWorkgroupSize));
  }
  const Json* sizes = reader.array(".reqd_workgroup_size");
  if (sizes == nullptr) return;
  if (sizes->size() != 3) return reader.complain(".reqd_workgroup_size", "does not have three elements");
  std::array<std::uint32_t, 3> required{};
  std::uint64_t items = 1;
  for (std::size_t axis = 0; axis < required.size(); ++axis) {
    required[axis] = reader.to_number(".reqd_workgroup_size", (*sizes)[axis]);
    // Each is checked before the product is used, so that three 32-bit factors cannot overflow it.
    if (required[axis] < 1 || required[axis] > kMaxWorkgroupSize) items = 0;
    items *= required[axis];
  }
  if (items < 1 || items > kernel.max_flat_workgroup_size) {
    reader.complain(".reqd_workgroup_size", "does not fit .max_flat_workgroup_size");
  }
  kernel.required_workgroup_size = required;
}

Expected<Kernel> read_kernel(const Json& map, Family family, std::size_t index) {
  std::string where = fmt::format("metadata of kernel {}", index);
  MapReader reader(map, where);
  Kernel kernel;
  kernel.name = reader.text(".name", true);
  kernel.descriptor_symbol = reader.text(".symbol", true);
  kernel.kernarg_bytes = reader.number(".kernarg_segment_size", true);
  kernel.kernarg_align = reader.number(".kernarg_segment_align", true);
  kernel.lds_bytes = reader.number(".group_segment_fixed_size", true);
  kernel.scratch_bytes = reader.number(".private_segment_fixed_size", true);
  kernel.wavefront_size = reader.number(".wavefront_size", true);
  kernel.uses_dynamic_stack = reader.flag(".uses_dynamic_stack").value_or(false);
  read_registers(reader, family, kernel);
  read_workgroup_size(reader, kernel);
  if (kernel.name.empty()) reader.complain(".name", "is empty");
  if (!std::has_single_bit(kernel.kernarg_align))
    reader.complain(".kernarg_segment_align", "is not a power of two");
  const bool wave32_allowed = family >= Family::gfx10;
  if (kernel.wavefront_size != 64 && !(kernel.wavefront_size == 32 && wave32_allowed)) {
    reader.complain(".wavefront_size", wave32_allowed ? "is not 32 or 64" : "is not 64");
  }
  const Json* arguments = reader.array(".args");
  if (!reader.problem().empty()) return malformed(reader.problem());
  if (arguments == nullptr) return kernel;

  kernel.arguments.reserve(arguments->size());
  for (const Json& entry : *arguments) {
    auto argument = read_argument(entry, kernel.kernarg_bytes,
                                  fmt::format("{}, argument {}", where, kernel.arguments.size()));
    if (!argument) return std::unexpected(std::move(argument).error());
    kernel.arguments.push_back(std::move(*argument));
  }
  return kernel;
}

}  // namespace

std::string_view name_of(ValueKind kind) {
  return kValueKindNames[std::size_t(kind)];
}

Expected<Metadata> read_metadata(std::string_view msgpack, Family family) {
  const Json document = parse_msgpack(msgpack);
  if (document.is_discarded()) return malformed("the metadata note is not valid msgpack");
  MapReader reader(document, "metadata");
  Metadata metadata{.target = reader.text("amdhsa.target", true), .kernels = {}};
  const Json* kernels = reader.array("amdhsa.kernels", true);
  if (const Json* version = reader.array("amdhsa.version", true); version != nullptr) {
    // Major version 1 covers code object versions 3 to 6; they differ in fields that may be absent.
    if (version->size() != 2 || (*version)[0] != 1) reader.complain("amdhsa.version", "is not 1.x");
  }
  if (!reader.problem().empty()) return malformed(reader.problem());

  std::set<std::string_view> names;
  metadata.kernels.reserve(kernels->size());  // before the names point into it
  for (const Json& entry : *kernels) {
    auto kernel = read_kernel(entry, family, metadata.kernels.size());
    if (!kernel) return std::unexpected(std::move(kernel).error());
    metadata.kernels.push_back(std::move(*kernel));
    if (!names.insert(metadata.kernels.back().name).second) {
      return malformed(fmt::format("two kernels are named {}", metadata.kernels.back().name));
    }
  }
  return metadata;
}

}  // namespace wavesmith::runtime
