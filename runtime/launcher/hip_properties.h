// Device properties as HIP's libraries fill them in: hipDeviceProp_t of HIP 5 (R0000) and of HIP 6 (R0600),
// which share little but names. A program calls hipGetDeviceProperties or hipGetDevicePropertiesR0600 by the
// header that it was built with; HIP 6 libraries have both. Members keep the names of HIP's headers, which
// tests/hip/layout_* compares them with, one by one; what those say of each is not repeated here.
#pragma once

#include "runtime/launcher/hip_abi.h"

namespace wavesmith::hip {

/// Bits of `arch`, a bit field in HIP's headers.
enum class ArchFeature : std::uint32_t {
  global_int32_atomics = 1u << 0,
  global_float_atomic_exchange = 1u << 1,
  shared_int32_atomics = 1u << 2,
  shared_float_atomic_exchange = 1u << 3,
  float_atomic_add = 1u << 4,
  global_int64_atomics = 1u << 5,
  shared_int64_atomics = 1u << 6,
  doubles = 1u << 7,
  warp_vote = 1u << 8,
  warp_ballot = 1u << 9,
  warp_shuffle = 1u << 10,
  funnel_shift = 1u << 11,
  thread_fence_system = 1u << 12,
  sync_threads_ext = 1u << 13,
  surface_functions = 1u << 14,
  grid_3d = 1u << 15,
  dynamic_parallelism = 1u << 16,
};

/// hipDeviceProp_t of HIP 5; hipGetDeviceProperties fills it in.
struct PropertiesR0000 {
  std::array<char, 256> name;
  std::size_t totalGlobalMem;
  std::size_t sharedMemPerBlock;
  std::int32_t regsPerBlock;
  std::int32_t warpSize;
  std::int32_t maxThreadsPerBlock;
  std::array<std::int32_t, 3> maxThreadsDim;
  std::array<std::int32_t, 3> maxGridSize;
  std::int32_t clockRate;
  std::int32_t memoryClockRate;
  std::int32_t memoryBusWidth;
  std::size_t totalConstMem;
  std::int32_t major;
  std::int32_t minor;
  std::int32_t multiProcessorCount;
  std::int32_t l2CacheSize;
  std::int32_t maxThreadsPerMultiProcessor;
  std::int32_t computeMode;
  std::int32_t clockInstructionRate;
  std::uint32_t arch;
  std::int32_t concurrentKernels;
  std::int32_t pciDomainID;
  std::int32_t pciBusID;
  std::int32_t pciDeviceID;
  std::size_t maxSharedMemoryPerMultiProcessor;
  std::int32_t isMultiGpuBoard;
  std::int32_t canMapHostMemory;
  std::int32_t gcnArch;
  std::array<char, 256> gcnArchName;
  std::int32_t integrated;
  std::int32_t cooperativeLaunch;
  std::int32_t cooperativeMultiDeviceLaunch;
  std::int32_t maxTexture1DLinear;
  std::int32_t maxTexture1D;
  std::array<std::int32_t, 2> maxTexture2D;
  std::array<std::int32_t, 3> maxTexture3D;
  std::uint32_t* hdpMemFlushCntl;
  std::uint32_t* hdpRegFlushCntl;
  std::size_t memPitch;
  std::size_t textureAlignment;
  std::size_t texturePitchAlignment;
  std::int32_t kernelExecTimeoutEnabled;
  std::int32_t ECCEnabled;
  std::int32_t tccDriver;
  std::int32_t cooperativeMultiDeviceUnmatchedFunc;
  std::int32_t cooperativeMultiDeviceUnmatchedGridDim;
  std::int32_t cooperativeMultiDeviceUnmatchedBlockDim;
  std::int32_t cooperativeMultiDeviceUnmatchedSharedMem;
  std::int32_t isLargeBar;
  std::int32_t asicRevision;
  std::int32_t managedMemory;
  std::int32_t directManagedMemAccessFromHost;
  std::int32_t concurrentManagedAccess;
  std::int32_t pageableMemoryAccess;
  std::int32_t pageableMemoryAccessUsesHostPageTables;
};

/// hipDeviceProp_t of HIP 6; hipGetDevicePropertiesR0600 fills it in.
struct PropertiesR0600 {
  std::array<char, 256> name;
  Uuid uuid;
  std::array<char, 8> luid;
  std::uint32_t luidDeviceNodeMask;
  std::size_t totalGlobalMem;
  std::size_t sharedMemPerBlock;
  std::int32_t regsPerBlock;
  std::int32_t warpSize;
  std::size_t memPitch;
  std::int32_t maxThreadsPerBlock;
  std::array<std::int32_t, 3> maxThreadsDim;
  std::array<std::int32_t, 3> maxGridSize;
  std::int32_t clockRate;
  std::size_t totalConstMem;
  std::int32_t major;
  std::int32_t minor;
  std::size_t textureAlignment;
  std::size_t texturePitchAlignment;
  std::int32_t deviceOverlap;
  std::int32_t multiProcessorCount;
  std::int32_t kernelExecTimeoutEnabled;
  std::int32_t integrated;
  std::int32_t canMapHostMemory;
  std::int32_t computeMode;
  std::int32_t maxTexture1D;
  std::int32_t maxTexture1DMipmap;
  std::int32_t maxTexture1DLinear;
  std::array<std::int32_t, 2> maxTexture2D;
  std::array<std::int32_t, 2> maxTexture2DMipmap;
  std::array<std::int32_t, 3> maxTexture2DLinear;
  std::array<std::int32_t, 2> maxTexture2DGather;
  std::array<std::int32_t, 3> maxTexture3D;
  std::array<std::int32_t, 3> maxTexture3DAlt;
  std::int32_t maxTextureCubemap;
  std::array<std::int32_t, 2> maxTexture1DLayered;
  std::array<std::int32_t, 3> maxTexture2DLayered;
  std::array<std::int32_t, 2> maxTextureCubemapLayered;
  std::int32_t maxSurface1D;
  std::array<std::int32_t, 2> maxSurface2D;
  std::array<std::int32_t, 3> maxSurface3D;
  std::array<std::int32_t, 2> maxSurface1DLayered;
  std::array<std::int32_t, 3> maxSurface2DLayered;
  std::int32_t maxSurfaceCubemap;
  std::array<std::int32_t, 2> maxSurfaceCubemapLayered;
  std::size_t surfaceAlignment;
  std::int32_t concurrentKernels;
  std::int32_t ECCEnabled;
  std::int32_t pciBusID;
  std::int32_t pciDeviceID;
  std::int32_t pciDomainID;
  std::int32_t tccDriver;
  std::int32_t asyncEngineCount;
  std::int32_t unifiedAddressing;
  std::int32_t memoryClockRate;
  std::int32_t memoryBusWidth;
  std::int32_t l2CacheSize;
  std::int32_t persistingL2CacheMaxSize;
  std::int32_t maxThreadsPerMultiProcessor;
  std::int32_t streamPrioritiesSupported;
  std::int32_t globalL1CacheSupported;
  std::int32_t localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  std::int32_t regsPerMultiprocessor;
  std::int32_t managedMemory;
  std::int32_t isMultiGpuBoard;
  std::int32_t multiGpuBoardGroupID;
  std::int32_t hostNativeAtomicSupported;
  std::int32_t singleToDoublePrecisionPerfRatio;
  std::int32_t pageableMemoryAccess;
  std::int32_t concurrentManagedAccess;
  std::int32_t computePreemptionSupported;
  std::int32_t canUseHostPointerForRegisteredMem;
  std::int32_t cooperativeLaunch;
  std::int32_t cooperativeMultiDeviceLaunch;
  std::size_t sharedMemPerBlockOptin;
  std::int32_t pageableMemoryAccessUsesHostPageTables;
  std::int32_t directManagedMemAccessFromHost;
  std::int32_t maxBlocksPerMultiProcessor;
  std::int32_t accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
  std::int32_t hostRegisterSupported;
  std::int32_t sparseHipArraySupported;
  std::int32_t hostRegisterReadOnlySupported;
  std::int32_t timelineSemaphoreInteropSupported;
  std::int32_t memoryPoolsSupported;
  std::int32_t gpuDirectRDMASupported;
  std::uint32_t gpuDirectRDMAFlushWritesOptions;
  std::int32_t gpuDirectRDMAWritesOrdering;
  std::uint32_t memoryPoolSupportedHandleTypes;
  std::int32_t deferredMappingHipArraySupported;
  std::int32_t ipcEventSupported;
  std::int32_t clusterLaunch;
  std::int32_t unifiedFunctionPointers;
  std::array<std::int32_t, 63> reserved;
  std::array<std::int32_t, 32> hipReserved;
  std::array<char, 256> gcnArchName;
  std::size_t maxSharedMemoryPerMultiProcessor;
  std::int32_t clockInstructionRate;
  std::uint32_t arch;
  std::uint32_t* hdpMemFlushCntl;
  std::uint32_t* hdpRegFlushCntl;
  std::int32_t cooperativeMultiDeviceUnmatchedFunc;
  std::int32_t cooperativeMultiDeviceUnmatchedGridDim;
  std::int32_t cooperativeMultiDeviceUnmatchedBlockDim;
  std::int32_t cooperativeMultiDeviceUnmatchedSharedMem;
  std::int32_t isLargeBar;
  std::int32_t asicRevision;
};

}  // namespace wavesmith::hip
