// The listener behind coverage_record.h.
#include "coverage_record.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>

#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <fmt/format.h>

namespace wavesmith::simulator::testing {
namespace {

/// "processor mnemonic form" and whether it ever ran alone.
using Forms = std::map<std::string, bool>;

struct Record {
  std::mutex mutex;
  Forms of_case, of_run;
};
Record& record() {
  static Record once;
  return once;
}

class Listener : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo&) override { record().of_case.clear(); }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const Catch::Counts& assertions = stats.totals.assertions;
    if (assertions.passed == 0 || assertions.failed != 0) return;
    for (const auto& [form, alone] : record().of_case) {
      bool& known = record().of_run[form];
      known = known || alone;
    }
  }

  void testRunEnded(const Catch::TestRunStats&) override {
    const char* path = std::getenv(kExecutedFormsVariable);  // NOLINT(concurrency-mt-unsafe)
    if (path == nullptr) return;
    std::ofstream file(path);
    for (const auto& [form, alone] : record().of_run) file << form << (alone ? " alone\n" : " in-sequence\n");
  }
};

}  // namespace

void executed(std::string_view processor, std::string_view mnemonic, std::string_view form, bool alone) {
  const std::lock_guard lock(record().mutex);
  bool& known = record().of_case[fmt::format("{} {} {}", processor, mnemonic, form)];
  known = known || alone;
}

}  // namespace wavesmith::simulator::testing

CATCH_REGISTER_LISTENER(wavesmith::simulator::testing::Listener)
