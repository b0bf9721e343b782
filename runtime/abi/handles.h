// What the opaque handles of wavesmith.h point to.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "wavesmith/error.h"
#include "wavesmith/jit.h"
#include "wavesmith/launcher.h"
#include "wavesmith/wavesmith.h"

#include "generator/attention_dense/plan.h"

/// Kernels keep the request that they are of, so a change makes a new one.
struct wavesmith_request {
  std::shared_ptr<const wavesmith::JitRequest> request;
};

struct wavesmith_jit {
  explicit wavesmith_jit(wavesmith::JitOptions options) : jit(std::move(options)) {}
  wavesmith::Jit jit;
};

struct wavesmith_kernel {
  wavesmith_kernel(wavesmith::JitKernelPointer made, std::shared_ptr<const wavesmith::JitRequest> of)
      : kernel(std::move(made)), request(std::move(of)) {}

  wavesmith::JitKernelPointer kernel;
  std::shared_ptr<const wavesmith::JitRequest> request;

  /// The Plan of the request, made when it is first asked for. Errors: the kernel is of another family.
  [[nodiscard]] const wavesmith::Expected<wavesmith::generator::attention_dense::Plan>& plan() const;

 private:
  mutable std::once_flag planned_;
  mutable std::optional<wavesmith::Expected<wavesmith::generator::attention_dense::Plan>> plan_;
};

struct wavesmith_launcher {
  wavesmith::launcher::Launcher launcher;
};

struct wavesmith_loaded_kernel {
  wavesmith::launcher::Kernel loaded;
  wavesmith::JitKernelPointer kernel;  ///< says where each argument stands in a launch's block
  std::uint32_t arguments_bytes = 0;   ///< that a launch of it has
};
