// The table of HIP's error codes. Codes and names: HIP 6.4's hip_runtime_api.h (tests/hip/layout_hip6.cpp).
#include "runtime/launcher/hip_errors.h"

#include <algorithm>
#include <array>

namespace wavesmith::hip {
namespace {

constexpr std::array kTexts = {
    ErrorText{Status{0}, "hipSuccess", "no error"},
    ErrorText{Status{1}, "hipErrorInvalidValue", "an argument is out of range"},
    ErrorText{Status{2}, "hipErrorOutOfMemory", "not enough memory"},
    ErrorText{Status{3}, "hipErrorNotInitialized", "the library is not initialised"},
    ErrorText{Status{4}, "hipErrorDeinitialized", "the library is shutting down"},
    ErrorText{Status{5}, "hipErrorProfilerDisabled", "the profiler is disabled"},
    ErrorText{Status{6}, "hipErrorProfilerNotInitialized", "the profiler is not initialised"},
    ErrorText{Status{7}, "hipErrorProfilerAlreadyStarted", "the profiler is running already"},
    ErrorText{Status{8}, "hipErrorProfilerAlreadyStopped", "the profiler is not running"},
    ErrorText{Status{9}, "hipErrorInvalidConfiguration", "the grid or the workgroup cannot be launched"},
    ErrorText{Status{12}, "hipErrorInvalidPitchValue", "the pitch is out of range"},
    ErrorText{Status{13}, "hipErrorInvalidSymbol", "no such device variable"},
    ErrorText{Status{17}, "hipErrorInvalidDevicePointer", "not an address on a device"},
    ErrorText{Status{21}, "hipErrorInvalidMemcpyDirection", "the kind of copy contradicts the addresses"},
    ErrorText{Status{35}, "hipErrorInsufficientDriver", "the driver is older than the library"},
    ErrorText{Status{52}, "hipErrorMissingConfiguration", "a launch without configuration"},
    ErrorText{Status{53}, "hipErrorPriorLaunchFailure", "an earlier launch failed"},
    ErrorText{Status{98}, "hipErrorInvalidDeviceFunction", "no such kernel for this device"},
    ErrorText{Status{100}, "hipErrorNoDevice", "no GPU was found"},
    ErrorText{Status{101}, "hipErrorInvalidDevice", "no device of that number"},
    ErrorText{Status{200}, "hipErrorInvalidImage", "not a code object that can be loaded"},
    ErrorText{Status{201}, "hipErrorInvalidContext", "no valid context"},
    ErrorText{Status{202}, "hipErrorContextAlreadyCurrent", "the context is current already"},
    ErrorText{Status{205}, "hipErrorMapFailed", "mapping failed"},
    ErrorText{Status{206}, "hipErrorUnmapFailed", "unmapping failed"},
    ErrorText{Status{207}, "hipErrorArrayIsMapped", "the array is mapped"},
    ErrorText{Status{208}, "hipErrorAlreadyMapped", "mapped already"},
    ErrorText{Status{209}, "hipErrorNoBinaryForGpu", "the code object is for another target"},
    ErrorText{Status{210}, "hipErrorAlreadyAcquired", "acquired already"},
    ErrorText{Status{211}, "hipErrorNotMapped", "not mapped"},
    ErrorText{Status{212}, "hipErrorNotMappedAsArray", "not mapped as an array"},
    ErrorText{Status{213}, "hipErrorNotMappedAsPointer", "not mapped as a pointer"},
    ErrorText{Status{214}, "hipErrorECCNotCorrectable", "a memory error that ECC could not correct"},
    ErrorText{Status{215}, "hipErrorUnsupportedLimit", "no such limit"},
    ErrorText{Status{216}, "hipErrorContextAlreadyInUse", "the context is in use"},
    ErrorText{Status{217}, "hipErrorPeerAccessUnsupported", "the devices cannot access one another"},
    ErrorText{Status{218}, "hipErrorInvalidKernelFile", "not a kernel file"},
    ErrorText{Status{219}, "hipErrorInvalidGraphicsContext", "no valid graphics context"},
    ErrorText{Status{300}, "hipErrorInvalidSource", "the source is invalid"},
    ErrorText{Status{301}, "hipErrorFileNotFound", "no such file"},
    ErrorText{Status{302}, "hipErrorSharedObjectSymbolNotFound", "a shared library lacks a symbol"},
    ErrorText{Status{303}, "hipErrorSharedObjectInitFailed", "a shared library could not be initialised"},
    ErrorText{Status{304}, "hipErrorOperatingSystem", "a system call failed"},
    ErrorText{Status{400}, "hipErrorInvalidHandle", "not a valid handle"},
    ErrorText{Status{401}, "hipErrorIllegalState", "not possible in this state"},
    ErrorText{Status{500}, "hipErrorNotFound", "nothing of that name"},
    ErrorText{Status{600}, "hipErrorNotReady", "the work has not finished"},
    ErrorText{Status{700}, "hipErrorIllegalAddress", "a kernel or copy accessed memory that it must not"},
    ErrorText{Status{701}, "hipErrorLaunchOutOfResources", "the launch needs more than the device has"},
    ErrorText{Status{702}, "hipErrorLaunchTimeOut", "the kernel took too long"},
    ErrorText{Status{704}, "hipErrorPeerAccessAlreadyEnabled", "access between the devices is on already"},
    ErrorText{Status{705}, "hipErrorPeerAccessNotEnabled", "access between the devices is not on"},
    ErrorText{Status{708}, "hipErrorSetOnActiveProcess", "too late: the device is in use"},
    ErrorText{Status{709}, "hipErrorContextIsDestroyed", "the context is gone"},
    ErrorText{Status{710}, "hipErrorAssert", "an assertion failed in a kernel"},
    ErrorText{Status{712}, "hipErrorHostMemoryAlreadyRegistered", "the host memory is registered already"},
    ErrorText{Status{713}, "hipErrorHostMemoryNotRegistered", "the host memory is not registered"},
    ErrorText{Status{719}, "hipErrorLaunchFailure", "the kernel could not be executed"},
    ErrorText{Status{720}, "hipErrorCooperativeLaunchTooLarge",
              "more workgroups than can be resident at once"},
    ErrorText{Status{801}, "hipErrorNotSupported", "not supported"},
    ErrorText{Status{900}, "hipErrorStreamCaptureUnsupported", "not permitted while a stream is capturing"},
    ErrorText{Status{901}, "hipErrorStreamCaptureInvalidated",
              "the capture was invalidated by an earlier call"},
    ErrorText{Status{902}, "hipErrorStreamCaptureMerge", "the call would merge two captures"},
    ErrorText{Status{903}, "hipErrorStreamCaptureUnmatched", "the capture was begun on another stream"},
    ErrorText{Status{904}, "hipErrorStreamCaptureUnjoined",
              "the capture has streams that did not join its first one again"},
    ErrorText{Status{905}, "hipErrorStreamCaptureIsolation",
              "the call would make captured work depend on work outside"},
    ErrorText{Status{906}, "hipErrorStreamCaptureImplicit",
              "the call would synchronise with a stream that is capturing"},
    ErrorText{Status{907}, "hipErrorCapturedEvent", "the event was recorded in a capture"},
    ErrorText{Status{908}, "hipErrorStreamCaptureWrongThread", "the capture was begun by another thread"},
    ErrorText{Status{910}, "hipErrorGraphExecUpdateFailure", "the graph differs too much"},
    ErrorText{Status{911}, "hipErrorInvalidChannelDescriptor", "no valid channel descriptor"},
    ErrorText{Status{912}, "hipErrorInvalidTexture", "no valid texture"},
    ErrorText{Status{999}, "hipErrorUnknown", "unknown error"},
    ErrorText{Status{1052}, "hipErrorRuntimeMemory", "a memory call of the runtime failed"},
    ErrorText{Status{1053}, "hipErrorRuntimeOther", "a call of the runtime failed"},
};

}  // namespace

std::span<const ErrorText> error_texts() {
  return kTexts;
}

const ErrorText& error_text(Status status) {
  const auto* const row = std::ranges::lower_bound(kTexts, status, {}, &ErrorText::status);
  if (row != kTexts.end() && row->status == status) return *row;
  return *std::ranges::find(kTexts, Status::unknown, &ErrorText::status);
}

}  // namespace wavesmith::hip
