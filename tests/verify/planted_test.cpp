// Faults planted into a compiled kernel: each wait for loads to LDS and each barrier dropped. Every one must
// be found as a hazard, even where the numbers of this run are right all the same.
#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "runtime/code_object.h"
#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;
namespace simulator = wavesmith::simulator;

namespace {

const verify::AttentionCase shape{.batch = 1, .seqlen_q = 65, .seqlen_kv = 321, .softmax_scale = {}};

/// Two work items of a persistent kernel's only workgroup. Five tiles, so that the second item's first V tile
/// goes where the first one's last is.
verify::AttentionCase two_items() {
  verify::AttentionCase two{.batch = 2, .seqlen_q = 65, .seqlen_kv = 300, .softmax_scale = {}};
  two.num_persistent = 1;
  return two;
}

verify::AttentionRun judged(const Kernel& kernel) {
  return run(kernel, kernel.plan.spec.persistent ? two_items() : shape);
}

/// The kernel with the first word of the instruction at `address` replaced.
Kernel with_word(const Kernel& kernel, std::uint64_t address, std::uint32_t word) {
  Kernel changed{kernel.plan, kernel.code};
  const auto object = wavesmith::runtime::read_code_object(changed.code);
  REQUIRE(object);
  for (const auto& segment : object->segments)
    if (address >= segment.address && address < segment.address + segment.file_bytes)
      std::memcpy(changed.code.data() + segment.file_offset + (address - segment.address), &word,
                  sizeof word);
  return changed;
}

std::uint32_t word_at(const Kernel& kernel, std::uint64_t address) {
  const auto object = wavesmith::runtime::read_code_object(kernel.code);
  REQUIRE(object);
  std::uint32_t word = 0;
  for (const auto& segment : object->segments)
    if (address >= segment.address && address < segment.address + segment.file_bytes)
      std::memcpy(&word, kernel.code.data() + segment.file_offset + (address - segment.address), sizeof word);
  return word;
}

/// s_waitcnt with another vmcnt: bits 3:0 and 15:14 (CDNA guides, SOPP).
std::uint32_t with_vmcnt(std::uint32_t word, std::uint32_t count) {
  return (word & ~0xc00fu) | (count & 15) | (count >> 4) << 14;
}
std::uint32_t vmcnt_of(std::uint32_t word) {
  return (word & 15) | (word >> 14 & 3) << 4;
}
constexpr std::uint32_t no_vmcnt = 63;
constexpr std::uint32_t s_nop = 0xbf800000;

/// A hazard of an LDS kind. The first wait covers loads of Q to registers too, and these are told as such.
void check_found(const Kernel& kernel) {
  const verify::AttentionRun result = judged(kernel);
  REQUIRE_FALSE(result.report.fault);
  REQUIRE(result.report.hazards);
  std::size_t lds = 0;
  for (const simulator::Hazard& hazard : *result.report.hazards) {
    INFO(hazard.first.message());
    CHECK((hazard.kind.starts_with("lds_") || hazard.kind == "register_read_before_wait"));
    CHECK_FALSE(hazard.step.empty());
    lds += hazard.kind.starts_with("lds_") ? 1 : 0;
  }
  CHECK(lds > 0);
  CHECK_FALSE(result.ok());
}

}  // namespace

TEST_CASE("schedules: results do not depend on them, and those of a kernel without a barrier do") {
  dense::Spec spec;
  spec.head_size = 64;
  spec.num_query_heads = 1;
  spec.num_kv_heads = 1;
  spec.mask = dense::Mask::full;
  const Kernel kernel = compiled(spec);
  verify::AttentionCase every = shape;
  every.every_schedule = true;
  const verify::AttentionRun right = run(kernel, every);
  CHECK(right.ok());
  std::size_t barriers = 0, differ = 0;
  for (const simulator::InstructionReport& instruction : right.report.instructions) {
    if (instruction.mnemonic != "s_barrier" || instruction.counters.executions == 0) continue;
    ++barriers;
    const verify::AttentionRun result = run(with_word(kernel, instruction.address, s_nop), every);
    REQUIRE(result.report.hazards);
    for (const simulator::Hazard& hazard : *result.report.hazards)
      differ += hazard.kind == "schedule_dependent" ? 1 : 0;
  }
  CHECK(barriers > 0);
  CHECK(differ > 0);
}

