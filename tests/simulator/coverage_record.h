// Which instruction forms ran in test cases that passed, for the coverage report. Snippets calls executed();
// a listener of the test runner keeps what a passed case with assertions ran, and writes it at the end of the
// run to the file that the environment variable WAVESMITH_EXECUTED_FORMS names. coverage_test.cpp reads it.
#pragma once

#include <string>
#include <string_view>

namespace wavesmith::simulator::testing {

/// An instruction ran in the current test case. `alone`: in a snippet of this form and waits only, so that
/// what the case compared is this form's work.
void executed(std::string_view processor, std::string_view mnemonic, std::string_view form, bool alone);

inline constexpr const char* kExecutedFormsVariable = "WAVESMITH_EXECUTED_FORMS";

}  // namespace wavesmith::simulator::testing
