// The part of comgr's C interface that is used, as versions 2 and 3 of it have it. comgr is opened at run
// time and its header is not needed to build, so its types and numbers are stated here (amd_comgr.h of
// ROCm 5.2 and 7.0). Between the versions the actions were numbered anew.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wavesmith::runtime::comgr {

enum class Status : std::uint32_t { success = 0, error = 1, invalid_argument = 2, out_of_resources = 3 };
enum class DataKind : std::uint32_t { source = 1, log = 5, bitcode = 6, relocatable = 7, executable = 8 };
enum class Language : std::uint32_t { none = 0, opencl_1_2 = 1 };

struct Data {
  std::uint64_t handle = 0;
};
struct DataSet {
  std::uint64_t handle = 0;
};
struct ActionInfo {
  std::uint64_t handle = 0;
};

/// What comgr is asked to do, in the numbers of one version of the interface.
struct Actions {
  std::uint32_t preprocess, bitcode_to_relocatable, bitcode_to_assembly, relocatable_to_executable;
};
inline constexpr Actions actions_of_version_2{0, 6, 7, 9};
inline constexpr Actions actions_of_version_3{0, 4, 5, 7};

/// The functions, each named in comgr "amd_comgr_" and the member's name.
struct Functions {
  void (*get_version)(std::size_t* major, std::size_t* minor);
  Status (*get_isa_count)(std::size_t*);
  Status (*get_isa_name)(std::size_t index, const char**);
  Status (*create_data)(DataKind, Data*);
  Status (*release_data)(Data);
  Status (*set_data)(Data, std::size_t size, const char* bytes);
  Status (*set_data_name)(Data, const char*);
  Status (*get_data)(Data, std::size_t* size, char* bytes);
  Status (*create_data_set)(DataSet*);
  Status (*destroy_data_set)(DataSet);
  Status (*data_set_add)(DataSet, Data);
  Status (*create_action_info)(ActionInfo*);
  Status (*destroy_action_info)(ActionInfo);
  Status (*action_info_set_isa_name)(ActionInfo, const char*);
  Status (*action_info_set_language)(ActionInfo, Language);
  Status (*action_info_set_option_list)(ActionInfo, const char* options[], std::size_t count);
  Status (*action_info_set_logging)(ActionInfo, bool);
  Status (*do_action)(std::uint32_t action, ActionInfo, DataSet input, DataSet result);
  Status (*action_data_count)(DataSet, DataKind, std::size_t*);
  Status (*action_data_get_data)(DataSet, DataKind, std::size_t index, Data*);
};

}  // namespace wavesmith::runtime::comgr
