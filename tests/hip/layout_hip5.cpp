// The binary interface that wavesmith declares for itself against the headers of HIP 5.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <catch2/catch_test_macros.hpp>

#ifndef WAVESMITH_TEST_HIP_HEADERS

TEST_CASE("the interface is that of the headers of HIP 5") {
  SKIP("no headers of HIP 5; tools/hip.sh fetches them");
}

#else

#include <hip/hip_runtime_api.h>

#include "runtime/launcher/hip_errors.h"
#include "runtime/launcher/hip_properties.h"

namespace mine = wavesmith::hip;

// clang-format off
#define WAVESMITH_TEST_FIELDS(F) \
  F(name) F(totalGlobalMem) F(sharedMemPerBlock) F(regsPerBlock) F(warpSize) F(maxThreadsPerBlock) \
  F(maxThreadsDim) F(maxGridSize) F(clockRate) F(memoryClockRate) F(memoryBusWidth) F(totalConstMem) \
  F(major) F(minor) F(multiProcessorCount) F(l2CacheSize) F(maxThreadsPerMultiProcessor) \
  F(computeMode) F(clockInstructionRate) F(arch) F(concurrentKernels) F(pciDomainID) F(pciBusID) \
  F(pciDeviceID) F(maxSharedMemoryPerMultiProcessor) F(isMultiGpuBoard) F(canMapHostMemory) F(gcnArch) \
  F(gcnArchName) F(integrated) F(cooperativeLaunch) F(cooperativeMultiDeviceLaunch) \
  F(maxTexture1DLinear) F(maxTexture1D) F(maxTexture2D) F(maxTexture3D) F(hdpMemFlushCntl) \
  F(hdpRegFlushCntl) F(memPitch) F(textureAlignment) F(texturePitchAlignment) \
  F(kernelExecTimeoutEnabled) F(ECCEnabled) F(tccDriver) F(cooperativeMultiDeviceUnmatchedFunc) \
  F(cooperativeMultiDeviceUnmatchedGridDim) F(cooperativeMultiDeviceUnmatchedBlockDim) \
  F(cooperativeMultiDeviceUnmatchedSharedMem) F(isLargeBar) F(asicRevision) F(managedMemory) \
  F(directManagedMemAccessFromHost) F(concurrentManagedAccess) F(pageableMemoryAccess) \
  F(pageableMemoryAccessUsesHostPageTables)

#define WAVESMITH_TEST_ERRORS(F) \
  F(hipSuccess) F(hipErrorInvalidValue) F(hipErrorOutOfMemory) F(hipErrorNotInitialized) \
  F(hipErrorDeinitialized) F(hipErrorProfilerDisabled) F(hipErrorProfilerNotInitialized) \
  F(hipErrorProfilerAlreadyStarted) F(hipErrorProfilerAlreadyStopped) F(hipErrorInvalidConfiguration) \
  F(hipErrorInvalidPitchValue) F(hipErrorInvalidSymbol) F(hipErrorInvalidDevicePointer) \
  F(hipErrorInvalidMemcpyDirection) F(hipErrorInsufficientDriver) F(hipErrorMissingConfiguration) \
  F(hipErrorPriorLaunchFailure) F(hipErrorInvalidDeviceFunction) F(hipErrorNoDevice) \
  F(hipErrorInvalidDevice) F(hipErrorInvalidImage) F(hipErrorInvalidContext) \
  F(hipErrorContextAlreadyCurrent) F(hipErrorMapFailed) F(hipErrorUnmapFailed) \
  F(hipErrorArrayIsMapped) F(hipErrorAlreadyMapped) F(hipErrorNoBinaryForGpu) \
  F(hipErrorAlreadyAcquired) F(hipErrorNotMapped) F(hipErrorNotMappedAsArray) \
  F(hipErrorNotMappedAsPointer) F(hipErrorECCNotCorrectable) F(hipErrorUnsupportedLimit) \
  F(hipErrorContextAlreadyInUse) F(hipErrorPeerAccessUnsupported) F(hipErrorInvalidKernelFile) \
  F(hipErrorInvalidGraphicsContext) F(hipErrorInvalidSource) F(hipErrorFileNotFound) \
  F(hipErrorSharedObjectSymbolNotFound) F(hipErrorSharedObjectInitFailed) F(hipErrorOperatingSystem) \
  F(hipErrorInvalidHandle) F(hipErrorIllegalState) F(hipErrorNotFound) F(hipErrorNotReady) \
  F(hipErrorIllegalAddress) F(hipErrorLaunchOutOfResources) F(hipErrorLaunchTimeOut) \
  F(hipErrorPeerAccessAlreadyEnabled) F(hipErrorPeerAccessNotEnabled) F(hipErrorSetOnActiveProcess) \
  F(hipErrorContextIsDestroyed) F(hipErrorAssert) F(hipErrorHostMemoryAlreadyRegistered) \
  F(hipErrorHostMemoryNotRegistered) F(hipErrorLaunchFailure) F(hipErrorCooperativeLaunchTooLarge) \
  F(hipErrorNotSupported) F(hipErrorStreamCaptureUnsupported) F(hipErrorStreamCaptureInvalidated) \
  F(hipErrorStreamCaptureMerge) F(hipErrorStreamCaptureUnmatched) F(hipErrorStreamCaptureUnjoined) \
  F(hipErrorStreamCaptureIsolation) F(hipErrorStreamCaptureImplicit) F(hipErrorCapturedEvent) \
  F(hipErrorStreamCaptureWrongThread) F(hipErrorGraphExecUpdateFailure) F(hipErrorUnknown) \
  F(hipErrorRuntimeMemory) F(hipErrorRuntimeOther)
