// The queues of streams: which work has to run before a point in a stream is reached, and in which order.
// Only what is needed runs, so that a program that forgets to synchronise finds its work undone.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "simulator/hip_driver/driver.h"

namespace wavesmith::simulator::hip_driver {

template <class Visit>
void Driver::each_stream(const Visit& visit) const {
  for (const Gpu& gpu : gpus) visit(*gpu.null_stream);
  for (const auto& [key, stream] : per_thread_) visit(*stream);
  streams.each([&](const std::shared_ptr<Stream>& stream) { visit(*stream); });
}

std::shared_ptr<Stream> Driver::stream(hip::StreamHandle handle, int gpu) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value == 0 || value == hip::stream_legacy) return gpus[static_cast<std::size_t>(gpu)].null_stream;
  if (value == hip::stream_per_thread) {
    std::shared_ptr<Stream>& own = per_thread_[{std::this_thread::get_id(), gpu}];
    if (own == nullptr) {
      own = std::make_shared<Stream>();
      own->gpu = gpu;
    }
    return own;
  }
  return streams.find(handle);
}

Status Driver::enqueue(Stream& stream, Work work) {
  if (Capture* const capture = stream.capture.get()) {
    if (capture->invalid) return Status::stream_capture_invalidated;
    capture->nodes.push_back({std::move(work), stream.frontier});
    stream.frontier = {capture->nodes.size() - 1};
    return Status::success;
  }
  if (stream.legacy) {
    // The work would have to wait for what is only being recorded.
    const Status status = invalidate_blocking_captures(stream.gpu, Status::stream_capture_implicit);
    if (status != Status::success) return status;
  }
  if (const Status fault = gpus[static_cast<std::size_t>(stream.gpu)].fault; fault != Status::success) {
    return fault;
  }
  const std::uint64_t sequence = next_sequence_++;
  if (const auto* const record = std::get_if<EventRecord>(&work)) record->point->sequence = sequence;
  stream.queue.push_back({sequence, std::move(work)});
  return Status::success;
}

std::vector<std::pair<std::uint64_t, Stream*>> Driver::plan(Needs needs) const {
  std::vector<Stream*> raised;
  const auto raise = [&](Stream& stream, std::uint64_t to) {
    std::uint64_t& need = needs[&stream];
    if (need >= to) return;
    need = to;
    raised.push_back(&stream);
  };
  for (const auto& [stream, need] : needs) raised.push_back(stream);
  std::map<Stream*, std::size_t> seen;
  while (!raised.empty()) {
    Stream& stream = *raised.back();
    raised.pop_back();
    const std::uint64_t need = needs[&stream];
    std::uint64_t last = 0;
    for (std::size_t& at = seen[&stream]; at < stream.queue.size(); ++at) {
      const Stream::Entry& entry = stream.queue[at];
      if (entry.sequence > need) break;
      last = entry.sequence;
      const auto* const wait = std::get_if<EventWait>(&entry.work);
      if (wait == nullptr || wait->point->reached) continue;
      if (const auto other = wait->point->stream.lock()) raise(*other, wait->point->sequence);
    }
    // Earlier work of the null stream and of blocking streams excludes one another.
    if (last == 0) continue;
    if (stream.legacy) {
      each_stream([&](Stream& other) {
        if (&other != &stream && other.gpu == stream.gpu && other.blocking()) raise(other, last - 1);
      });
    } else if (stream.blocking()) {
      raise(*gpus[static_cast<std::size_t>(stream.gpu)].null_stream, last - 1);
    }
  }
  std::vector<std::pair<std::uint64_t, Stream*>> order;
  for (const auto& [stream, need] : needs) {
    for (const Stream::Entry& entry : stream->queue) {
      if (entry.sequence > need) break;
      order.emplace_back(entry.sequence, stream);
    }
  }
  std::ranges::sort(order);
  return order;
}

std::size_t Driver::run(Needs needs, std::size_t most) {
  std::size_t done = 0;
  for (const auto& [sequence, stream] : plan(std::move(needs))) {
    if (done == most) break;
    Work work = std::move(stream->queue.front().work);
    stream->queue.pop_front();
    execute(*stream, work);
    ++done;
  }
  return done;
}

void Driver::run_gpu(int gpu) {
  Needs needs;
  each_stream([&](Stream& stream) {
    if (stream.gpu == gpu) needs[&stream] = UINT64_MAX;
  });
  run(std::move(needs));
}

void Driver::run_all() {
  Needs needs;
  each_stream([&](Stream& stream) { needs[&stream] = UINT64_MAX; });
  run(std::move(needs));
}

void Driver::execute(Stream& stream, Work& work) {
  Gpu& gpu = gpus[static_cast<std::size_t>(stream.gpu)];
  if (stream.legacy) {
    each_stream([&](const Stream& other) {
      if (other.gpu == stream.gpu && other.blocking())
        stream.seconds = std::max(stream.seconds, other.seconds);
    });
  } else if (stream.blocking()) {
    stream.seconds = std::max(stream.seconds, gpu.null_stream->seconds);
  }
  // After a fault nothing runs any more, but what waits for it must end.
  const bool dead = gpu.fault != Status::success;
  const Expected<void> done = std::visit(
      [&](auto& one) -> Expected<void> {
        using Kind = std::remove_cvref_t<decltype(one)>;
        if (dead && !std::is_same_v<Kind, EventRecord>) return {};
        return perform(stream, one);
      },
      work);
  if (done) return;
  const bool stray = done.error().kind == ErrorKind::check_failed;
  gpu.fault = stray ? Status::illegal_address : Status::launch_failure;
  say(fmt::format("GPU {} ({}): {}", stream.gpu, gpu.target.text(), done.error().message));
}

void Driver::reset(int index) {
  // Work that has not run never will: the host memory that it would read may be gone.
  each_stream([&](Stream& stream) {
    if (stream.gpu == index) stream.queue.clear();
  });
  Gpu& gpu = gpus[static_cast<std::size_t>(index)];
  const auto here = [&](const auto& object) { return object.gpu == index; };
  streams.erase_if(here);
  events.erase_if(here);
  std::vector<std::shared_ptr<LoadedModule>> loaded;
  modules.each([&](const std::shared_ptr<LoadedModule>& module) {
    if (module->gpu == index) loaded.push_back(module);
  });
  for (const auto& module : loaded) unload(module);
  std::vector<Address> addresses;
  for (const auto& [address, block] : book.blocks())
    if (block.gpu == index) addresses.push_back(address);
  for (const Address address : addresses) (void)free(address);
  gpu.fault = Status::success;
  gpu.null_stream->seconds = 0;
}

}  // namespace wavesmith::simulator::hip_driver
