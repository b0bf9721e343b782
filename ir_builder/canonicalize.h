// Puts a kernel into canonical form: operations without effect that nothing needs are dropped, and those that
// keep no order of their own stand directly before what first needs them. So neither a dead operation nor the
// order in which a C++ compiler evaluates the operands of an expression can change the text that is emitted.
#pragma once

#include "ir_builder/function.h"

namespace wavesmith::ir {

void canonicalize(Kernel& kernel);

/// Gives every value a unique name: its hint, with ".1", ".2", … from the second use of a hint on.
void assign_names(Kernel& kernel);

}  // namespace wavesmith::ir
