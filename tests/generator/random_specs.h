// Random requests for attention-dense kernels, valid and invalid, with what must be said of each: written by
// hand from the specification's tables, not read from the generator.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "generator/families.h"

namespace wavesmith::test {

struct RandomRequest {
  generator::FieldTexts texts;
  std::string preset;
  lowering::TargetId target;
  std::set<std::string> refused;  ///< the fields that must be named; empty: there must be a kernel
};

/// Most fields of most requests are valid, so that about a third of the requests are.
class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : random_(static_cast<std::mt19937::result_type>(seed)) {}
  RandomRequest next();

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  const std::string& one_of(const std::vector<std::string>& values) { return values[below(values.size())]; }

  std::mt19937 random_;
};

/// What is wrong with how the generator answers these requests; empty when nothing is. Each one is resolved,
/// asked for with supports(), emitted in every flavour, and compared with all others: two have the same text
/// (the symbol masked) exactly when their canonical specs are equal but for head counts of one ratio.
struct RequestFindings {
  std::vector<std::string> wrong;
  std::size_t requests = 0, kernels = 0, distinct = 0;
};

class RequestCheck {
 public:
  /// The kernel's IR, in flavour llvm22, where there is one.
  std::string check(const RandomRequest& request);
  RequestFindings findings;

 private:
  void finding(const RandomRequest& request, std::string what);
  void compare(const RandomRequest& request, const generator::ResolvedKernel& kernel, const std::string& ir);

  std::map<std::string, std::string> spec_of_text_, text_of_spec_, text_of_key_;
};

}  // namespace wavesmith::test
