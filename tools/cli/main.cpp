// The program `wavesmith`: runs the command that the command line names and prints its report. Text for
// people goes to standard output, with --json one JSON document instead; messages always go to standard
// error. The exit status is ErrorKind's value.
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <ranges>
#include <string>
#include <vector>

#include <fcntl.h>

#include <fmt/format.h>

#include "tools/cli/command.h"
#include "tools/cli/files.h"
#include "tools/cli/help.h"
#include "tools/cli/parser.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::check_failed:
      return "check_failed";
    case ErrorKind::invalid_request:
      return "invalid_request";
    case ErrorKind::compiler_failed:
      return "compiler_failed";
    case ErrorKind::environment:
      return "environment";
  }
  return "";
}

// Bytes that are no UTF-8 (file names, symbols of foreign code objects) become replacement characters.
std::string document(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_error(std::string_view text) {
  fmt::print(stderr, "{}", for_terminal(text));
}

// Standard output that cannot be written is the one error that has to override the command's own status.
int print(std::string_view text, int status) {
  const Expected<void> written = write_output("-", text, "standard output");
  if (written) return status;
  print_error(fmt::format("wavesmith: {}\n", written.error().message));
  return static_cast<int>(written.error().kind);
}

int report_error(const Error& error, std::string_view command, bool json) {
  std::string text;
  for (const auto line : std::views::split(error.message, '\n'))
    text += fmt::format("wavesmith{}{}: {}\n", command.empty() ? "" : " ", command,
                        std::string_view(line.begin(), line.end()));
  if (!error.log.empty()) text += error.log + (error.log.ends_with('\n') ? "" : "\n");
  print_error(text);
  const int status = static_cast<int>(error.kind);
  if (!json) return status;
  Json refusals = Json::array();
  for (const Refusal& refusal : error.refusals)
    refusals.push_back({{"field", refusal.field}, {"value", refusal.value}, {"allowed", refusal.allowed}});
  const Json failure = {{"ok", false},
                        {"kind", name_of(error.kind)},
                        {"message", error.message},
                        {"refusals", std::move(refusals)},
                        {"log", error.log}};
  return print(document(failure), status);
}

int run(const std::vector<std::string>& words) {
  const std::vector<Command> commands{
      emit_command(),         compile_command(),     inspect_command(),      verify_command(),
      simulate_command(),     contract_command(),    golden_check_command(), golden_bless_command(),
      golden_diff_command(),  golden_list_command(), cache_list_command(),   cache_verify_command(),
      cache_prune_command(),  cache_clear_command(), cache_warm_command(),   cache_export_command(),
      cache_import_command(), doctor_command(),      list_command()};
  if (!words.empty() && (words.front() == "--help" || words.front() == "-h"))
    return print(overview(commands, ""), 0);
  if (!words.empty() && words.front() == "--version") return print("wavesmith " WAVESMITH_VERSION "\n", 0);

  Invocation invocation = parse(commands, words);
  if (!invocation.help.empty()) return print(invocation.help, 0);
  if (invocation.command == nullptr)
    return report_error(Error::refused(std::move(invocation.refusals)), "", invocation.json);
  const Command& command = *invocation.command;
  const Expected<Report> report = command.run(invocation.arguments, std::move(invocation.refusals));
  if (!report) return report_error(report.error(), command.name, invocation.json);

  print_error(report->messages);
  const int status = report->failed ? static_cast<int>(report->failure) : 0;
  if (invocation.json) return print(document(report->json), status);
  if (!report->stdout_taken) return print(report->text, status);
  print_error(report->text);
  return status;
}

}  // namespace
}  // namespace wavesmith::cli

namespace {

// A standard stream that the caller closed would otherwise be the next file that is opened, and messages
// would end up in results. Nothing can be read from or written to the replacements, but messages may be lost.
void hold_standard_streams() {
  constexpr std::array<int, 3> modes{O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(
          open("/dev/null", modes[static_cast<std::size_t>(stream)]));  // the lowest free number
}

}  // namespace

int main(int count, char** words) {
  hold_standard_streams();
  // A reader that stops early (`| head`) shows as an error of write(), which is no failure.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  try {
    return wavesmith::cli::run({words + std::min(count, 1), words + count});
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "wavesmith: %s\n", error.what()));
    return static_cast<int>(wavesmith::ErrorKind::environment);
  }
}
