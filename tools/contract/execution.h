// Runs one launch of a kernel on the simulator, with every tensor between guard bands in an allocation of its
// own, and compares all of its memory with what was there before. Runner is the entry; tensors.h makes the
// tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "generator/attention_dense/launch.h"
#include "tools/contract/tensors.h"

namespace wavesmith::contract {

/// A code object and the Plan that it was made from.
struct Subject {
  dense::Plan plan;
  std::vector<std::byte> code;
};

/// Changes a launch before it is packed, or the tables before they are in memory: a planted fault.
using LaunchEdit = std::function<Expected<void>(dense::Launch&)>;
using TableEdit = std::function<Expected<void>(verify::SequenceTables&)>;
struct Edit {
  LaunchEdit launch = {};
  TableEdit tables = {};
};

/// How one launch is run.
struct Setting {
  simulator::Schedule schedule = simulator::Schedule::wave_by_wave;
  simulator::Arrival arrival = simulator::Arrival::latest;
  /// The middle of each tensor lies on a multiple of 4 GiB; pages lie more than that apart.
  bool across_4_gib = false;
  bool thorough = false;  ///< also look for uses of what was never written, and follow inexact values
  unsigned threads = 1;
};

/// Bytes that are not as the launch must leave them.
struct Footprint {
  std::uint64_t unwritten = 0;    ///< elements of outputs that still hold the pattern from before
  std::uint64_t overwritten = 0;  ///< bytes that are no output and have changed
  std::string first_unwritten, first_overwritten;  ///< where
};

/// What one launch left behind.
struct Outcome {
  std::string refusal;  ///< why the launch was refused; then nothing else is filled
  simulator::Report report;
  std::vector<std::uint16_t> o;    ///< the tensor without its guard bands
  std::vector<std::uint32_t> lse;  ///< the same; empty where the kernel has no such output
  Footprint footprint;
  float scale = 0;  ///< softmax_scale as it should be
};

class Runner {
 public:
  /// Errors: a code object that cannot be loaded.
  [[nodiscard]] static Expected<Runner> create(const Subject& subject);

  /// Errors: shapes that plan_launch() or tables that check_sequences() refuses, an instruction that is not
  /// implemented. A launch that the simulator refuses is an Outcome.
  [[nodiscard]] Expected<Outcome> run(const Tensors& tensors, const Setting& setting, const Edit& edit = {});

  /// The launch of these tensors as the launcher packs it, with null addresses.
  [[nodiscard]] Expected<dense::Launch> launch_of(const Tensors& tensors) const;

 private:
  Runner(const dense::Plan& plan, simulator::Device device, simulator::Module module)
      : plan_(plan), device_(std::move(device)), module_(module) {}

  const dense::Plan& plan_;
  simulator::Device device_;
  simulator::Module module_;
};

}  // namespace wavesmith::contract
