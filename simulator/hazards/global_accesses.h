// Which bytes of writable memory each workgroup read and wrote, as ranges. Wave notes every access,
// end_workgroup() merges what one workgroup did; global_races.h compares workgroups.
#pragma once

#include <cstdint>
#include <vector>

namespace wavesmith::simulator {

enum class GlobalUse : std::uint8_t { read, write, atomic };

struct GlobalRange {
  std::uint64_t begin = 0, end = 0;  ///< addresses
  std::uint64_t workgroup = 0;       ///< flat index
  std::uint32_t instruction = 0;     ///< index of one that touched it
  GlobalUse use{};
};

/// Those of one thread.
class GlobalAccesses {
 public:
  void read(std::uint32_t instruction, std::uint64_t address, std::uint64_t bytes) {
    add(instruction, address, bytes, GlobalUse::read);
  }
  void write(std::uint32_t instruction, std::uint64_t address, std::uint64_t bytes, bool atomic) {
    add(instruction, address, bytes, atomic ? GlobalUse::atomic : GlobalUse::write);
  }
  void end_workgroup(std::uint64_t workgroup);

  const std::vector<GlobalRange>& ranges() const { return ranges_; }

 private:
  std::vector<GlobalRange> current_, ranges_;

  void add(std::uint32_t instruction, std::uint64_t address, std::uint64_t bytes, GlobalUse use) {
    // Lanes and instructions mostly walk upwards.
    if (!current_.empty() && current_.back().end == address && current_.back().use == use) {
      current_.back().end += bytes;
    } else {
      current_.push_back({address, address + bytes, 0, instruction, use});
    }
  }
};

}  // namespace wavesmith::simulator
