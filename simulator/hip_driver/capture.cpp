// Stream capture: streams that record their work, the streams that join them through events, and the calls
// that a capture forbids. Which error follows from what: HIP's documentation of stream capture and its
// runtime (checks for unsafe calls, synchronising calls and the legacy stream).
#include <algorithm>

#include "simulator/hip_driver/driver.h"

namespace wavesmith::simulator::hip_driver {
namespace {

using hip::CaptureMode;

void unite(std::vector<std::size_t>& nodes, const std::vector<std::size_t>& more) {
  for (const std::size_t node : more)
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

/// Whether the nodes that `end` depends on, and `end` itself, are all of them.
bool reaches_every_node(const Capture& capture, const std::vector<std::size_t>& end) {
  std::vector<bool> reached(capture.nodes.size());
  std::vector<std::size_t> open = end;
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (reached[node]) continue;
    reached[node] = true;
    open.insert(open.end(), capture.nodes[node].after.begin(), capture.nodes[node].after.end());
  }
  return std::ranges::find(reached, false) == reached.end();
}

}  // namespace

hip::CaptureMode& thread_capture_mode() {
  thread_local CaptureMode mode = CaptureMode::global;
  return mode;
}

Status Driver::check_unsafe() {
  const CaptureMode mine = thread_capture_mode();
  if (mine == CaptureMode::relaxed) return Status::success;
  Status status = Status::success;
  streams.each([&](const std::shared_ptr<Stream>& stream) {
    Capture* const capture = stream->capture.get();
    if (capture == nullptr || capture->mode == CaptureMode::relaxed) return;
    const bool own = capture->thread == std::this_thread::get_id();
    if (!own && !(mine == CaptureMode::global && capture->mode == CaptureMode::global)) return;
    capture->invalid = true;
    status = Status::stream_capture_unsupported;
  });
  return status;
}

Status Driver::invalidate_captures(Status status) {
  Status result = Status::success;
  streams.each([&](const std::shared_ptr<Stream>& stream) {
    if (stream->capture == nullptr) return;
    stream->capture->invalid = true;
    result = status;
  });
  return result;
}

Status Driver::invalidate_blocking_captures(int gpu, Status status) {
  Status result = Status::success;
  streams.each([&](const std::shared_ptr<Stream>& stream) {
    if (stream->capture == nullptr || stream->gpu != gpu || !stream->blocking()) return;
    stream->capture->invalid = true;
    result = status;
  });
  return result;
}

Status Driver::begin_capture(const std::shared_ptr<Stream>& stream, CaptureMode mode) {
  if (stream->legacy || streams.find(stream.get()) == nullptr) return Status::stream_capture_unsupported;
  if (stream->capture != nullptr) return Status::illegal_state;
  auto capture = std::make_shared<Capture>();
  capture->origin = stream.get();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = next_capture_++;
  capture->members.push_back(stream);
  stream->capture = std::move(capture);
  stream->frontier.clear();
  return Status::success;
}

Status Driver::end_capture(Stream& stream, std::shared_ptr<Graph>& graph) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) return Status::illegal_state;
  if (capture->origin != &stream) {
    capture->invalid = true;
    return Status::stream_capture_unmatched;
  }
  if (capture->mode != CaptureMode::relaxed && capture->thread != std::this_thread::get_id()) {
    return Status::stream_capture_wrong_thread;
  }
  const std::vector<std::size_t> end = std::move(stream.frontier);
  for (const std::shared_ptr<Stream>& member : capture->members) {
    member->capture = nullptr;
    member->frontier.clear();
  }
  capture->members.clear();
  if (capture->invalid) return Status::stream_capture_invalidated;
  if (!reaches_every_node(*capture, end)) return Status::stream_capture_unjoined;
  graph = std::make_shared<Graph>();
  for (Capture::Node& node : capture->nodes) graph->nodes.push_back(std::move(node.work));
  return Status::success;
}

Status Driver::record(const std::shared_ptr<Stream>& stream, Event& event) {
  if (stream->capture != nullptr) {
    if (stream->capture->invalid) return Status::stream_capture_invalidated;
    event.captured = stream->capture;
    event.frontier = stream->frontier;
    return Status::success;
  }
  auto point = std::make_shared<EventPoint>();
  point->stream = stream;
  const Status status = enqueue(*stream, EventRecord{point});
  if (status != Status::success) return status;
  event.point = std::move(point);
  event.captured = nullptr;
  return Status::success;
}

Status Driver::wait(const std::shared_ptr<Stream>& stream, Event& event) {
  if (event.captured == nullptr) {
    if (stream->capture != nullptr) {
      stream->capture->invalid = true;
      return Status::stream_capture_isolation;
    }
    return event.point == nullptr ? Status::success : enqueue(*stream, EventWait{event.point});
  }
  const std::shared_ptr<Capture>& capture = event.captured;
  if (capture->invalid) return Status::stream_capture_invalidated;
  if (capture->members.empty()) return Status::captured_event;  // that capture has ended
  if (stream->capture == capture) {
    unite(stream->frontier, event.frontier);
    return Status::success;
  }
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;
    capture->invalid = true;
    return Status::stream_capture_merge;
  }
  if (stream->legacy) {
    capture->invalid = true;
    return Status::stream_capture_implicit;
  }
  stream->capture = capture;
  stream->frontier = event.frontier;
  capture->members.push_back(stream);
  return Status::success;
}

}  // namespace wavesmith::simulator::hip_driver
