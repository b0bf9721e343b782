// What each piece of work does when its turn comes, and how much simulated time it takes: a kernel takes the
// busy cycles of its busiest unit, summed over all waves, over the clock of the compute units; nothing else
// takes any.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "simulator/hip_driver/driver.h"

namespace wavesmith::simulator::hip_driver {
namespace {

constexpr std::size_t kMostHazards = 8;  // on standard error; the first tell what is wrong

/// What is wrong with a dispatch that ran; empty when nothing is.
std::string complaint(const std::string& kernel, const Report& report) {
  if (report.fault) return fmt::format("kernel '{}' was stopped: {}", kernel, report.fault->message());
  if (!report.hazards || report.hazards->empty()) return {};
  std::string text = fmt::format("kernel '{}' has {} hazards:", kernel, report.hazards->size());
  for (std::size_t i = 0; i < std::min(report.hazards->size(), kMostHazards); ++i) {
    const Hazard& hazard = (*report.hazards)[i];
    text += fmt::format("\n  {}{}{}, {} times: {}", hazard.kind, hazard.step.empty() ? "" : " in step ",
                        hazard.step, hazard.count, hazard.first.message());
  }
  return text;
}

double busiest_cycles(const Report& report) {
  double most = 0;
  for (const auto& [unit, cycles] : report.cycles_by_unit) most = std::max(most, cycles);
  return most;
}

}  // namespace

Expected<void> Driver::perform(Stream& /*stream*/, const Copy& copy) {
  for (std::size_t row = 0; row < copy.height; ++row) {
    const Address to = copy.to + row * copy.to_pitch, from = copy.from + row * copy.from_pitch;
    std::byte* const target = host_bytes(to, copy.width);
    const std::byte* const source = host_bytes(from, copy.width);
    if (target == nullptr || source == nullptr) {
      return fail(ErrorKind::check_failed,
                  fmt::format("a copy of {} bytes from {:#x} to {:#x}: {:#x} is not, or no longer, allocated",
                              copy.width, from, to, target == nullptr ? to : from));
    }
    std::memmove(target, source, copy.width);
  }
  return {};
}

Expected<void> Driver::perform(Stream& /*stream*/, const Fill& fill) {
  for (std::size_t row = 0; row < fill.height; ++row) {
    const Address to = fill.to + row * fill.pitch;
    std::byte* const target = host_bytes(to, fill.width);
    if (target == nullptr) {
      return fail(ErrorKind::check_failed,
                  fmt::format("a memset of {} bytes at {:#x}, which is not, or no longer, allocated",
                              fill.width, to));
    }
    for (std::size_t i = 0; i < fill.width; ++i) target[i] = fill.pattern[i % fill.pattern_bytes];
  }
  return {};
}

Expected<void> Driver::perform(Stream& stream, const KernelRun& kernel) {
  // A graph may be launched in a stream of another device: kernels run where their module is.
  Gpu& gpu = gpus[static_cast<std::size_t>(kernel.module->gpu)];
  Launch launch = kernel.launch;
  launch.options.hazards = hazards;
  launch.options.uninitialized = hazards;
  const Expected<Report> report = gpu.device.launch(kernel.module->module, launch);
  if (!report) {
    return fail(ErrorKind::environment,
                fmt::format("kernel '{}' cannot be simulated: {}", launch.kernel, report.error().message));
  }
  stream.seconds += busiest_cycles(*report) / (gpu.model->clock_khz * 1e3);
  if (std::string text = complaint(launch.kernel, *report); !text.empty())
    return fail(ErrorKind::check_failed, std::move(text));
  return {};
}

Expected<void> Driver::perform(Stream& stream, const EventRecord& record) {
  record.point->reached = true;
  record.point->seconds = stream.seconds;
  return {};
}

Expected<void> Driver::perform(Stream& stream, const EventWait& wait) {
  stream.seconds = std::max(stream.seconds, wait.point->seconds);
  return {};
}

Expected<void> Driver::perform(Stream& /*stream*/, const Release& release) {
  if (free(release.address) == Status::success) return {};
  return fail(ErrorKind::check_failed,
              fmt::format("hipFreeAsync of {:#x}, which was freed before", release.address));
}

Expected<void> Driver::perform(Stream& /*stream*/, const HostCall& call) {
  struct Inside {
    explicit Inside(bool& flag) : flag_(flag) { flag_ = true; }
    ~Inside() { flag_ = false; }
    bool& flag_;
  } const inside(executing);
  if (call.function != nullptr) call.function(call.data);
  if (call.callback != nullptr) call.callback(call.stream, Status::success, call.data);
  return {};
}

Expected<void> Driver::perform(Stream& stream, const GraphRun& run) {
  for (const Work& node : run.graph->nodes) {
    const Expected<void> done = std::visit([&](const auto& one) { return perform(stream, one); }, node);
    if (!done) return done;
  }
  return {};
}

}  // namespace wavesmith::simulator::hip_driver
