// One description (the R0600 layout, which says more), and what the other layout and the attributes take from
// it.
#include "simulator/hip_driver/properties.h"

#include <algorithm>
#include <charconv>
#include <climits>

#include <fmt/format.h>

#include "runtime/occupancy_limits.h"

namespace wavesmith::simulator::hip_driver {
namespace {

constexpr int kTimerKhz = 100'000;  // of s_memrealtime
constexpr int kPciFirstBus = 1;

/// Attributes are ints; HIP gives the largest one for sizes beyond it.
int clamped(std::size_t value) {
  return static_cast<int>(std::min<std::size_t>(value, INT_MAX));
}

template <std::size_t N>
void copy_text(std::array<char, N>& to, const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::copy_n(text.begin(), length, to.begin());
  to[length] = '\0';
}

std::uint32_t arch_features() {
  using enum hip::ArchFeature;
  std::uint32_t bits = 0;
  for (const hip::ArchFeature feature :
       {global_int32_atomics, global_float_atomic_exchange, shared_int32_atomics,
        shared_float_atomic_exchange, float_atomic_add, global_int64_atomics, shared_int64_atomics, doubles,
        warp_vote, warp_ballot, warp_shuffle, thread_fence_system, grid_3d}) {
    bits |= static_cast<std::uint32_t>(feature);
  }
  return bits;
}

/// "gfx950" is 9.5, "gfx1100" is 11.0: the last two digits are minor version and stepping.
std::pair<int, int> version_of(std::string_view processor) {
  const std::string_view digits = processor.substr(3);
  int major = 0;
  std::from_chars(digits.data(), digits.data() + digits.size() - 2, major);
  return {major, digits[digits.size() - 2] - '0'};
}

}  // namespace

std::string device_name(const Gpu& gpu) {
  return fmt::format("Simulated {} (wavesmith)", gpu.model->product);
}

hip::Uuid uuid(int index) {
  hip::Uuid uuid{};
  const std::string text = fmt::format("wavesmith-sim-{:02}", index);
  std::copy_n(text.begin(), std::min(text.size(), uuid.bytes.size()), uuid.bytes.begin());
  return uuid;
}

hip::PropertiesR0600 properties_r0600(const Gpu& gpu, int index) {
  const DeviceModel& model = *gpu.model;
  const runtime::OccupancyLimits& limits = *runtime::find_occupancy_limits(model.processor);
  // HIP counts work-group processors where there are any; a workgroup may use the LDS of one CU all the same.
  const std::uint32_t cus = limits.cus_per_wgp;
  const std::uint32_t simds = limits.simds_per_cu * cus;
  hip::PropertiesR0600 p{};
  copy_text(p.name, device_name(gpu));
  p.uuid = uuid(index);
  p.totalGlobalMem = model.memory_bytes;
  p.sharedMemPerBlock = limits.lds_bytes;
  p.regsPerBlock = static_cast<int>((model.wave_size == 32 ? limits.wave32_vgprs : limits.wave64_vgprs) *
                                    model.wave_size * limits.simds_per_cu);
  p.warpSize = static_cast<int>(model.wave_size);
  p.memPitch = INT_MAX;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim = {1024, 1024, 1024};
  p.maxGridSize = {INT_MAX, 65536, 65536};
  p.clockRate = static_cast<int>(model.clock_khz);
  p.totalConstMem = INT_MAX;
  std::tie(p.major, p.minor) = version_of(model.processor);
  p.multiProcessorCount = static_cast<int>(model.compute_units / cus);
  p.integrated = model.integrated;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.ECCEnabled = gpu.target.sramecc == runtime::FeatureSetting::on;
  p.pciBusID = kPciFirstBus + index;
  p.asyncEngineCount = 1;
  p.deviceOverlap = 1;
  p.unifiedAddressing = 1;
  p.memoryClockRate = static_cast<int>(model.memory_clock_khz);
  p.memoryBusWidth = static_cast<int>(model.memory_bus_bits);
  p.l2CacheSize = static_cast<int>(model.l2_bytes);
  p.maxThreadsPerMultiProcessor = static_cast<int>(simds * limits.waves_per_simd * model.wave_size);
  p.sharedMemPerMultiprocessor = std::size_t{limits.lds_bytes} * cus;
  p.regsPerMultiprocessor = p.regsPerBlock * static_cast<int>(cus);
  p.managedMemory = 1;
  p.concurrentManagedAccess = 0;
  p.canUseHostPointerForRegisteredMem = 1;
  p.sharedMemPerBlockOptin = limits.lds_bytes;
  p.maxBlocksPerMultiProcessor = static_cast<int>(simds * limits.waves_per_simd);
  p.hostRegisterSupported = 1;
  copy_text(p.gcnArchName, gpu.target.text());
  p.maxSharedMemoryPerMultiProcessor = p.sharedMemPerMultiprocessor;
  p.clockInstructionRate = kTimerKhz;
  p.arch = arch_features();
  return p;
}

hip::PropertiesR0000 properties_r0000(const Gpu& gpu, int index) {
  const hip::PropertiesR0600 from = properties_r0600(gpu, index);
  hip::PropertiesR0000 p{};
  p.name = from.name;
  p.totalGlobalMem = from.totalGlobalMem;
  p.sharedMemPerBlock = from.sharedMemPerBlock;
  p.regsPerBlock = from.regsPerBlock;
  p.warpSize = from.warpSize;
  p.maxThreadsPerBlock = from.maxThreadsPerBlock;
  p.maxThreadsDim = from.maxThreadsDim;
  p.maxGridSize = from.maxGridSize;
  p.clockRate = from.clockRate;
  p.memoryClockRate = from.memoryClockRate;
  p.memoryBusWidth = from.memoryBusWidth;
  p.totalConstMem = from.totalConstMem;
  p.major = from.major;
  p.minor = from.minor;
  p.multiProcessorCount = from.multiProcessorCount;
  p.l2CacheSize = from.l2CacheSize;
  p.maxThreadsPerMultiProcessor = from.maxThreadsPerMultiProcessor;
  p.computeMode = from.computeMode;
  p.clockInstructionRate = from.clockInstructionRate;
  p.arch = from.arch;
  p.concurrentKernels = from.concurrentKernels;
  p.pciDomainID = from.pciDomainID;
  p.pciBusID = from.pciBusID;
  p.pciDeviceID = from.pciDeviceID;
  p.maxSharedMemoryPerMultiProcessor = from.maxSharedMemoryPerMultiProcessor;
  p.canMapHostMemory = from.canMapHostMemory;
  p.gcnArchName = from.gcnArchName;
  p.integrated = from.integrated;
  p.memPitch = from.memPitch;
  p.ECCEnabled = from.ECCEnabled;
  p.managedMemory = from.managedMemory;
  p.concurrentManagedAccess = from.concurrentManagedAccess;
  return p;
}

std::optional<int> attribute(const Gpu& gpu, int index, int attribute) {
  const hip::PropertiesR0600 p = properties_r0600(gpu, index);
  // Numbers of hipDeviceAttribute_t.
  switch (attribute) {
    case 0:  // EccEnabled
      return p.ECCEnabled;
    case 2:  // AsyncEngineCount
      return p.asyncEngineCount;
    case 3:  // CanMapHostMemory
      return p.canMapHostMemory;
    case 4:  // CanUseHostPointerForRegisteredMem
      return p.canUseHostPointerForRegisteredMem;
    case 5:  // ClockRate
      return p.clockRate;
    case 6:  // ComputeMode
      return p.computeMode;
    case 7:  // ComputePreemptionSupported
      return p.computePreemptionSupported;
    case 8:  // ConcurrentKernels
      return p.concurrentKernels;
    case 9:  // ConcurrentManagedAccess
      return p.concurrentManagedAccess;
    case 10:  // CooperativeLaunch
      return p.cooperativeLaunch;
    case 11:  // CooperativeMultiDeviceLaunch
      return p.cooperativeMultiDeviceLaunch;
    case 12:  // DeviceOverlap
      return p.deviceOverlap;
    case 13:  // DirectManagedMemAccessFromHost
      return p.directManagedMemAccessFromHost;
    case 15:  // HostNativeAtomicSupported
      return p.hostNativeAtomicSupported;
    case 16:  // Integrated
      return p.integrated;
    case 17:  // IsMultiGpuBoard
      return p.isMultiGpuBoard;
    case 18:  // KernelExecTimeout
      return p.kernelExecTimeoutEnabled;
    case 19:  // L2CacheSize
      return p.l2CacheSize;
    case 23:  // ComputeCapabilityMajor
      return p.major;
    case 24:  // ManagedMemory
      return p.managedMemory;
    case 25:  // MaxBlocksPerMultiProcessor
      return p.maxBlocksPerMultiProcessor;
    case 26:  // MaxBlockDimX
      return p.maxThreadsDim[0];
    case 27:  // MaxBlockDimY
      return p.maxThreadsDim[1];
    case 28:  // MaxBlockDimZ
      return p.maxThreadsDim[2];
    case 29:  // MaxGridDimX
      return p.maxGridSize[0];
    case 30:  // MaxGridDimY
      return p.maxGridSize[1];
    case 31:  // MaxGridDimZ
      return p.maxGridSize[2];
    case 55:  // MaxThreadsDim
      return p.maxThreadsDim[0];
    case 56:  // MaxThreadsPerBlock
      return p.maxThreadsPerBlock;
    case 57:  // MaxThreadsPerMultiProcessor
      return p.maxThreadsPerMultiProcessor;
    case 58:  // MaxPitch
      return clamped(p.memPitch);
    case 59:  // MemoryBusWidth
      return p.memoryBusWidth;
    case 60:  // MemoryClockRate
      return p.memoryClockRate;
    case 61:  // ComputeCapabilityMinor
      return p.minor;
    case 63:  // MultiprocessorCount
      return p.multiProcessorCount;
    case 65:  // PageableMemoryAccess
      return p.pageableMemoryAccess;
    case 66:  // PageableMemoryAccessUsesHostPageTables
      return p.pageableMemoryAccessUsesHostPageTables;
    case 67:  // PciBusId
      return p.pciBusID;
    case 68:  // PciDeviceId
      return p.pciDeviceID;
    case 69:  // PciDomainID
      return p.pciDomainID;
    case 71:  // MaxRegistersPerBlock
      return p.regsPerBlock;
    case 72:  // MaxRegistersPerMultiprocessor
      return p.regsPerMultiprocessor;
    case 73:  // ReservedSharedMemPerBlock
      return clamped(p.reservedSharedMemPerBlock);
    case 74:  // MaxSharedMemoryPerBlock
      return clamped(p.sharedMemPerBlock);
    case 75:  // SharedMemPerBlockOptin
      return clamped(p.sharedMemPerBlockOptin);
    case 76:  // SharedMemPerMultiprocessor
      return clamped(p.sharedMemPerMultiprocessor);
    case 78:  // StreamPrioritiesSupported
      return p.streamPrioritiesSupported;
    case 83:  // TotalConstantMemory
      return clamped(p.totalConstMem);
    case 84:  // TotalGlobalMem
      return clamped(p.totalGlobalMem);
    case 85:  // UnifiedAddressing
      return p.unifiedAddressing;
    case 87:  // WarpSize
      return p.warpSize;
    case 88:  // MemoryPoolsSupported
      return p.memoryPoolsSupported;
    case 89:  // VirtualMemoryManagementSupported
      return 0;
    case 90:  // HostRegisterSupported
      return p.hostRegisterSupported;
    case 91:  // MemoryPoolSupportedHandleTypes
      return 0;
    case 10000:  // ClockInstructionRate
      return p.clockInstructionRate;
    case 10002:  // MaxSharedMemoryPerMultiprocessor
      return clamped(p.maxSharedMemoryPerMultiProcessor);
    case 10011:  // IsLargeBar
      return p.isLargeBar;
    case 10012:  // AsicRevision
      return p.asicRevision;
    case 10013:  // CanUseStreamWaitValue
      return 0;
    case 10014:  // ImageSupport
      return 0;
    case 10015:  // PhysicalMultiProcessorCount
      return p.multiProcessorCount;
    case 10016:  // FineGrainSupport
      return 1;
    case 10017:  // WallClockRate
      return p.clockInstructionRate;
    default:
      return std::nullopt;
  }
}

}  // namespace wavesmith::simulator::hip_driver
