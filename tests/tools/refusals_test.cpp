// What is wrong with a request is said by field, value and what is allowed, all of it at once, with the right
// exit status.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::kernel_words;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::shell;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;
using wavesmith::test::operator+;

namespace {

using Words = std::vector<std::string>;

// The refused fields of a command, in order; checks that messages and document agree and that nothing else is
// on standard output.
std::vector<std::string> refused_fields(const Words& words, std::filesystem::path folder = {}) {
  const TemporaryFolder own;  // a request that is not refused must not write into the sources
  if (folder.empty()) folder = own.path();
  const Outcome plain = cli(words, folder);
  CHECK(plain.status == 2);
  CHECK(plain.out.empty());
  const Outcome outcome = cli(words + Words{"--json"}, folder);
  CHECK(outcome.status == 2);
  CHECK(outcome.err == plain.err);
  const auto json = document(outcome.out);
  CHECK(json["ok"] == false);
  CHECK(json["kind"] == "invalid_request");
  CHECK(json["log"] == "");
  std::vector<std::string> fields;
  for (const auto& refusal : json["refusals"]) {
    const std::string field = refusal["field"], value = refusal["value"], allowed = refusal["allowed"];
    CHECK_FALSE(value.empty());
    CHECK_FALSE(allowed.empty());
    CHECK(plain.err.find(field + " = " + value + " is refused: " + allowed) != std::string::npos);
    fields.push_back(field);
  }
  return fields;
}

std::vector<std::string> refused_kernel(const Words& more, int head_size = 64) {
  return refused_fields(Words{"emit"} + kernel_words(head_size) + more);
}

using Fields = std::vector<std::string>;

}  // namespace

TEST_CASE("pads that the layout cannot have are refused") {
  for (const std::string pad : {"4", "12", "-8", "72", "8.0", "0x8", "+8", " 8", "eight"})
    CHECK(refused_kernel({"--lds-k-group-pad", pad}) == Fields{"lds_k_group_pad"});
  CHECK(refused_kernel({"--lds-k-row-pad", "12"}, 128) == Fields{"lds_k_row_pad"});
}

TEST_CASE("head sizes, targets and head counts that are not built are refused") {
  for (const int head_size : {32, 96, 256, 0, -64})
    CHECK(refused_kernel({}, head_size) == Fields{"head_size"});
  for (const std::string target : {"gfx942", "gfx1151", "gfx9", "950", "gfx950:xnack", "gfx950:nosuch+"})
    CHECK(refused_kernel({"--target", target}) == Fields{"target"});
  CHECK(refused_fields({"emit", "attention-dense", "--head-size", "64", "--num-query-heads", "33",
                        "--num-kv-heads", "2"}) == Fields{"num_query_heads"});
}

TEST_CASE("waves-per-eu outside 1 to 8 is refused, however large") {
  for (const std::string waves : {"0", "9", "-1", "99999999999", "99999999999999999999999999"})
    CHECK(refused_kernel({"--waves-per-eu", waves}) == Fields{"waves_per_eu"});
}

TEST_CASE("all that is wrong with a request is reported at once") {
  const Fields fields = refused_fields({"emit",
                                        "attention-dense",
                                        "--head-size",
                                        "96",
                                        "--num-query-heads",
                                        "33",
                                        "--num-kv-heads",
                                        "2",
                                        "--lds-k-group-pad",
                                        "12",
                                        "--waves-per-eu",
                                        "9",
                                        "--target",
                                        "gfx942",
                                        "--symbol",
                                        "7up",
                                        "--flavour",
                                        "llvm19",
                                        "--code-object-version",
                                        "4",
                                        "--frobnicate",
                                        "3"});
  for (const std::string field : {"head_size", "num_query_heads", "lds_k_group_pad", "waves_per_eu", "target",
                                  "symbol", "flavour", "code_object_version", "option"})
    CHECK(std::ranges::count(fields, field) == 1);
  CHECK(fields.size() == 9);
}

TEST_CASE("what is missing is named") {
  CHECK(refused_fields({"emit"}) == Fields{"family"});
  CHECK(refused_fields({"emit", "attention-dense"}) ==
        Fields{"head_size", "num_query_heads", "num_kv_heads"});
  CHECK(refused_fields(Words{"compile"} + kernel_words()) == Fields{"output"});
  CHECK(refused_fields({"inspect"}) == Fields{"file"});
  CHECK(refused_fields({"golden"}) == Fields{"golden command"});
  CHECK(cli({}).status == 2);
}

