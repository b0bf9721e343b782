// HIP functions of streams, events, capture and graphs.
#include <algorithm>

#include "simulator/hip_driver/api.h"

namespace wavesmith::simulator::hip_driver {
namespace {

using hip::CaptureMode;
using hip::CaptureStatus;
using hip::EventHandle;
using hip::GraphExecHandle;
using hip::GraphHandle;
using hip::GraphNodeHandle;
using hip::StreamHandle;

constexpr unsigned kEventFlags = hip::event_blocking_sync | hip::event_disable_timing |
                                 hip::event_interprocess | hip::event_disable_system_fence |
                                 hip::event_release_to_device | hip::event_release_to_system;

Status create_stream(StreamHandle* to, unsigned flags, int priority) {
  return gpu_call([&](Driver& state, int gpu) {
    if (to == nullptr || flags > hip::stream_non_blocking) return Status::invalid_value;
    if (const Status fault = gpu_of(state, gpu).fault; fault != Status::success) return fault;
    auto stream = std::make_shared<Stream>();
    stream->gpu = gpu;
    stream->flags = flags;
    stream->priority = std::clamp(priority, -1, 1);
    *to = static_cast<StreamHandle>(state.streams.insert(std::move(stream)));
    return Status::success;
  });
}

Status create_event(EventHandle* to, unsigned flags) {
  return gpu_call([&](Driver& state, int gpu) {
    if (to == nullptr || (flags & ~kEventFlags) != 0) return Status::invalid_value;
    auto event = std::make_shared<Event>();
    event->gpu = gpu;
    event->flags = flags;
    *to = static_cast<EventHandle>(state.events.insert(std::move(event)));
    return Status::success;
  });
}

template <class Body>
Status event_call(EventHandle handle, const Body& body) {
  return gpu_call([&](Driver& state, int) {
    const std::shared_ptr<Event> event = state.events.find(handle);
    return event == nullptr ? Status::invalid_handle : body(state, *event);
  });
}

/// A call that waits for a captured event or stream cannot be served.
Status refuse_captured(const std::shared_ptr<Capture>& capture, Status status) {
  if (capture == nullptr) return Status::success;
  capture->invalid = true;
  return status;
}

/// Whether an event is reached. A program that asks again and again must get on, so each question that is
/// answered by no lets one more piece of the work run.
Status poll(Driver& state, Driver::Needs needs, int gpu) {
  const std::size_t ran = state.run(std::move(needs), 1);
  if (const Status fault = gpu_of(state, gpu).fault; fault != Status::success) return fault;
  return ran == 0 ? Status::success : Status::not_ready;
}

Status add_host_call(StreamHandle handle, HostCall host_call) {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    return state.enqueue(*stream, host_call);
  });
}

CaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) return CaptureStatus::none;
  return stream.capture->invalid ? CaptureStatus::invalidated : CaptureStatus::active;
}

Status instantiate(GraphExecHandle* to, GraphHandle handle) {
  return gpu_call([&](Driver& state, int) {
    const std::shared_ptr<Graph> graph = state.graphs.find(handle);
    if (to == nullptr || graph == nullptr) return Status::invalid_value;
    *to = static_cast<GraphExecHandle>(state.executables.insert(std::make_shared<Graph>(*graph)));
    return Status::success;
  });
}

}  // namespace

WAVESMITH_HIP_API Status hipStreamCreate(StreamHandle* stream) noexcept {
  return create_stream(stream, hip::stream_default, 0);
}

WAVESMITH_HIP_API Status hipStreamCreateWithFlags(StreamHandle* stream, unsigned flags) noexcept {
  return create_stream(stream, flags, 0);
}

WAVESMITH_HIP_API Status hipStreamCreateWithPriority(StreamHandle* stream, unsigned flags,
                                                     int priority) noexcept {
  return create_stream(stream, flags, priority);
}

WAVESMITH_HIP_API Status hipStreamDestroy(StreamHandle handle) noexcept {
  return gpu_call([&](Driver& state, int) {
    const std::shared_ptr<Stream> stream = state.streams.find(handle);
    if (stream == nullptr) return Status::invalid_handle;
    if (const Status s = refuse_captured(stream->capture, Status::stream_capture_unsupported);
        s != Status::success)
      return s;
    state.run_stream(*stream);
    state.streams.erase(handle);
    return gpu_of(state, stream->gpu).fault;
  });
}

WAVESMITH_HIP_API Status hipStreamSynchronize(StreamHandle handle) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (const Status s = refuse_captured(stream->capture, Status::stream_capture_unsupported);
        s != Status::success)
      return s;
    state.run_stream(*stream);
    return gpu_of(state, stream->gpu).fault;
  });
}

