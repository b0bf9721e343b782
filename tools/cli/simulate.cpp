// `wavesmith simulate`: runs any code object on the simulator, as a launch file says.
#include "tools/verify/simulate.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <ranges>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/identity.h"
#include "runtime/code_object.h"
#include "tools/cli/command.h"
#include "tools/cli/dispatch_text.h"
#include "tools/cli/files.h"
#include "tools/cli/numbers.h"
#include "tools/cli/progress.h"
#include "tools/cli/simulator_options.h"
#include "tools/cli/table.h"
#include "tools/verify/report.h"
#include "tools/verify/trace.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Launch",
           .options = {{.name = "launch",
                        .placeholder = "FILE",
                        .meaning = "the launch as JSON, - for standard input (required)"},
                       {.name = "load",
                        .placeholder = "ARG=FILE",
                        .meaning = "bytes of a buffer from a file; may stand more than once",
                        .repeatable = true},
                       {.name = "save",
                        .placeholder = "ARG=FILE",
                        .meaning =
                            "write a buffer after the run, - for standard output; may stand more than once",
                        .repeatable = true}}},
          {.title = "Trace",
           .options = {{.name = "trace",
                        .placeholder = "FILE",
                        .meaning = "write every executed instruction, - for standard error; one thread"},
                       {.name = "trace-workgroup", .placeholder = "X,Y,Z", .meaning = "only this workgroup"},
                       {.name = "trace-wave", .placeholder = "N", .meaning = "only this wave of a workgroup"},
                       {.name = "trace-from",
                        .placeholder = "ADDRESS",
                        .meaning = "lowest address, as a disassembler prints it (0x2f00)"},
                       {.name = "trace-to", .placeholder = "ADDRESS", .meaning = "highest address"},
                       {.name = "trace-registers",
                        .placeholder = "LIST",
                        .meaning = "registers after each instruction: v0-v3,s4,a0-a1"}}},
          simulator_options(),
          {.title = "Output", .options = {}}};
}

/// "ARG=FILE", taken apart.
struct BufferFile {
  std::string buffer, path;
};

