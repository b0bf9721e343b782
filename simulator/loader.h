// Puts a code object into simulated memory and decodes its kernels on first use. Device owns one LoadedModule
// a module.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/code_object.h"
#include "simulator/decoder.h"
#include "simulator/memory.h"
#include "simulator/program.h"

namespace wavesmith::simulator {

struct LoadedModule {
  std::string name;
  runtime::CodeObject code_object;
  std::uint64_t base = 0;               ///< simulated address of the code object's address 0
  std::vector<DeviceAddress> segments;  ///< allocations
  std::map<std::string, Program, std::less<>> programs;
};

/// Allocates the segments, copies them and applies the relocations.
Expected<LoadedModule> load_module(Memory& memory, runtime::CodeObject code_object, std::string name);
void unload_module(Memory& memory, LoadedModule& module);

/// The decoded kernel; decoded once.
Expected<Program*> program_of(LoadedModule& module, const runtime::Kernel& kernel,
                              const Processor& processor);

}  // namespace wavesmith::simulator