WAVESMITH_HIP_API Status hipStreamQuery(StreamHandle handle) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (const Status s = refuse_captured(stream->capture, Status::stream_capture_unsupported);
        s != Status::success)
      return s;
    return poll(state, {{stream.get(), UINT64_MAX}}, stream->gpu);
  });
}

WAVESMITH_HIP_API Status hipStreamWaitEvent(StreamHandle handle, EventHandle event_handle,
                                            unsigned flags) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    const std::shared_ptr<Event> event = state.events.find(event_handle);
    if (event == nullptr) return Status::invalid_handle;
    if (flags != 0) return Status::invalid_value;
    return state.wait(stream, *event);
  });
}

WAVESMITH_HIP_API Status hipStreamGetFlags(StreamHandle handle, unsigned* flags) noexcept {
  return stream_call(handle, [&](Driver&, const std::shared_ptr<Stream>& stream) {
    if (flags == nullptr) return Status::invalid_value;
    *flags = stream->flags;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipStreamGetPriority(StreamHandle handle, int* priority) noexcept {
  return stream_call(handle, [&](Driver&, const std::shared_ptr<Stream>& stream) {
    if (priority == nullptr) return Status::invalid_value;
    *priority = stream->priority;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipStreamGetDevice(StreamHandle handle, int* device) noexcept {
  return stream_call(handle, [&](Driver&, const std::shared_ptr<Stream>& stream) {
    if (device == nullptr) return Status::invalid_value;
    *device = stream->gpu;
    return Status::success;
  });
}

WAVESMITH_HIP_API int hipGetStreamDeviceId(StreamHandle handle) noexcept {
  int device = -1;
  (void)hipStreamGetDevice(handle, &device);
  return device;
}

WAVESMITH_HIP_API Status hipLaunchHostFunc(StreamHandle handle, hip::HostFunction function,
                                           void* data) noexcept {
  if (function == nullptr) return remembered(Status::invalid_value);
  return add_host_call(handle, {.function = function, .data = data});
}

WAVESMITH_HIP_API Status hipStreamAddCallback(StreamHandle handle, hip::StreamCallback callback, void* data,
                                              unsigned flags) noexcept {
  if (callback == nullptr || flags != 0) return remembered(Status::invalid_value);
  return add_host_call(handle, {.callback = callback, .stream = handle, .data = data});
}

WAVESMITH_HIP_API Status hipEventCreate(EventHandle* event) noexcept {
  return create_event(event, hip::event_default);
}

WAVESMITH_HIP_API Status hipEventCreateWithFlags(EventHandle* event, unsigned flags) noexcept {
  return create_event(event, flags);
}

WAVESMITH_HIP_API Status hipEventDestroy(EventHandle handle) noexcept {
  return gpu_call([&](Driver& state, int) {
    return state.events.erase(handle) ? Status::success : Status::invalid_handle;
  });
}

WAVESMITH_HIP_API Status hipEventRecord(EventHandle event_handle, StreamHandle handle) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    const std::shared_ptr<Event> event = state.events.find(event_handle);
    if (event == nullptr || event->gpu != stream->gpu) return Status::invalid_handle;
    return state.record(stream, *event);
  });
}

WAVESMITH_HIP_API Status hipEventSynchronize(EventHandle handle) noexcept {
  return event_call(handle, [&](Driver& state, const Event& event) {
    if (const Status s = refuse_captured(event.captured, Status::captured_event); s != Status::success)
      return s;
    if (event.point == nullptr || event.point->reached) return gpu_of(state, event.gpu).fault;
    if (const auto stream = event.point->stream.lock()) state.run({{stream.get(), event.point->sequence}});
    return gpu_of(state, event.gpu).fault;
  });
}

WAVESMITH_HIP_API Status hipEventQuery(EventHandle handle) noexcept {
  return event_call(handle, [&](Driver& state, const Event& event) {
    if (const Status s = refuse_captured(event.captured, Status::captured_event); s != Status::success)
      return s;
    if (event.point == nullptr || event.point->reached) return gpu_of(state, event.gpu).fault;
    const auto stream = event.point->stream.lock();
    if (stream == nullptr) return Status::success;
    return poll(state, {{stream.get(), event.point->sequence}}, event.gpu);
  });
}

WAVESMITH_HIP_API Status hipEventElapsedTime(float* milliseconds, EventHandle from, EventHandle to) noexcept {
  return gpu_call([&](Driver& state, int) {
    const std::shared_ptr<Event> first = state.events.find(from), last = state.events.find(to);
    if (milliseconds == nullptr) return Status::invalid_value;
    if (first == nullptr || last == nullptr || first->point == nullptr || last->point == nullptr)
      return Status::invalid_handle;
    if (((first->flags | last->flags) & hip::event_disable_timing) != 0 || first->gpu != last->gpu)
      return Status::invalid_handle;
    if (!first->point->reached || !last->point->reached) return Status::not_ready;
    *milliseconds = static_cast<float>((last->point->seconds - first->point->seconds) * 1e3);
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipThreadExchangeStreamCaptureMode(CaptureMode* mode) noexcept {
  if (mode == nullptr || *mode < CaptureMode::global || *mode > CaptureMode::relaxed)
    return remembered(Status::invalid_value);
  std::swap(*mode, thread_capture_mode());
  return Status::success;
}

WAVESMITH_HIP_API Status hipStreamBeginCapture(StreamHandle handle, CaptureMode mode) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (mode < CaptureMode::global || mode > CaptureMode::relaxed) return Status::invalid_value;
    return state.begin_capture(stream, mode);
  });
}

WAVESMITH_HIP_API Status hipStreamEndCapture(StreamHandle handle, GraphHandle* to) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (to == nullptr) return Status::invalid_value;
    *to = nullptr;
    std::shared_ptr<Graph> graph;
    const Status status = state.end_capture(*stream, graph);
    if (graph != nullptr) *to = static_cast<GraphHandle>(state.graphs.insert(std::move(graph)));
    return status;
  });
}

