// Where tensors lie in the address space does not matter: the same bits of O and LSE everywhere.
#include <catch2/catch_test_macros.hpp>

#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;

TEST_CASE("addresses: tensors across 4 GiB and at the end of the address space") {
  for (const int head_size : {64, 128}) {
    dense::Spec spec;
    spec.head_size = head_size;
    spec.num_query_heads = 2;
    spec.num_kv_heads = 1;
    spec.lse = true;
    const Kernel kernel = compiled(spec);
    for (const bool bhsd : {false, true}) {
      verify::AttentionCase placed{
          .batch = 2, .seqlen_q = 257, .seqlen_kv = 300, .bhsd = bhsd, .softmax_scale = {}};
      const verify::AttentionRun anywhere = run(kernel, placed);
      CHECK(anywhere.ok());
      for (const verify::Placement placement :
           {verify::Placement::across_4_gib, verify::Placement::at_the_top}) {
        placed.placement = placement;
        const verify::AttentionRun result = run(kernel, placed);
        CHECK(result.ok());
        CHECK(result.output == anywhere.output);
        CHECK(result.lse_output == anywhere.lse_output);
      }
    }
  }
}
