// Between plan_launch() and the machine: a call's arguments become the machine's.
#pragma once

#include "generator/attention_dense/launch.h"
#include "tests/generator/ir_machine.h"

namespace wavesmith::test {

/// Plans the call on the machine's tensors q, k, v and o and sets every argument. Throws when it is refused.
generator::attention_dense::Launch bind_launch(IrMachine& machine,
                                               const generator::attention_dense::Plan& plan,
                                               const generator::attention_dense::Shapes& shapes);

/// Runs every workgroup of the launch.
void run_grid(IrMachine& machine, const generator::attention_dense::Launch& launch);

}  // namespace wavesmith::test