WAVESMITH_HIP_API Status hipStreamIsCapturing(StreamHandle handle, CaptureStatus* status) noexcept {
  return stream_call(handle, [&](Driver&, const std::shared_ptr<Stream>& stream) {
    if (status == nullptr) return Status::invalid_value;
    *status = status_of(*stream);
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipStreamGetCaptureInfo(StreamHandle handle, CaptureStatus* status,
                                                 unsigned long long* id) noexcept {
  return stream_call(handle, [&](Driver&, const std::shared_ptr<Stream>& stream) {
    if (status == nullptr) return Status::invalid_value;
    *status = status_of(*stream);
    if (id != nullptr && stream->capture != nullptr) *id = stream->capture->id;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipGraphInstantiate(GraphExecHandle* to, GraphHandle graph,
                                             GraphNodeHandle* /*node*/, char* log,
                                             std::size_t log_bytes) noexcept {
  if (log != nullptr && log_bytes != 0) *log = '\0';
  return instantiate(to, graph);
}

WAVESMITH_HIP_API Status hipGraphInstantiateWithFlags(GraphExecHandle* to, GraphHandle graph,
                                                      unsigned long long /*flags*/) noexcept {
  return instantiate(to, graph);
}

WAVESMITH_HIP_API Status hipGraphUpload(GraphExecHandle graph, StreamHandle handle) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>&) {
    return state.executables.find(graph) == nullptr ? Status::invalid_value : Status::success;
  });
}

WAVESMITH_HIP_API Status hipGraphLaunch(GraphExecHandle handle, StreamHandle stream_handle) noexcept {
  return stream_call(stream_handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    const std::shared_ptr<Graph> graph = state.executables.find(handle);
    return graph == nullptr ? Status::invalid_value : state.enqueue(*stream, GraphRun{graph});
  });
}

WAVESMITH_HIP_API Status hipGraphGetNodes(GraphHandle handle, GraphNodeHandle* nodes,
                                          std::size_t* count) noexcept {
  return gpu_call([&](Driver& state, int) {
    const std::shared_ptr<Graph> graph = state.graphs.find(handle);
    if (graph == nullptr || count == nullptr) return Status::invalid_value;
    for (std::size_t i = 0; nodes != nullptr && i < *count; ++i) {
      const bool there = i < graph->nodes.size();
      nodes[i] = there ? reinterpret_cast<GraphNodeHandle>(&graph->nodes[i]) : nullptr;
    }
    *count = nodes == nullptr ? graph->nodes.size() : std::min(*count, graph->nodes.size());
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipGraphDestroy(GraphHandle handle) noexcept {
  return gpu_call([&](Driver& state, int) {
    return state.graphs.erase(handle) ? Status::success : Status::invalid_value;
  });
}

WAVESMITH_HIP_API Status hipGraphExecDestroy(GraphExecHandle handle) noexcept {
  return gpu_call([&](Driver& state, int) {
    return state.executables.erase(handle) ? Status::success : Status::invalid_value;
  });
}

}  // namespace wavesmith::simulator::hip_driver
