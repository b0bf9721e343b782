// `wavesmith verify` and `wavesmith simulate` as a user runs them.
#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::run;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;
using wavesmith::test::operator+;

namespace {

using Words = std::vector<std::string>;
using Fields = std::vector<std::string>;

const Words kernel{"attention-dense", "--head-size", "64", "--num-query-heads", "2", "--num-kv-heads", "1"};
// 258 rows: one run.
const Words shape{"--seqlen-q", "129", "--seqlen-kv", "129"};

Outcome verify(const Words& more) {
  return cli(Words{"verify"} + kernel + more);
}

Fields refused(const Words& words, const std::filesystem::path& folder = {}) {
  const Outcome outcome = cli(words + Words{"--json"}, folder);
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  const auto json = document(outcome.out);
  Fields fields;
  for (const auto& refusal : json["refusals"]) {
    const std::string field = refusal["field"], value = refusal["value"], allowed = refusal["allowed"];
    CHECK_FALSE(value.empty());
    CHECK_FALSE(allowed.empty());
    CHECK(outcome.err.find(field + " = " + value + " is refused: " + allowed) != std::string::npos);
    fields.push_back(field);
  }
  std::ranges::sort(fields);
  return fields;
}

Fields refused_launch(const Words& more) {
  return refused(Words{"verify"} + kernel + more);
}

/// A compiled kernel and its launch file, as `verify --save-launch` writes it.
class WithLaunch {
 public:
  WithLaunch() {
    REQUIRE(cli(Words{"compile"} + kernel + Words{"-o", "k.hsaco"}, folder_.path()).status == 0);
    REQUIRE(cli(Words{"verify"} + kernel + shape + Words{"--save-launch", "l.json"}, folder_.path()).status ==
            0);
  }
  [[nodiscard]] Outcome simulate(const Words& more) const {
    return cli(Words{"simulate", "k.hsaco", "--launch", "l.json"} + more, folder_.path());
  }
  [[nodiscard]] Fields refused(const Words& more) const {
    return ::refused(Words{"simulate", "k.hsaco", "--launch", "l.json"} + more, folder_.path());
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] nlohmann::json launch() const { return nlohmann::json::parse(read_file(folder_ / "l.json")); }
  void launch(const nlohmann::json& json) const { write_file(folder_ / "l.json", json.dump()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("verify --json has the keys that other programs rely on, and they agree with one another") {
  const Outcome outcome = verify(shape + Words{"--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const auto json = document(outcome.out);
  CHECK(json["ok"] == true);
  CHECK(json["max_abs_error"] > 0);
  CHECK(json["max_abs_error"] <= json["tolerance"]);
  CHECK(json["max_rel_error"] > 0);
  CHECK(json["elements"] == 129 * 2 * 64);
  CHECK(json["mismatches"].empty());
  CHECK(json["hazards"] == nlohmann::json::array());
  CHECK_FALSE(json["hazards_not_checked"].empty());
  const auto& lds = json["lds"];
  std::uint64_t reads = 0, writes = 0, conflicts = 0;
  std::set<std::string> labels;
  for (const auto& access : lds["by_access"]) {
    const std::string label = access["label"], instruction = access["instruction"];
    labels.insert(label);
    (instruction.find(" ds_read") != std::string::npos ? reads : writes) +=
        access["count"].get<std::uint64_t>();
    conflicts += access["conflict_cycles"].get<std::uint64_t>();
    // Default pads: K reads have no conflict, V reads two lanes a bank.
    CHECK(access["max_lanes_per_bank"] == (label == "pv_exp" || label == "last_pv" ? 2 : 1));
  }
  CHECK(labels == std::set<std::string>{"dma_k", "dma_v", "last_pv", "pv_exp", "qk"});
  CHECK(lds["reads"] == reads);
  CHECK(lds["writes"] == writes);
  CHECK(lds["conflict_cycles"] == conflicts);
  CHECK(conflicts > 0);
  std::uint64_t instructions = 0;
  for (const auto& [name, count] : json["instructions"]["by_class"].items())
    instructions += count.get<std::uint64_t>();
  CHECK(instructions == json["counters"]["SQ_INSTS"]);
  CHECK(json["instructions"]["by_class"]["mfma"] == json["counters"]["SQ_INSTS_MFMA"]);
  CHECK(json["cycles"]["by_unit"]["mfma"] == 32 * json["counters"]["SQ_INSTS_MFMA"].get<double>());
  const auto& fidelity = json["fidelity"];
  const auto executions = [&](const char* key) { return fidelity[key].get<std::uint64_t>(); };
  CHECK(executions("executed") == instructions);
  CHECK(executions("exact") + executions("approximate") + executions("uncertain") == instructions);
  std::map<std::string, std::uint64_t> of;
  for (const auto& one : fidelity["instructions"]) {
    CHECK((one["concerns"] == "values" || one["concerns"] == "lds_cycles"));
    CHECK_FALSE(std::string(one["reason"]).empty());
    of[one["class"]] += one["executions"].get<std::uint64_t>();
    if (one["mnemonic"] == "v_exp_f32") CHECK(one["bound"] == "1 ULP");
    if (std::string(one["mnemonic"]).starts_with("v_mfma")) {
      CHECK(one["option"] == "mfma_accumulation = exact");
      CHECK(one["executions"] == json["instructions"]["by_class"]["mfma"]);
    }
  }
  CHECK(of["approximate"] == executions("approximate"));
  CHECK(of["uncertain"] == executions("uncertain"));
  // The lazy rescale branches on scores, sums of products by MFMA; nothing of them is an address.
  std::set<std::string> uses;
  bool scores_decide = false;
  for (const auto& use : fidelity["uses"]) {
    uses.insert(std::string(use["use"]) + " in " + std::string(use["step"]));
    CHECK(use["count"] > 0);
    for (const auto& origin : use["from"])
      scores_decide = scores_decide || (origin["mnemonic"] == "v_mfma_f32_32x32x16_bf16" &&
                                        origin["class"] == "uncertain" && use["use"] == "branch");
  }
  for (const std::string& use : uses) {
    INFO(use);
    CHECK_FALSE(use.starts_with("address"));
  }
  CHECK(scores_decide);
}

TEST_CASE(
    "verify prints accuracy, conflicts of K and V apart, instructions, cycles, and hazards or that they are "
    "unchecked") {
  const Outcome outcome = verify(shape);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const std::string part :
       {"right: 16512 elements", "conflict cycles of LDS reads: K 0 a read, 0 in all; V 2 a read",
        "executed by waves:", "busy cycles:", "no hazard of the kinds", "fidelity: of ",
        "approximate v_exp_f32: ", " times, within 1 ULP; ",
        "uncertain v_mfma_f32_32x32x16_bf16: ", "(mfma_accumulation = exact)", "inexact branch"})
    CHECK(outcome.out.find(part) != std::string::npos);
  const Outcome quick = verify(shape + Words{"--no-hazards", "--no-follow-inexact"});
  CHECK(quick.out.find("inexact values were not followed") != std::string::npos);
  CHECK(quick.status == 0);
  CHECK(quick.out.find("hazards: not checked") != std::string::npos);
}

TEST_CASE("verify looks for uses of what was never written, and says when it does not") {
  const auto left_out = [](const Words& more) {
    const auto json = document(verify(shape + Words{"--json", "--schedule", "wave_by_wave"} + more).out);
    return json["hazards_not_checked"].get<std::set<std::string>>().contains("uninitialized_register");
  };
  CHECK_FALSE(left_out({}));
  CHECK(left_out({"--no-uninitialized"}));
}

TEST_CASE("verify exits with 1 when the numbers are wrong") {
  // Scores beyond f32: the kernel's softmax is NaN, the oracle's is not.
  const Outcome outcome = verify(shape + Words{"--softmax-scale", "1e38", "--json"});
  CHECK(outcome.status == 1);
  const auto json = document(outcome.out);
  CHECK(json["ok"] == false);
  CHECK(json["max_abs_error"] == "nan");
  CHECK(json["mismatched"].get<int>() > 0);
  CHECK(json["mismatches"].size() == 8);
  CHECK(verify(shape + Words{"--softmax-scale", "1e38"}).out.find("WRONG") != std::string::npos);
}

TEST_CASE("verify takes layouts, seeds, widths, scales and batches, and says how often it ran") {
  const auto json =
      document(verify({"--seqlen-q", "3", "--seqlen-kv", "70", "--batch", "2", "--layout", "bhsd", "--seed",
                       "9", "--sigma", "1", "--softmax-scale", "0.25", "--json"})
                   .out);
  CHECK(json["ok"] == true);
  // 12 rows: 22 runs make at least 256.
  CHECK(json["launch"]["runs"] == 22);
  CHECK(json["elements"] == 22 * 2 * 3 * 2 * 64);
  CHECK(json["launch"]["layout"] == "bhsd");
  CHECK(json["launch"]["softmax_scale"] == 0.25);
}

TEST_CASE("verify on a GPU is an environment error, after what is wrong with the request") {
  const Outcome outcome = verify(shape + Words{"--device", "hip"});
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("GPU") != std::string::npos);
  CHECK(refused_launch(shape + Words{"--device", "hip", "--batch", "0x1"}) == Fields{"batch"});
}

TEST_CASE("verify refuses launches by field, all at once") {
  CHECK(refused_launch({}) == Fields{"seqlen_kv", "seqlen_q"});
  CHECK(refused_launch({"--seqlen-q",      "64,65", "--seqlen-kv", "",    "--layout",   "thd",
                        "--device",        "cuda",  "--seed",      "-1",  "--sigma",    "wide",
                        "--softmax-scale", "one",   "--compiler",  "gcc", "--schedule", "fair",
                        "--threads",       "5000",  "--dtype",     "fp8"}) ==
        Fields{"compiler", "device", "dtype", "layout", "schedule", "seed", "seqlen_kv", "seqlen_q", "sigma",
               "softmax_scale", "threads"});
  CHECK(refused_launch({"--seqlen-q", "0", "--seqlen-kv", "-1", "--batch", "65536", "--softmax-scale",
                        "-1"}) == Fields{"batch", "seqlen_kv", "seqlen_q", "softmax_scale"});
  CHECK(refused_launch(shape + Words{"--softmax-scale", "inf"}) == Fields{"softmax_scale"});
  for (const std::string sigma : {"0", "-1", "nan", "1e9"})
    CHECK(refused_launch(shape + Words{"--sigma", sigma}) == Fields{"sigma"});
  CHECK(refused_launch({"--seqlen-q", "2000000000", "--seqlen-kv", "2000000000"}) == Fields{"k", "q"});
}

TEST_CASE("verify refuses launch flags that no built kernel takes, and those that this one does not") {
  CHECK(refused_launch(shape + Words{"--window-left", "x", "--window-right", "1.5", "--num-persistent",
                                     "many", "--persist-decode", "rev"}) ==
        Fields{"num_persistent", "persist_decode", "window_left", "window_right"});
  CHECK(refused_launch(shape + Words{"--window-left", "5", "--window-right", "0"}) ==
        Fields{"window_left", "window_right"});
  CHECK(refused_launch(shape + Words{"--mask", "window", "--window-left", "-2"}) == Fields{"window_left"});
  CHECK(refused_launch(shape +
                       Words{"--num-persistent", "8", "--persist-decode", "qb_major", "--interleave"}) ==
        Fields{"interleave", "num_persistent", "persist_decode"});
  CHECK(refused_launch(shape + Words{"--persistent", "--num-persistent", "0", "--interleave"}) ==
        Fields{"interleave", "num_persistent"});
}

TEST_CASE("verify says which window it judged, and takes that of a model") {
  const auto judged = [](const Words& words) {
    const Outcome outcome = run(Words{WAVESMITH_PROGRAM, "verify", "attention-dense", "--seqlen-q", "40",
                                      "--seqlen-kv", "90", "--json"} +
                                words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    const auto launch = document(outcome.out)["launch"];
    return std::pair<int, int>(launch["window_left"], launch["window_right"]);
  };
  const Words model{"--model-shape", "gpt-oss-120b/local", "--num-query-heads", "2", "--num-kv-heads", "1"};
  CHECK(judged(model) == std::pair(127, 0));
  CHECK(judged(model + Words{"--mask", "window"}) == std::pair(127, 0));
  CHECK(judged(model + Words{"--window-left", "9"}) == std::pair(9, 0));
  // Far more keys than there are: no sum may overflow, the judge's neither.
  CHECK(judged(Words{"--head-size", "64", "--num-query-heads", "2", "--num-kv-heads", "1", "--mask", "window",
                     "--window-right", "2000000000"}) == std::pair(-1, 2000000000));
}

TEST_CASE("verify takes windows of any width without an overflow in its judge") {
  for (const std::string flag : {"--window-left", "--window-right"})
    CHECK(run(Words{WAVESMITH_PROGRAM, "verify", "attention-dense", "--head-size", "64", "--num-query-heads",
                    "2", "--num-kv-heads", "1", "--seqlen-q", "65", "--seqlen-kv", "30", "--mask", "window",
                    flag, "9223372036854775807"})
              .status == 0);
}

TEST_CASE("verify runs a persistent kernel with the workgroups and the order that it is given") {
  const Outcome outcome = verify(
      shape + Words{"--json", "--persistent", "--num-persistent", "2", "--persist-decode", "hkv_major"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto json = document(outcome.out);
  CHECK(json["ok"] == true);
  CHECK(json["launch"]["grid"] == nlohmann::json::array({2, 1, 1}));
  CHECK(json["launch"]["order"] == "hkv_major");
}

TEST_CASE("simulate runs a saved launch: the same counts as verify, and hashes of what it left in memory") {
  const WithLaunch test;
  const Outcome outcome = test.simulate({"--json", "--save", "o=o.bin", "--save", "q=q.bin"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const auto json = document(outcome.out);
  CHECK(json["ok"] == true);
  CHECK(json["fault"] == nullptr);
  CHECK(json["hazards"] == nlohmann::json::array());
  const auto verified = document(verify(shape + Words{"--json"}).out);
  CHECK(json["lds"]["conflict_cycles"] == verified["lds"]["conflict_cycles"]);
  CHECK(json["instructions"]["by_class"]["mfma"] == verified["instructions"]["by_class"]["mfma"]);
  CHECK(json["fidelity"]["uncertain"] == verified["fidelity"]["uncertain"]);
  CHECK(json["fidelity"]["uses"].size() == verified["fidelity"]["uses"].size());
  REQUIRE(json["outputs"].size() == 4);
  for (const auto& output : json["outputs"]) {
    const std::string name = output["arg"];
    if (name != "o" && name != "q") continue;
    const Outcome sum = run({"sha256sum", test.folder() / (name + ".bin")});
    const std::string hash = output["sha256"];
    CHECK(sum.out.substr(0, 64) == hash);
    CHECK(read_file(test.folder() / (name + ".bin")).size() == output["bytes"]);
  }
  // O was all NaN before; a bf16 is NaN when it is at least 0x7f81 without its sign.
  const std::string o = read_file(test.folder() / "o.bin");
  bool finite = true;
  for (std::size_t i = 0; i < o.size(); i += 2)
    finite = finite && (static_cast<unsigned char>(o[i + 1]) & 0x7fU) != 0x7f;
  CHECK(finite);
}

TEST_CASE("simulate --load puts a file's bytes into a buffer") {
  const WithLaunch test;
  const std::string zeros(2 * 129 * 64, '\0');
  write_file(test.folder() / "zeros.bin", zeros);
  const Outcome outcome = test.simulate({"--load", "v=zeros.bin", "--save", "o=-"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out == std::string(2 * 129 * 2 * 64, '\0'));  // O is an average of zeros
  CHECK(outcome.err.find("ran to its end") != std::string::npos);
  auto launch = test.launch();
  launch["args"][2] = {{"name", "v"}, {"file", "zeros.bin"}};
  test.launch(launch);
  CHECK(test.simulate({"--save", "o=-"}).out == outcome.out);
  write_file(test.folder() / "zeros.bin", zeros + "x");
  launch["args"][2] = {{"name", "v"},
                       {"buffer", {{"dtype", "bf16"}, {"elements", 129 * 64}, {"init", "zero"}}}};
  test.launch(launch);
  CHECK(test.refused({"--load", "v=zeros.bin"}) == Fields{"v"});
}

TEST_CASE("simulate exits with 1 at a fault and says where it was") {
  const WithLaunch test;
  auto launch = test.launch();
  launch["args"][3]["buffer"]["elements"] = 64;
  test.launch(launch);
  const Outcome outcome = test.simulate({"--json"});
  CHECK(outcome.status == 1);
  const auto json = document(outcome.out);
  CHECK(json["ok"] == false);
  CHECK(std::string(json["fault"]).find("store") != std::string::npos);
  CHECK(json["lds"] == nullptr);
  CHECK(json["fidelity"] == nullptr);
  CHECK(json["outputs"].size() == 4);
  CHECK(test.simulate({}).out.find("was stopped") != std::string::npos);
}

TEST_CASE("simulate --trace writes instructions to a file or standard error") {
  const WithLaunch test;
  const Words selection{"--trace-workgroup", "0,1,0", "--trace-wave", "3", "--trace-registers", "s0,v0-v1"};
  const Outcome traced = test.simulate(Words{"--trace", "t.txt", "--json"} + selection);
  CHECK(traced.status == 0);
  const std::string text = read_file(test.folder() / "t.txt");
  constexpr std::ptrdiff_t lines_each = 4;  // the instruction and three registers
  CHECK(document(traced.out)["traced_instructions"] == std::ranges::count(text, '\n') / lines_each);
  CHECK(text.starts_with("workgroup 0,1,0 wave 3  0x"));
  CHECK(text.find("v_mfma_f32_32x32x16_bf16") != std::string::npos);
  CHECK(text.find("workgroup 0,0,0") == std::string::npos);
  CHECK(text.find("s_endpgm") != std::string::npos);
  const Outcome outcome = test.simulate(Words{"--trace", "-"} + selection);
  CHECK(outcome.err == text);
  const std::string address =
      text.substr(text.find("0x"), text.find("  ", text.find("0x")) - text.find("0x"));
  const Outcome first =
      test.simulate(Words{"--trace", "-", "--trace-from", address, "--trace-to", address} + selection);
  CHECK(first.err == text.substr(0, first.err.size()));
  CHECK(std::ranges::count(first.err, '\n') == lines_each);
  const Outcome none = test.simulate({"--trace", "t.txt", "--trace-wave", "1000"});
  CHECK(none.status == 0);
  CHECK(none.out.contains("trace: 0 of the executed instructions"));
  const Outcome full = test.simulate({"--trace", "/dev/full"});
  CHECK(full.status == 4);
  CHECK(full.err.find("trace = /dev/full is refused") != std::string::npos);
}

TEST_CASE("simulate refuses what is wrong with its command line, all at once") {
  const WithLaunch test;
  CHECK(refused({"simulate"}) == Fields{"file", "launch"});
  CHECK(test.refused({"--load", "q", "--load", "=x", "--save", "o=", "--trace-from", "12g", "--trace-wave",
                      "0"}) == Fields{"load", "load", "save", "trace_from", "trace_from", "trace_wave"});
  CHECK(test.refused({"--trace", "t", "--trace-from", "0x20", "--trace-to", "16", "--trace-registers", "x0",
                      "--trace-workgroup", "1,2"}) ==
        Fields{"trace_registers", "trace_to", "trace_workgroup"});
  CHECK(test.refused({"--save", "o=-"}) == Fields{"save"});  // --json has standard output
  CHECK(test.refused({"--save", "o=x", "--save", "q=x"}) == Fields{"save"});
  CHECK(test.refused({"--save", "o=x", "--save", "o=y"}) == Fields{"save"});
  CHECK(test.refused({"--save", "p=x", "--load", "q=missing.bin"}) == Fields{"q", "save"});
  CHECK(test.refused({"--load", "p=l.json"}) == Fields{"load"});
  CHECK(test.refused({"--mfma-accumulation", "fast"}) == Fields{"mfma_accumulation"});
  CHECK(refused({"simulate", "-", "--launch", "-"}) == Fields{"input"});
  CHECK(refused({"simulate", "k.hsaco", "--launch", "missing.json"}, test.folder().path()) ==
        Fields{"launch"});
  CHECK(refused({"simulate", "l.json", "--launch", "l.json"}, test.folder().path()) == Fields{"file"});
}

TEST_CASE("simulate refuses launch files that are malformed or do not fit the code object") {
  const WithLaunch test;
  auto launch = test.launch();
  const std::string symbol = launch["kernel"];
  launch["args"].erase(18);
  test.launch(launch);
  CHECK(test.refused({}) == Fields{"args"});
  launch["kernel"] = "other";
  test.launch(launch);
  CHECK(test.refused({}) == Fields{"kernel"});
  launch = nlohmann::json::parse(read_file(test.folder() / "l.json"));
  launch["kernel"] = symbol;
  launch["args"].push_back({{"name", "scale"}, {"f64", 1}});
  test.launch(launch);
  CHECK(test.refused({}) == Fields{"args[" + std::to_string(launch["args"].size() - 1) + "]"});
  launch["grid"] = {1, 1};
  launch["args"][0] = {{"name", "q"}, {"buffer", {{"dtype", "bf17"}, {"elements", 1}, {"init", "normal"}}}};
  test.launch(launch);
  CHECK(test.refused({}) == Fields{"args[0].buffer.dtype", "grid"});
}