std::vector<BufferFile> read_buffer_files(const Arguments& arguments, std::string_view option,
                                          std::vector<Refusal>& refusals) {
  std::vector<BufferFile> files;
  for (const std::string& word : arguments.list(option)) {
    const std::size_t equals = word.find('=');
    if (word.empty()) continue;  // refused already
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      refusals.push_back({std::string(option), word, "ARG=FILE, with the name of a buffer of the launch"});
    else if (std::ranges::find(files, word.substr(0, equals), &BufferFile::buffer) != files.end())
      refusals.push_back({std::string(option), word, "one file for each buffer"});
    else
      files.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return files;
}

verify::TraceSelection read_selection(const Arguments& arguments, std::vector<Refusal>& refusals) {
  verify::TraceSelection selection;
  for (const std::string_view name :
       {"trace-workgroup", "trace-wave", "trace-from", "trace-to", "trace-registers"})
    if (const auto text = arguments.value(name); text && !arguments.value("trace"))
      refusals.push_back({field_name(name), *text, "only with --trace FILE"});
  if (const auto text = arguments.value("trace-workgroup")) {
    std::vector<std::uint32_t> id;
    for (const auto part : std::views::split(*text, ','))
      if (const auto number = parse_number<std::uint32_t>({part.begin(), part.end()})) id.push_back(*number);
    if (id.size() == 3 && std::ranges::count(*text, ',') == 2)
      selection.workgroup = {id[0], id[1], id[2]};
    else
      refusals.push_back({"trace_workgroup", *text, "three numbers: x,y,z"});
  }
  if (const auto text = arguments.value("trace-wave")) {
    selection.wave = parse_number<std::uint32_t>(*text);
    if (!selection.wave) refusals.push_back({"trace_wave", *text, "the number of a wave in its workgroup"});
  }
  for (const auto& [name, address] :
       {std::pair{"trace-from", &selection.from}, std::pair{"trace-to", &selection.to}})
    if (const auto text = arguments.value(name)) {
      if (const auto value = parse_address(*text))
        *address = *value;
      else
        refusals.push_back({field_name(name), *text, "an address: 0x and hexadecimal digits, or decimal"});
    }
  if (selection.from > selection.to)
    refusals.push_back({"trace_to", fmt::format("{:#x}", selection.to), "not below trace_from"});
  if (const auto text = arguments.value("trace-registers")) {
    auto registers = verify::parse_registers(*text, "trace_registers");
    if (registers)
      selection.registers = std::move(*registers);
    else
      refusals.insert(refusals.end(), registers.error().refusals.begin(), registers.error().refusals.end());
  }
  return selection;
}

/// The file that a trace goes to; closed at the end.
class TraceFile {
 public:
  static Expected<TraceFile> open(const std::string& path) {
    TraceFile trace;
    trace.path_ = path;
    if (path == "-") return trace;
    trace.file_.reset(std::fopen(path.c_str(), "we"));
    if (!trace.file_) return trace.failed();
    return trace;
  }
  [[nodiscard]] std::FILE* get() const { return file_ ? file_.get() : stderr; }
  /// Tells whether everything could be written.
  [[nodiscard]] Expected<void> finish() {
    errno = 0;
    if (std::fflush(get()) != 0 || std::ferror(get()) != 0) return failed();
    return {};
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  std::unexpected<Error> failed() const {
    const Refusal refusal{
        "trace", path_,
        fmt::format("a file that can be written: {}", std::generic_category().message(errno))};
    return std::unexpected(Error{ErrorKind::environment, refusal.message(), {}, {refusal}});
  }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// A path in a launch file is relative to the file's own folder.
std::string beside(const std::string& launch_file, const std::string& path) {
  if (launch_file == "-") return path;
  return (std::filesystem::path(launch_file).parent_path() / path).string();
}

/// Bytes of the buffers that are files or are given on the command line.
verify::Contents read_contents(const verify::LaunchFile& launch, const std::string& launch_path,
                               std::span<const BufferFile> loads, std::vector<Refusal>& refusals) {
  verify::Contents contents;
  const auto read = [&](const std::string& buffer, const std::string& path) {
    Expected<std::string> bytes = read_input(path, buffer);
    if (bytes)
      contents.insert_or_assign(buffer, std::move(*bytes));
    else
      refusals.insert(refusals.end(), bytes.error().refusals.begin(), bytes.error().refusals.end());
  };
  for (const BufferFile& load : loads) read(load.buffer, load.path);
  for (const auto& [buffer, path] : verify::files_of(launch))
    if (std::ranges::find(loads, buffer, &BufferFile::buffer) == loads.end())
      read(buffer, beside(launch_path, path));
  return contents;
}

std::string_view as_characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Expected<void> save_buffers(verify::Simulation& simulation, std::span<const BufferFile> saves) {
  for (const BufferFile& save : saves) {
    const auto buffer = std::ranges::find(simulation.buffers, save.buffer, &verify::SimulatedBuffer::name);
    const auto bytes = simulation.contents(*buffer);
    if (!bytes) return std::unexpected(bytes.error());
    if (const auto written = write_output(save.path, as_characters(*bytes), "save"); !written) return written;
  }
  return {};
}

Expected<void> describe_outputs(verify::Simulation& simulation, Report& report) {
  Table table(
      {{"buffer", Table::Align::left}, {"bytes", Table::Align::right}, {"sha256", Table::Align::left}});
  report.json["outputs"] = Json::array();
  for (const verify::SimulatedBuffer& buffer : simulation.buffers) {
    const auto bytes = simulation.contents(buffer);
    if (!bytes) return std::unexpected(bytes.error());
    const std::string sha256 = generator::sha256_hex(as_characters(*bytes));
    report.json["outputs"].push_back({{"arg", buffer.name}, {"bytes", buffer.bytes}, {"sha256", sha256}});
    table.row({for_cell(buffer.name), fmt::format("{}", buffer.bytes), sha256});
  }
  if (!simulation.buffers.empty()) report.text += "buffers after the run\n" + table.text();
  return {};
}

/// What the command line asks for, checked in itself.
struct Request {
  std::string code_path, launch_path;
  std::vector<BufferFile> loads, saves;
  verify::TraceSelection selection;
  simulator::Options options;
};

Request read_request(const Arguments& arguments, std::vector<Refusal>& refusals) {
  Request request;
  const auto refused = [&](std::string_view field) {
    return std::ranges::find(refusals, field, &Refusal::field) != refusals.end();
  };
  request.code_path = arguments.positional.value_or("");
  if (!arguments.positional)
    refusals.push_back({"file", "(missing)", "a code object, or - for standard input"});
  request.launch_path = arguments.value_or("launch", "");
  if (!arguments.value("launch") && !refused("launch"))
    refusals.push_back({"launch", "(missing)", "--launch FILE, or - for standard input"});
  request.loads = read_buffer_files(arguments, "load", refusals);
  request.saves = read_buffer_files(arguments, "save", refusals);
  std::size_t from_stdin = (request.code_path == "-" ? 1 : 0) + (request.launch_path == "-" ? 1 : 0);
  for (const BufferFile& load : request.loads) from_stdin += load.path == "-" ? 1 : 0;
  if (from_stdin > 1) refusals.push_back({"input", "-", "standard input for one of the files"});
  std::vector<Output> outputs;
  for (const BufferFile& save : request.saves) outputs.push_back({"save", save.path});
  if (const auto trace = arguments.value("trace"); trace && *trace != "-")
    outputs.push_back({"trace", *trace});
  std::vector<Output> inputs{{"file", request.code_path}, {"launch", request.launch_path}};
  for (const BufferFile& load : request.loads) inputs.push_back({"load", load.path});
  check_outputs(outputs, arguments.flag("json"), refusals, inputs);
  request.selection = read_selection(arguments, refusals);
  request.options = read_simulator_options(arguments, refusals);
  return request;
}

void check_saves(const verify::LaunchFile& launch, std::span<const BufferFile> saves,
                 std::vector<Refusal>& refusals) {
  const std::vector<std::string> names = verify::buffers_of(launch);
  for (const BufferFile& save : saves)
    if (std::ranges::find(names, save.buffer) == names.end())
      refusals.push_back({"save", save.buffer, fmt::format("a buffer: {}", fmt::join(names, ", "))});
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  Request request = read_request(arguments, refusals);
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  const Expected<std::string> code = read_input(request.code_path, "file");
  if (!code) return std::unexpected(code.error());
  if (const auto object = runtime::read_code_object(std::as_bytes(std::span(*code))); !object)
    return std::unexpected(
        Error::refused({{"file", request.code_path, "an AMDGPU code object: " + object.error().message}}));
  const Expected<std::string> launch_text = read_input(request.launch_path, "launch");
  if (!launch_text) return std::unexpected(launch_text.error());
  const auto launch = verify::parse_launch_file(*launch_text);
  if (!launch) return std::unexpected(launch.error());
  check_saves(*launch, request.saves, refusals);
  const verify::Contents contents = read_contents(*launch, request.launch_path, request.loads, refusals);
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));

  std::optional<TraceFile> trace;
  std::uint64_t traced = 0;
  if (const auto path = arguments.value("trace")) {
    auto opened = TraceFile::open(*path);
    if (!opened) return std::unexpected(opened.error());
    trace = std::move(*opened);
    request.options.trace = [&](const simulator::TraceEvent& event) {
      traced += verify::write_trace(trace->get(), request.selection, event) ? 1 : 0;
    };
  }
  ProgressBar progress("simulating workgroups");
  if (!trace || trace->get() != stderr)
    request.options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  auto simulation = verify::simulate(std::as_bytes(std::span(*code)), *launch, contents, request.options);
  if (!simulation) return std::unexpected(simulation.error());
  if (trace)
    if (const auto finished = trace->finish(); !finished) return std::unexpected(finished.error());
  if (const auto saved = save_buffers(*simulation, request.saves); !saved)
    return std::unexpected(saved.error());

  Report report;
  const bool ok = verify::clean(simulation->report);
  report.json["ok"] = ok;
  report.json.update(verify::report_json(simulation->report));
  report.json["kernel"] = launch->kernel;
  report.text =
      fmt::format("{}: {}\n", launch->kernel, simulation->report.fault ? "was stopped" : "ran to its end");
  report.text += dispatch_text(simulation->report);
  if (trace) {
    report.json["traced_instructions"] = traced;
    report.text += fmt::format("trace: {} of the executed instructions\n", traced);
  }
  if (const auto described = describe_outputs(*simulation, report); !described)
    return std::unexpected(described.error());
  report.failed = !ok;
  report.stdout_taken = std::ranges::find(request.saves, "-", &BufferFile::path) != request.saves.end();
  return report;
}

}  // namespace

Command simulate_command() {
  return {.name = "simulate",
          .meaning = "run any code object on the simulator",
          .example = {"wavesmith compile attention-dense --head-size 64 --num-query-heads 2 --num-kv-heads 1 "
                      "-o kernel.hsaco",
                      "wavesmith verify attention-dense --head-size 64 --num-query-heads 2 --num-kv-heads 1 "
                      "--seqlen-q 65 --seqlen-kv 65 --save-launch launch.json",
                      "wavesmith simulate kernel.hsaco --launch launch.json --save o=o.bin"},
          .positional =
              Positional{.name = "FILE", .meaning = "a linked AMDGPU code object, - for standard input"},
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
