// `wavesmith emit` as a user runs it.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

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

std::string emitted(const Words& words) {
  const Outcome outcome = cli(Words{"emit"} + words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  REQUIRE(outcome.out.find("define amdgpu_kernel void @") != std::string::npos);
  return outcome.out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string sha256_of(const std::filesystem::path& file) {
  return wavesmith::test::run({"sha256sum", file.string()}).out.substr(0, 64);
}

}  // namespace

TEST_CASE("emit writes the same text to standard output and to a file") {
  const TemporaryFolder folder;
  const std::string file = folder / "kernel.ll";
  const std::string text = emitted(kernel_words());
  CHECK(emitted(kernel_words() + Words{"-o", "-"}) == text);
  const Outcome outcome = cli(Words{"emit"} + kernel_words() + Words{"--output", file});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(read_file(file) == text);
  CHECK(emitted(kernel_words() + Words{"--flavour", "llvm22", "--target", "gfx950"}) == text);
}

TEST_CASE("emit --json describes the text that it holds or wrote") {
  const TemporaryFolder folder;
  const std::string file = folder / "kernel.ll";
  const Outcome inside = cli(Words{"emit"} + kernel_words() + Words{"--json"});
  CHECK(inside.status == 0);
  CHECK(inside.err.empty());
  const auto json = document(inside.out);
  CHECK(json["ir"] == emitted(kernel_words()));
  CHECK(json["target"] == "gfx950");
  CHECK(json["flavour"] == "llvm22");

  const Outcome beside = cli(Words{"emit"} + kernel_words() + Words{"--json", "-o", file});
  const auto described = document(beside.out);
  CHECK(json["ir"] == read_file(file));
  CHECK_FALSE(described.contains("ir"));
  CHECK(described["output"] == file);
  CHECK(described["bytes"] == std::filesystem::file_size(file));
  CHECK(described["ir_sha256"] == sha256_of(file));
  CHECK(read_file(file).find(fmt::format("@{}(", std::string(described["symbol"]))) != std::string::npos);
}

TEST_CASE("a spec that emit --json printed reads back as the same kernel") {
  const TemporaryFolder folder;
  const Words unusual{"--dtype", "fp16", "--mask", "full", "--lds-k-group-pad", "16", "--waves-per-eu", "3"};
  const auto json = document(cli(Words{"emit"} + kernel_words() + unusual + Words{"--json"}).out);
  CHECK(json["spec"]["head_size"] == 64);
  CHECK(json["spec"]["persistent"] == false);
  write_file(folder / "spec.json", std::string(json["spec"].dump()));
  CHECK(json["ir"] == emitted({"attention-dense", "--spec", folder / "spec.json"}));

  const Outcome piped = cli({"emit", "attention-dense", "--spec", "-"}, {}, json["spec"].dump());
  CHECK(json["ir"] == piped.out);
}

TEST_CASE("flags override the spec file, whatever their order") {
  const TemporaryFolder folder;
  const std::string file = folder / "spec.json";
  write_file(file, R"({"head_size": 128, "num_query_heads": 32, "num_kv_heads": 8, "preset": "published"})");
  const std::string plain = emitted(kernel_words());
  CHECK(emitted({"attention-dense", "--spec", file, "--head-size", "64"}) == plain);
  CHECK(emitted({"attention-dense", "--head-size=64", "--spec", file, "--preset", "default"}) == plain);
  CHECK(emitted({"attention-dense", "--spec", file}) == emitted(kernel_words(128)));
}

TEST_CASE("a flag and its negation set the field") {
  const std::string plain = emitted(kernel_words());
  CHECK(emitted(kernel_words() + Words{"--lazy-rescale", "--no-persistent"}) == plain);
  const auto off = document(cli(Words{"emit"} + kernel_words() + Words{"--no-lazy-rescale", "--json"}).out);
  CHECK(off["spec"]["lazy_rescale"] == false);
  CHECK(off["ir"] != plain);
  const auto on = document(cli(Words{"emit"} + kernel_words() + Words{"--sinks", "--json"}).out);
  CHECK(on["spec"]["sinks"] == true);
  CHECK(on["ir"] != plain);
}

TEST_CASE("emit --model-shape sets what a model needs, and explicit fields override it") {
  const Words shape{"attention-dense", "--model-shape", "llama-3.1-8b"};
  CHECK(emitted(shape) == emitted(kernel_words(128)));
  CHECK(emitted(shape + Words{"--head-size", "64"}) == emitted(kernel_words()));
  const Outcome unknown = cli({"emit", "attention-dense", "--model-shape", "llama"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("model_shape = llama is refused: llama-2-7b, llama-3.1-8b") != std::string::npos);
  const Outcome unbuilt = cli({"emit", "attention-dense", "--model-shape", "gemma-2b"});
  CHECK(unbuilt.status == 2);
  CHECK(unbuilt.err.find("head_size = 256 is refused") != std::string::npos);
}

TEST_CASE("emit --symbol renames the kernel and nothing else") {
  const auto json = document(cli(Words{"emit"} + kernel_words() + Words{"--json"}).out);
  const std::string own = json["symbol"];
  const std::string renamed = emitted(kernel_words() + Words{"--symbol", "my_kernel"});
  CHECK(renamed.find(own) == std::string::npos);
  CHECK(replaced(json["ir"], own, "my_kernel") == renamed);
  const Outcome plan = cli(Words{"emit"} + kernel_words() + Words{"--symbol", "my_kernel", "--explain"});
  CHECK(plan.out.find(own) == std::string::npos);
}

TEST_CASE("the group pad is inert at head size 128 and live at 64") {
  const auto pad = [](int head_size, const std::string& elements) {
    return emitted(kernel_words(head_size) + Words{"--lds-k-group-pad", elements});
  };
  CHECK(pad(128, "0") == pad(128, "24"));
  CHECK(pad(64, "0") != pad(64, "24"));
}

TEST_CASE("emit --explain prints the Plan instead of the text") {
  const Outcome outcome = cli(Words{"emit"} + kernel_words() + Words{"--explain"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("define amdgpu_kernel") == std::string::npos);
  CHECK(outcome.out.find("LDS banks") != std::string::npos);
  const auto json = document(cli(Words{"emit"} + kernel_words() + Words{"--explain", "--json"}).out);
  CHECK(json["explain"] == outcome.out);
}

TEST_CASE("options of the request reach the text") {
  const std::string plain = emitted(kernel_words());
  CHECK(plain.find("!\"amdhsa_code_object_version\", i32 500}") != std::string::npos);
  CHECK(emitted(kernel_words() + Words{"--code-object-version", "6"})
            .find("!\"amdhsa_code_object_version\", i32 600}") != std::string::npos);
  CHECK(plain.find("!DILocation") == std::string::npos);
  CHECK(emitted(kernel_words() + Words{"--line-table"}).find("!DILocation") != std::string::npos);
}

TEST_CASE("emit --flavour auto is the flavour of the compiler that is there") {
  CHECK(emitted(kernel_words() + Words{"--flavour", "auto"}) ==
        emitted(kernel_words() + Words{"--flavour", "llvm22"}));
}

TEST_CASE("emit says when no compiler has read the text of a flavour, and writes it") {
  const Outcome unread = cli(Words{"emit"} + kernel_words() + Words{"--flavour", "llvm20"});
  CHECK(unread.status == 0);
  CHECK(unread.err == "flavour llvm20: not verified here\n");
  CHECK(unread.out.starts_with("target datalayout"));
  for (const std::string flavour : {"llvm21", "llvm22", "llvm23"})
    CHECK(cli(Words{"emit"} + kernel_words() + Words{"--flavour", flavour}).err.empty());
}

TEST_CASE("a reader that stops early is no failure") {
  const TemporaryFolder folder;
  // `sleep` keeps the pipe's reader away until all has been tried to be written; true closes it at once.
  const std::string command =
      "wavesmith emit attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8";
  for (const std::string reader : {" | head -n 1", " | true"}) {
    const Outcome outcome =
        shell("for i in 1 2 3 4 5; do " + command + reader + " || exit $?; done", folder.path());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
  }
}
