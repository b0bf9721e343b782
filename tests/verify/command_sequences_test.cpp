// `wavesmith verify` with lists of lengths and with pages, and its saved launches in `wavesmith simulate`, as
// a user runs them.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;
using wavesmith::test::operator+;

namespace {

using Words = std::vector<std::string>;
using Texts = std::vector<std::string>;

const Words kernel{"attention-dense", "--head-size", "64", "--num-query-heads", "2", "--num-kv-heads", "1"};
const Words varlen{"--sequences", "varlen"}, ragged{"--sequences", "ragged"},
    paged{"--kv", "paged", "--page-size", "16"};

Outcome verify(const Words& more, const std::filesystem::path& folder = {}) {
  return cli(Words{"verify"} + kernel + more, folder);
}

Texts refused(const Words& more, const std::filesystem::path& folder = {}) {
  const Outcome outcome = verify(more + Words{"--json"}, folder);
  CHECK(outcome.status == 2);
  const auto json = document(outcome.out);
  Texts texts;
  for (const auto& refusal : json["refusals"])
    texts.push_back(std::string(refusal["field"]) + " = " + std::string(refusal["value"]) +
                    " is refused: " + std::string(refusal["allowed"]));
  return texts;
}

/// Elements of a 16-bit file that are NaN, as both types have it for the pattern that nothing has written.
std::size_t unwritten(const std::string& bytes) {
  std::size_t count = 0;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2)
    count += bytes.compare(at, 2, "\xA5\xFF") == 0 ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("verify takes a length for each batch element and reports them") {
  const Outcome outcome =
      verify(varlen + Words{"--seqlen-q", "129,0,1,65", "--seqlen-kv", "129,64,300,0", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto launch = document(outcome.out)["launch"];
  CHECK(launch["batch"] == 4);
  CHECK(launch["seqlens_q"] == nlohmann::json::array({129, 0, 1, 65}));
  CHECK(launch["seqlens_kv"] == nlohmann::json::array({129, 64, 300, 0}));
  CHECK(launch["seqlen_q"] == 129);
  CHECK(launch["seqlen_kv"] == 300);
  // 130 rows of two heads have keys: 260.
  CHECK(launch["runs"] == 1);
  CHECK(document(outcome.out)["elements"] == 195 * 2 * 64);
  CHECK(launch.find("page_size") == launch.end());
}

TEST_CASE("verify takes one length for all of them, beside a list too") {
  const Outcome outcome = verify(
      ragged + paged + Words{"--seqlen-q", "70", "--seqlen-kv", "33,0,150", "--batch", "3", "--seed", "4"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.contains("batch 3, seqlen_q 70,70,70, seqlen_kv 33,0,150, pages of 16, bshd, seed 4"));
  const Outcome batch = verify(paged + Words{"--seqlen-q", "130", "--seqlen-kv", "130,33", "--json"});
  INFO(batch.err);
  REQUIRE(batch.status == 0);
  const auto launch = document(batch.out)["launch"];
  CHECK(launch["seqlen_q"] == 130);
  CHECK(launch.find("seqlens_q") == launch.end());
  CHECK(launch["seqlens_kv"] == nlohmann::json::array({130, 33}));
  CHECK(launch["page_size"] == 16);
}

TEST_CASE("verify refuses lists that do not agree, and such as the kernel does not take") {
  const std::string one =
      " is refused: one number of tokens: lists are for sequences varlen and ragged, those of keys also for "
      "kv "
      "paged";
  CHECK(refused({"--seqlen-q", "64,65", "--seqlen-kv", "7,8"}) ==
        Texts{"seqlen_q = 64,65" + one, "seqlen_kv = 7,8" + one});
  CHECK(refused(paged + Words{"--seqlen-q", "64,65", "--seqlen-kv", "7,8"}) ==
        Texts{"seqlen_q = 64,65 is refused: one length: the kernel was built with sequences batch"});
  CHECK(refused(Words{"--sequences", "batch", "--seqlen-q", "64", "--seqlen-kv", "7,8"}) ==
        Texts{"seqlen_kv = 7,8 is refused: one length: the kernel was built with sequences batch and kv "
              "contiguous"});
  CHECK(refused(varlen + Words{"--seqlen-q", "64,65", "--seqlen-kv", "7,8,9"}) ==
        Texts{"seqlen_kv = 7,8,9 is refused: one number, or 2 as in seqlen_q"});
  CHECK(refused(varlen + Words{"--seqlen-q", "64,65", "--seqlen-kv", "7,8", "--batch", "3"}) ==
        Texts{"batch = 3 is refused: 2, as many as there are lengths, or nothing"});
  const std::string numbers = " is refused: a number of tokens, or a list of such: 64,300,0";
  CHECK(refused(varlen + Words{"--seqlen-q", "64,", "--seqlen-kv", "7,x"}) ==
        Texts{"seqlen_q = 64," + numbers, "seqlen_kv = 7,x" + numbers});
  CHECK(refused(varlen + Words{"--seqlen-q", "64,65", "--seqlen-kv", "7,-8"}) ==
        Texts{"seqlen_kv = -8 is refused: lengths of at least 0"});
}

TEST_CASE("a saved launch of sequences runs in simulate, with its tables in files beside it") {
  const TemporaryFolder folder;
  REQUIRE(cli(Words{"compile"} + kernel + varlen + Words{"-o", "k.hsaco"}, folder.path()).status == 0);
  const Words lengths{"--seqlen-q", "100,0,65", "--seqlen-kv", "129,64,70"};
  std::filesystem::create_directory(folder / "saved");
  const Outcome saved =
      verify(varlen + lengths + Words{"--save-launch", "saved/l.json", "--json"}, folder.path());
  INFO(saved.err);
  REQUIRE(saved.status == 0);
  CHECK(document(saved.out)["launch"]["files"] ==
        nlohmann::json::array({"saved/l.json.cu_seqlens_q.bin", "saved/l.json.cu_seqlens_kv.bin"}));
  std::vector<std::int32_t> table(4);
  const std::string bytes = read_file(folder / "saved/l.json.cu_seqlens_q.bin");
  REQUIRE(bytes.size() == 16);
  std::memcpy(table.data(), bytes.data(), bytes.size());
  CHECK(table == std::vector<std::int32_t>{0, 100, 100, 165});

  const Words simulate{"simulate", "k.hsaco", "--launch", "saved/l.json"};
  const Outcome outcome = cli(simulate + Words{"--json", "--save", "o=o.bin"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(document(outcome.out)["instructions"]["by_class"]["mfma"] ==
        document(saved.out)["instructions"]["by_class"]["mfma"]);
  const std::string o = read_file(folder / "o.bin");
  CHECK(o.size() == std::size_t{2} * 165 * 2 * 64);
  CHECK(unwritten(o) == 0);
  // The table is what the kernel reads: without the last sequence its rows are not written.
  write_file(folder / "cu.bin", bytes.substr(0, 12) + bytes.substr(8, 4));
  CHECK(cli(simulate + Words{"--load", "cu_seqlens_q=cu.bin", "--save", "o=o.bin"}, folder.path()).status ==
        0);
  CHECK(unwritten(read_file(folder / "o.bin")) == std::size_t{65} * 2 * 64);
}

TEST_CASE("a saved launch of pages runs in simulate, and hangs on its table") {
  const TemporaryFolder folder;
  REQUIRE(cli(Words{"compile"} + kernel + paged + Words{"-o", "k.hsaco"}, folder.path()).status == 0);
  const Words lengths{"--seqlen-q", "130", "--seqlen-kv", "130,33"};
  const Outcome saved = verify(paged + lengths + Words{"--save-launch", "l.json"}, folder.path());
  INFO(saved.err);
  REQUIRE(saved.status == 0);
  CHECK(saved.out.contains("l.json.seqlens_kv.bin, l.json.block_table.bin"));
  const auto o_of = [&](const Words& more) {
    const Outcome outcome =
        cli(Words{"simulate", "k.hsaco", "--launch", "l.json", "--save", "o=o.bin"} + more, folder.path());
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return read_file(folder / "o.bin");
  };
  const std::string o = o_of({});
  CHECK(o.size() == std::size_t{2} * 2 * 130 * 2 * 64);
  CHECK(unwritten(o) == 0);
  std::string table = read_file(folder / "l.json.block_table.bin");
  std::swap_ranges(table.begin(), table.begin() + 4, table.begin() + 4);
  write_file(folder / "swapped.bin", table);
  const std::string other = o_of({"--load", "block_table=swapped.bin"});
  CHECK(other.size() == o.size());
  CHECK(other != o);
}

TEST_CASE("a launch with tables is not saved to standard output, nor over one of its files") {
  const TemporaryFolder folder;
  const Words lengths{"--seqlen-q", "129", "--seqlen-kv", "129"};
  CHECK(refused(varlen + lengths + Words{"--save-launch", "-"}, folder.path()).size() == 1);
  const Outcome outcome = verify(varlen + lengths + Words{"--save-launch", "-"}, folder.path());
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.contains(
      "save_launch = - is refused: a file: the launch has tables of lengths or pages, which go "
      "next to it"));
  // One file by two names.
  write_file(folder / "l.json", "kept");
  std::filesystem::create_symlink(folder / "l.json", folder / "l.json.cu_seqlens_q.bin");
  const Texts texts = refused(varlen + lengths + Words{"--save-launch", "l.json"}, folder.path());
  REQUIRE(texts.size() == 1);
  CHECK(texts.front().starts_with("save_launch = "));
  CHECK(read_file(folder / "l.json") == "kept");
  CHECK(refused(varlen + lengths + Words{"--save-launch", "\xff.json"}, folder.path()).size() == 1);
}
