#include "tests/generator/machine_launch.h"

#include <bit>
#include <stdexcept>

namespace wavesmith::test {

using generator::attention_dense::Launch;

Launch bind_launch(IrMachine& machine, const generator::attention_dense::Plan& plan,
                   const generator::attention_dense::Shapes& shapes) {
  const auto at = [&](const char* name) { return machine.address(name); };
  Expected<Launch> launch = generator::attention_dense::plan_launch(
      plan, shapes, generator::attention_dense::Buffers{at("q"), at("k"), at("v"), at("o")});
  if (!launch) throw std::runtime_error(launch.error().message);
  for (const Launch::Value& argument : launch->arguments)
    std::visit(
        [&](auto value) {
          if constexpr (sizeof value == 8)
            machine.argument(argument.name, std::bit_cast<std::uint64_t>(value));
          else
            machine.argument(argument.name, std::bit_cast<std::uint32_t>(value));
        },
        argument.value);
  return *std::move(launch);
}

void run_grid(IrMachine& machine, const Launch& launch) {
  for (unsigned z = 0; z < launch.grid[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0]; ++x) machine.run_workgroup({x, y, z});
}

}  // namespace wavesmith::test