// clang-format on

TEST_CASE("device properties lie where the headers of HIP 5 have them") {
  using Mine = mine::PropertiesR0000;
  CHECK(sizeof(Mine) == sizeof(hipDeviceProp_t));
#define F(field)                                                    \
  CHECK(offsetof(Mine, field) == offsetof(hipDeviceProp_t, field)); \
  CHECK(sizeof(Mine::field) == sizeof(hipDeviceProp_t::field));
  WAVESMITH_TEST_FIELDS(F)
#undef F
  hipDeviceProp_t theirs{};
  theirs.arch.hasDoubles = 1;
  theirs.arch.has3dGrid = 1;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &theirs.arch, sizeof bits);
  CHECK(bits == (static_cast<std::uint32_t>(mine::ArchFeature::doubles) |
                 static_cast<std::uint32_t>(mine::ArchFeature::grid_3d)));
}

TEST_CASE("error codes have the names that the headers of HIP 5 give them") {
#define F(code) CHECK(mine::error_text(mine::Status{code}).name == #code);
  WAVESMITH_TEST_ERRORS(F)
#undef F
}

TEST_CASE("flags and small structures are those of the headers of HIP 5") {
  CHECK(static_cast<int>(mine::CopyKind::host_to_device) == hipMemcpyHostToDevice);
  CHECK(static_cast<int>(mine::CopyKind::device_to_host) == hipMemcpyDeviceToHost);
  CHECK(static_cast<int>(mine::CopyKind::by_address) == hipMemcpyDefault);
  CHECK(mine::stream_non_blocking == hipStreamNonBlocking);
  CHECK(mine::event_disable_timing == hipEventDisableTiming);
  CHECK(mine::event_release_to_system == hipEventReleaseToSystem);
  CHECK(static_cast<int>(mine::CaptureMode::thread_local_) == hipStreamCaptureModeThreadLocal);
  CHECK(static_cast<int>(mine::CaptureStatus::invalidated) == hipStreamCaptureStatusInvalidated);
  CHECK(mine::launch_buffer_pointer == reinterpret_cast<std::uintptr_t>(HIP_LAUNCH_PARAM_BUFFER_POINTER));
  CHECK(mine::launch_buffer_size == reinterpret_cast<std::uintptr_t>(HIP_LAUNCH_PARAM_BUFFER_SIZE));
  CHECK(mine::launch_end == reinterpret_cast<std::uintptr_t>(HIP_LAUNCH_PARAM_END));
  CHECK(static_cast<int>(mine::FunctionAttribute::num_regs) == HIP_FUNC_ATTRIBUTE_NUM_REGS);
  CHECK(static_cast<int>(mine::FunctionAttribute::max_dynamic_shared_size_bytes) ==
        HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  CHECK(sizeof(mine::PointerAttributes) == sizeof(hipPointerAttribute_t));
  CHECK(offsetof(mine::PointerAttributes, devicePointer) == offsetof(hipPointerAttribute_t, devicePointer));
  CHECK(offsetof(mine::PointerAttributes, allocationFlags) ==
        offsetof(hipPointerAttribute_t, allocationFlags));
}

#endif
