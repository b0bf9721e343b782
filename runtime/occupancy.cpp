// The occupancy formulas of occupancy.h.
#include "runtime/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "runtime/occupancy_limits.h"

namespace wavesmith::runtime {
namespace {

constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();
constexpr std::array kLimiterNames = {std::string_view("WAVES"), std::string_view("VGPR"),
                                      std::string_view("SGPR"), std::string_view("LDS"),
                                      std::string_view("WORKGROUPS")};

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

/// How many users of `each`, rounded up to the granule, share `total`. Every user takes at least one granule.
constexpr std::uint32_t sharers(std::uint32_t total, std::uint32_t each, std::uint32_t granule) {
  return total / round_up(std::max(each, 1U), granule);
}

/// The smallest of the candidates seen so far, and whose it is.
struct Least {
  std::uint32_t count = kUnlimited;
  Limiter limiter = Limiter::waves;
  void offer(std::uint32_t candidate, Limiter whose) {
    if (candidate >= count) return;
    count = candidate;
    limiter = whose;
  }
};

std::vector<Refusal> check(const OccupancyRequest& request, const OccupancyLimits* limits) {
  std::vector<Refusal> refusals;
  if (limits == nullptr) {
    std::string known;
    for (const OccupancyLimits& entry : occupancy_limits()) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.processor);
    }
    refusals.push_back({"target", std::string(request.processor), "occupancy limits are known for " + known});
    return refusals;
  }
  const bool wave32 = request.wavefront_size == 32 && limits->wave32_vgprs != 0;
  if (request.wavefront_size != 64 && !wave32) {
    refusals.push_back({"wavefront_size", std::to_string(request.wavefront_size),
                        limits->wave32_vgprs != 0 ? "32 or 64" : "64 on this processor"});
  }
  if (request.workgroup_size < 1 || request.workgroup_size > 1024) {
    refusals.push_back({"workgroup_size", std::to_string(request.workgroup_size), "1 to 1024 work-items"});
  }
  // 256 addressable registers of each kind; both kinds share the file where wave32 does not exist.
  const std::uint32_t most_vgprs = limits->wave32_vgprs != 0 ? 256 : 512;
  if (request.vgprs > most_vgprs) {
    refusals.push_back({"vgprs", std::to_string(request.vgprs), fmt::format("0 to {}", most_vgprs)});
  }
  constexpr std::uint32_t kMostSgprs = 128;  // operand encodings end there
  if (request.sgprs > kMostSgprs) {
    refusals.push_back({"sgprs", std::to_string(request.sgprs), fmt::format("0 to {}", kMostSgprs)});
  }
  if (request.lds_bytes > (1U << 30)) {
    refusals.push_back({"lds_bytes", std::to_string(request.lds_bytes), "at most 2^30 bytes"});
  }
  if (request.wgp_mode && limits->cus_per_wgp == 1) {
    refusals.push_back({"wgp_mode", "true", "false: this processor has no WGP mode"});
  }
  return refusals;
}

}  // namespace

std::string_view name_of(Limiter limiter) {
  return kLimiterNames[std::size_t(limiter)];
}

Expected<Occupancy> occupancy(const OccupancyRequest& request) {
  const OccupancyLimits* limits = find_occupancy_limits(request.processor);
  if (auto refusals = check(request, limits); !refusals.empty())
    return std::unexpected(Error::refused(std::move(refusals)));

  const bool wave32 = request.wavefront_size == 32;
  const std::uint32_t vgprs = wave32 ? limits->wave32_vgprs : limits->wave64_vgprs;
  const std::uint32_t vgpr_granule = wave32 ? limits->wave32_vgpr_granule : limits->wave64_vgpr_granule;
  const std::uint32_t by_slots = limits->waves_per_simd;
  const std::uint32_t by_vgprs = sharers(vgprs, request.vgprs, vgpr_granule);
  const std::uint32_t by_sgprs = limits->sgprs_per_simd == 0
                                     ? by_slots
                                     : sharers(limits->sgprs_per_simd, request.sgprs, limits->sgpr_granule);

  Occupancy result;
  result.waves_per_simd = std::min({by_slots, by_vgprs, by_sgprs});
  result.waves_per_workgroup = (request.workgroup_size + request.wavefront_size - 1) / request.wavefront_size;
  result.compute_units = request.wgp_mode ? limits->cus_per_wgp : 1;
  const std::uint32_t cus = result.compute_units;
  const std::uint32_t workgroups_by_lds =
      request.lds_bytes == 0 ? kUnlimited
                             : sharers(limits->lds_bytes * cus, request.lds_bytes, limits->lds_granule);

  Least waves;
  waves.offer(by_slots * limits->simds_per_cu, Limiter::waves);
  waves.offer(by_vgprs * limits->simds_per_cu, Limiter::vgpr);
  waves.offer(by_sgprs * limits->simds_per_cu, Limiter::sgpr);
  if (workgroups_by_lds != kUnlimited) {
    waves.offer(workgroups_by_lds * result.waves_per_workgroup / cus, Limiter::lds);
  }
  result.waves_per_cu = waves.count;
  result.limiter = waves.limiter;

  const std::uint32_t simds = limits->simds_per_cu * cus;
  Least workgroups;
  workgroups.offer(by_slots * simds / result.waves_per_workgroup, Limiter::waves);
  workgroups.offer(by_vgprs * simds / result.waves_per_workgroup, Limiter::vgpr);
  workgroups.offer(by_sgprs * simds / result.waves_per_workgroup, Limiter::sgpr);
  workgroups.offer(workgroups_by_lds, Limiter::lds);
  // A workgroup of one wave needs no barrier.
  if (result.waves_per_workgroup > 1) workgroups.offer(limits->workgroups_per_cu * cus, Limiter::workgroups);
  result.workgroups = workgroups.count;
  result.resident_limiter = workgroups.limiter;
  result.resident_waves = result.workgroups * result.waves_per_workgroup;
  return result;
}

Expected<Occupancy> occupancy(const CodeObject& object, const Kernel& kernel,
                              std::uint32_t dynamic_lds_bytes) {
  std::uint32_t workgroup_size = kernel.max_flat_workgroup_size;
  if (const auto& required = kernel.required_workgroup_size) {
    workgroup_size = (*required)[0] * (*required)[1] * (*required)[2];
  }
  const std::uint64_t lds_bytes = std::uint64_t{kernel.lds_bytes} + dynamic_lds_bytes;
  return occupancy({.processor = object.target.processor->name,
                    .vgprs = kernel.total_vgprs,
                    .sgprs = kernel.sgprs,
                    .lds_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(lds_bytes, kUnlimited)),
                    .workgroup_size = workgroup_size,
                    .wavefront_size = kernel.wavefront_size,
                    .wgp_mode = kernel.descriptor.wgp_mode.value_or(false)});
}

}  // namespace wavesmith::runtime
