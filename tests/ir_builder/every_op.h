// One valid operation of each kind, for tests that hold all of them to something.
#pragma once

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {

/// Appends one operation of this kind whose results nothing uses. A yield or return comes inside the loop or
/// if that it needs; the operation itself is returned. Fails the test for a kind that has no sample.
Op* append_sample(TestKernel& kernel, const Operands& operands, OpKind kind);

}  // namespace wavesmith::ir::testing