TEST_CASE("unknown commands, families, options and arguments are refused") {
  CHECK(refused_fields({"frobnicate"}) == Fields{"command"});
  CHECK(refused_fields({"golden", "frobnicate"}) == Fields{"golden command"});
  CHECK(refused_fields({"emit", "attention-sparse"}) == Fields{"family"});
  CHECK(refused_kernel({"--frobnicate"}) == Fields{"option"});
  CHECK(refused_kernel({"-x", "3", "--frobnicate=4"}) == Fields{"option", "option"});
  CHECK(refused_kernel({"stray"}) == Fields{"argument"});
  CHECK(refused_kernel({""}) == Fields{"argument"});
  CHECK(refused_fields({"list", "stray"}) == Fields{"argument"});
  CHECK(refused_fields({"golden", "check", "--yes"}) == Fields{"option"});
  const Outcome mistyped = cli(Words{"emit"} + kernel_words() + Words{"--lds-k-goup-pad", "8"});
  CHECK(mistyped.err.find("did you mean --lds-k-group-pad?") != std::string::npos);
}

TEST_CASE("values that are empty, given twice or no choice are refused") {
  CHECK(refused_kernel({"--target", ""}) == Fields{"target"});
  CHECK(refused_kernel({"--target="}) == Fields{"target"});
  CHECK(refused_kernel({"--target"}) == Fields{"target"});
  CHECK(refused_kernel({"--symbol="}) == Fields{"symbol"});
  CHECK(refused_kernel({"--dtype", ""}) == Fields{"dtype"});
  CHECK(refused_kernel({"--head-size", "128"}) == Fields{"head_size"});
  CHECK(refused_kernel({"--persistent", "--no-persistent"}) == Fields{"persistent"});
  CHECK(refused_kernel({"--persistent=maybe"}) == Fields{"persistent"});
  CHECK(refused_kernel({"--dtype", "fp8"}) == Fields{"dtype"});
  CHECK(refused_kernel({"--preset", "fastest"}) == Fields{"preset"});
  CHECK(refused_kernel({"-o", ""}) == Fields{"output"});
  CHECK(refused_fields(Words{"compile"} + kernel_words() + Words{"-o", "a", "--compiler", "gcc"}) ==
        Fields{"compiler"});
}

TEST_CASE("symbols that are no C identifier are refused") {
  for (const std::string symbol : {"7up", "a b", "llvm.trap", "caf\xc3\xa9", "\xff", "a\nb", "k\"", "@k"})
    CHECK(cli(Words{"emit"} + kernel_words() + Words{"--symbol", symbol}).status == 2);
  CHECK(refused_kernel({"--symbol", std::string(256, 'a')}) == Fields{"symbol"});
  CHECK(cli(Words{"emit"} + kernel_words() + Words{"--symbol", std::string(255, 'a')}).status == 0);
}

TEST_CASE("bytes that are no text cannot break the document or reach the terminal") {
  const Outcome outcome = cli(Words{"emit"} + kernel_words() + Words{"--target", "\x1b[31m\xff", "--json"});
  CHECK(outcome.status == 2);
  CHECK(document(outcome.out)["refusals"].size() == 1);
  CHECK(outcome.err.find('\x1b') == std::string::npos);
}

TEST_CASE("spec files are refused field by field") {
  const TemporaryFolder folder;
  const auto refused = [&](std::string_view text) {
    write_file(folder / "spec.json", text);
    return refused_fields({"emit", "attention-dense", "--spec", "spec.json"}, folder.path());
  };
  const std::string heads = R"("num_query_heads": 32, "num_kv_heads": 8)";
  for (const std::string garbage : {"", "{", "[]", "64", "{\"head_size\": 64", "ELF", "null"})
    CHECK(refused(garbage) == Fields{"spec"});
  CHECK(refused("{\"head_size\": 64, \"head_size\": 128, " + heads + "}") == Fields{"spec"});
  CHECK(refused("{\"head_size\": \"64\", " + heads + "}") == Fields{"head_size"});
  CHECK(refused("{\"head_size\": 64.0, " + heads + "}") == Fields{"head_size"});
  CHECK(refused("{\"head_size\": 99999999999, " + heads + "}") == Fields{"head_size"});
  CHECK(refused("{\"head_size\": 64, \"persistent\": \"true\", " + heads + "}") == Fields{"persistent"});
  CHECK(refused("{\"head_size\": 64, \"dtype\": 16, " + heads + "}") == Fields{"dtype"});
  CHECK(refused("{\"head_size\": 64, \"frobnicate\": [1], " + heads + "}") == Fields{"frobnicate"});
  CHECK(refused("{\"head_size\": 64, \"preset\": \"fastest\", " + heads + "}") == Fields{"preset"});
  CHECK(refused_fields({"emit", "attention-dense", "--spec", "nosuch.json"}, folder.path()) ==
        Fields{"spec"});
  CHECK(refused_fields({"emit", "attention-dense", "--spec", "."}, folder.path()) == Fields{"spec"});
}