TEST_CASE("planted: every wait for loads to LDS and every barrier of the kernels is needed, and missed") {
  for (const auto& [head_size, persistent] : {std::pair{64, false}, {128, false}, {64, true}}) {
    dense::Spec spec;
    spec.head_size = head_size;
    spec.num_query_heads = 1;
    spec.num_kv_heads = 1;
    spec.mask = dense::Mask::full;
    spec.persistent = persistent;
    const Kernel kernel = compiled(spec);
    const verify::AttentionRun right = judged(kernel);
    REQUIRE(right.ok());
    unsigned waits = 0, barriers = 0;
    for (const simulator::InstructionReport& instruction : right.report.instructions) {
      if (instruction.counters.executions == 0) continue;
      CAPTURE(instruction.text, instruction.address, instruction.step);
      const std::uint32_t word = word_at(kernel, instruction.address);
      if (instruction.mnemonic == "s_barrier") {
        ++barriers;
        check_found(with_word(kernel, instruction.address, s_nop));
      }
      // The waits that the kernel itself asks for stand right before a barrier.
      if (instruction.mnemonic == "s_waitcnt" && vmcnt_of(word) != no_vmcnt) {
        const std::uint32_t next = word_at(kernel, instruction.address + 4);
        if (next != 0xbf8a0000) continue;
        ++waits;
        check_found(with_word(kernel, instruction.address, with_vmcnt(word, no_vmcnt)));
      }
    }
    CHECK(waits > 0);
    CHECK(barriers >= waits);
  }
}

// In place of the constant 0 the accumulator becomes the register of the result (VOP3P-MAI: source 2 in bits
// 58:50, inline 0 is 128, VGPRs and AGPRs from 256; the destination in bits 7:0).
TEST_CASE(
    "planted: a matrix instruction that starts from what was in the registers is found, or gives wrong "
    "numbers") {
  constexpr std::uint32_t zero = 128, first_register = 256;
  for (const int head_size : {64, 128}) {
    dense::Spec spec;
    spec.head_size = head_size;
    spec.num_query_heads = 1;
    spec.num_kv_heads = 1;
    spec.mask = dense::Mask::full;
    const Kernel kernel = compiled(spec);
    const verify::AttentionRun right = run(kernel, shape, {.uninitialized = true});
    REQUIRE(right.ok());
    unsigned hazards = 0, tried = 0;
    for (const simulator::InstructionReport& instruction : right.report.instructions) {
      if (instruction.unit != "mfma" || instruction.counters.executions == 0) continue;
      const std::uint32_t high = word_at(kernel, instruction.address + 4);
      if ((high >> 18 & 511) != zero) continue;
      CAPTURE(head_size, instruction.text, instruction.address);
      const std::uint32_t destination = word_at(kernel, instruction.address) & 255;
      const Kernel changed = with_word(kernel, instruction.address + 4,
                                       (high & ~(511u << 18)) | (first_register + destination) << 18);
      const verify::AttentionRun result = run(changed, shape, {.uninitialized = true});
      REQUIRE_FALSE(result.report.fault);
      REQUIRE(result.report.hazards);
      bool found = false;
      for (const simulator::Hazard& hazard : *result.report.hazards) {
        if (!hazard.kind.starts_with("uninitialized")) continue;
        INFO(hazard.first.message());
        CHECK(hazard.first.address == instruction.address);
        found = true;
      }
      CHECK((found || !result.accuracy.ok()));
      hazards += found ? 1 : 0;
      if (++tried == 4) break;  // they are alike
    }
    CHECK(hazards > 0);
  }
}
