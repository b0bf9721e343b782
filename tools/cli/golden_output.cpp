// Writing reviews.
#include "tools/cli/golden_output.h"

#include "golden/golden_file.h"
#include "golden/resource_file.h"
#include "tools/cli/files.h"
#include "tools/cli/golden_folder.h"

namespace wavesmith::cli {

OptionGroup golden_output_options() {
  return {
      .title = "Output",
      .options = {{.name = "junit",
                   .placeholder = "FILE",
                   .meaning = "also write JUnit XML, one test a case and flavour"},
                  {.name = "markdown",
                   .placeholder = "FILE",
                   .meaning = "also write Markdown, ready to paste into a review; - for standard output"}}};
}

void check_golden_outputs(const Arguments& arguments, std::vector<std::string_view> more,
                          std::vector<Refusal>& refusals) {
  std::vector<Output> outputs;
  more.insert(more.end(), {"junit", "markdown"});
  for (const std::string_view name : more)
    if (const auto file = arguments.value(name)) outputs.push_back({field_name(name), *file});
  std::vector<Output> inputs;
  if (const auto folder = golden_folder(arguments, {}))
    for (const std::string_view name : {golden::golden_file_name, golden::resource_file_name})
      inputs.push_back({std::string(name), (*folder / name).string()});
  check_outputs(outputs, arguments.flag("json"), refusals, inputs);
}

Expected<void> write_golden_outputs(const Arguments& arguments, const Review& review,
                                    std::span<const JUnitCase> cases, Report& report) {
  report.text = review_text(review);
  if (const auto file = arguments.value("junit")) {
    if (const auto written = write_output(*file, junit_text(review.title, cases), "junit"); !written)
      return written;
    report.stdout_taken = report.stdout_taken || *file == "-";
  }
  if (const auto file = arguments.value("markdown")) {
    if (const auto written = write_output(*file, review_markdown(review), "markdown"); !written)
      return written;
    report.stdout_taken = report.stdout_taken || *file == "-";
  }
  return {};
}

}  // namespace wavesmith::cli