TEST_CASE("results cannot share a place") {
  const TemporaryFolder folder;
  const Words compile = Words{"compile"} + kernel_words();
  const Outcome same = cli(compile + Words{"-o", "a", "--save-ir", "a"}, folder.path());
  CHECK(same.status == 2);
  CHECK(same.err.find("save_ir = a is refused: another place than output") != std::string::npos);
  CHECK(cli(compile + Words{"-o", "-", "--save-asm", "-"}, folder.path()).status == 2);
  CHECK(cli(compile + Words{"-o", "-", "--json"}, folder.path()).status == 2);
  // Other names for the same file.
  write_file(folder / "spec.json", R"({"num_kv_heads": 8})");
  write_file(folder / "b", "");
  std::filesystem::create_symlink("b", folder / "link");
  std::filesystem::create_hard_link(folder / "spec.json", folder / "hard.json");
  const std::string absolute = (folder / "a").string();
  for (const auto& [first, second] :
       {std::pair<std::string, std::string>{"a", "./a"}, {"a", absolute}, {"b", "link"}})
    CHECK(cli(compile + Words{"-o", first, "--save-ir", second}, folder.path()).status == 2);
  const Words from_spec{"emit", "attention-dense", "--head-size", "64", "--num-query-heads",
                        "32",   "--spec",          "spec.json"};
  for (const std::string place : {"spec.json", "hard.json"}) {
    const Outcome onto = cli(from_spec + Words{"-o", place}, folder.path());
    CHECK(onto.status == 2);
    CHECK(onto.err.find("is refused: another file than spec, which is read") != std::string::npos);
  }
  CHECK(read_file(folder / "spec.json") == R"({"num_kv_heads": 8})");
}

TEST_CASE("closed standard streams do not lead messages into results") {
  const TemporaryFolder folder;
  std::string words;
  for (const std::string& word : Words{"wavesmith", "emit"} + kernel_words()) words += word + " ";
  CHECK(shell(words + "-o expected", folder.path()).status == 0);
  CHECK(shell(words + "-o closed >&-", folder.path()).status == 4);  // what it has to say cannot be said
  CHECK(shell(words + "-o silent 2>&-", folder.path()).status == 0);
  CHECK(shell(words + "-o all <&- 2>&- >&-", folder.path()).status == 4);
  for (const std::string file : {"closed", "silent", "all"})
    CHECK(read_file(folder / file) == read_file(folder / "expected"));
  CHECK(shell(words + "--head-size 3 2>&-", folder.path()).status == 2);
}

TEST_CASE("a comgr that is named is taken or refused") {
  const TemporaryFolder folder;
  const Words compile = Words{"compile"} + kernel_words() + Words{"-o", "k", "--comgr", "/no/such/library"};
  CHECK(cli(compile, folder.path()).status == 4);
  const Outcome other = cli(compile + Words{"--compiler", "llvm"}, folder.path());
  CHECK(other.status == 2);
  CHECK(other.err.find("comgr = /no/such/library is refused") != std::string::npos);
}

TEST_CASE("a spec that is nested too deeply is refused") {
  const TemporaryFolder folder;
  constexpr int deep = 200000;
  const std::string value = std::string(deep, '[') + "1" + std::string(deep, ']');
  write_file(folder / "spec.json", R"({"head_size": 64, "a": )" + value + "}");
  const Outcome outcome = cli({"emit", "attention-dense", "--spec", "spec.json"}, folder.path());
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("200001 deep") != std::string::npos);
  CHECK(outcome.err.size() < 500);
}

TEST_CASE("a result that cannot be written is the environment's failure") {
  const TemporaryFolder folder;
  const std::string place = GENERATE("no/such/folder/kernel", ".", "/dev/full");
  INFO(place);
  for (const std::string command : {"emit", "compile"}) {
    const Outcome outcome =
        cli(Words{command} + kernel_words() + Words{"-o", place, "--json"}, folder.path());
    CHECK(outcome.status == 4);
    const auto json = document(outcome.out);
    CHECK(json["kind"] == "environment");
    CHECK(json["refusals"][0]["field"] == "output");
    CHECK(json["refusals"][0]["value"] == place);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("standard output that is full is a failure") {
  const TemporaryFolder folder;
  CHECK(wavesmith::test::shell("wavesmith list > /dev/full", folder.path()).status == 4);
}
