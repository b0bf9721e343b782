// `golden bless` and `golden diff` in a repository of their own: a copy of the emitter's sources with a
// planted change. The built program stands for the present, the planted revision for the past.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "support.h"

using wavesmith::test::cli;
using wavesmith::test::document;
using wavesmith::test::Outcome;
using wavesmith::test::read_file;
using wavesmith::test::run;
using wavesmith::test::shell;
using wavesmith::test::TemporaryFolder;
using wavesmith::test::write_file;
using wavesmith::test::operator+;

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// One attribute of the kernel, switched over for one head size.
const std::string plan_source = "generator/attention_dense/plan.cpp", present = ".ieee_mode = false",
                  planted = ".ieee_mode = spec.head_size == 64";
const std::string d64_case = "attention-dense/gfx950/d64_bf16_causal_q32_kv8",
                  d128_case = "attention-dense/gfx950/d128_bf16_causal_q32_kv8";

// A git repository of the emitter's sources, with an empty folder for temporary files beside it.
class Repository {
 public:
  Repository() {
    fs::create_directories(root() / "tools");
    fs::create_directory(temporary());
    for (const std::string part :
         {"CMakeLists.txt", "include", "ir_builder", "lowering", "generator", "golden", "tools/cmake"})
      fs::copy(fs::path(WAVESMITH_SOURCE) / part, root() / part, fs::copy_options::recursive);
    git({"init", "--quiet"});
    commit("As it is");
  }

  void git(const Words& words) const {
    const Outcome outcome =
        run(Words{"git", "-c", "user.name=test", "-c", "user.email=test@localhost"} + words, root());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  }
  void commit(const std::string& message) const {
    git({"add", "--all"});
    git({"commit", "--quiet", "--message", message});
  }
  // Replaces one text that stands once in a file.
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_file(root() / file);
    const std::size_t at = text.find(from);
    INFO(file << ": " << from);
    REQUIRE(at != std::string::npos);
    REQUIRE(text.find(from, at + 1) == std::string::npos);
    write_file(root() / file, text.replace(at, from.size(), to));
  }
  // `wavesmith golden …`, run within the repository.
  [[nodiscard]] Outcome golden(const std::string& words) const {
    return shell("export TMPDIR='" + temporary().string() + "'; wavesmith golden " + words, root());
  }
  // The same for bless and diff, which keep what they build from one call to the next, as the examples in
  // their help do. git ignores build/.
  [[nodiscard]] Outcome with_base(const std::string& words) const {
    return golden(words + " --base-folder build/golden-base");
  }
  [[nodiscard]] std::string goldens() const { return read_file(root() / "golden/ir_sha256.json"); }
  void nothing_left() const {
    CHECK(fs::is_empty(temporary()));
    const std::string worktrees = run({"git", "worktree", "list"}, root()).out;
    CHECK(std::ranges::count(worktrees, '\n') == 1);
  }
  [[nodiscard]] fs::path root() const { return folder_ / "repository"; }
  [[nodiscard]] fs::path temporary() const { return folder_ / "temporary"; }
  [[nodiscard]] fs::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

struct Listed {
  std::set<std::string> d64, others;
  std::vector<std::string> flavours;
};

Listed listed() {
  Listed result;
  const auto json = document(cli({"golden", "list", "--json"}).out);
  for (const auto& one : json["cases"])
    (one["fields"]["head_size"] == "64" ? result.d64 : result.others).insert(std::string(one["case"]));
  for (const auto& [flavour, unused] : json["cases"][0]["flavours"].items())
    result.flavours.push_back(flavour);
  return result;
}

std::set<std::pair<std::string, std::string>> names(const nlohmann::json& list) {
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& one : list) found.emplace(one["case"], one["flavour"]);
  return found;
}

std::set<std::pair<std::string, std::string>> all_of(const Listed& cases) {
  std::set<std::pair<std::string, std::string>> all;
  for (const std::string& id : cases.d64)
    for (const std::string& flavour : cases.flavours) all.emplace(id, flavour);
  return all;
}

bool has_line(const std::string& text, const std::vector<std::string>& parts) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::ranges::all_of(parts, [&](const std::string& part) { return line.contains(part); })) return true;
  return false;
}

std::vector<std::string> examples(const std::string& help) {
  std::vector<std::string> found;
  std::istringstream lines(help.substr(help.find("Example")));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) found.push_back(line.substr(2));
  return found;
}

#ifdef WAVESMITH_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// The steps share one build, which takes most of the time.
void follow_a_planted_change() {
  const Repository repository;
  const Listed cases = listed();
  const std::string original = repository.goldens();
  REQUIRE(cases.d64.size() > 10);
  REQUIRE(cases.others.size() > 10);

  INFO("a committed golden that its own sources do not reproduce is refused, with each case and both hashes");
  repository.edit(plan_source, present, planted);
  repository.commit("Change head size 64, and forget the goldens");
  const Outcome refused = repository.with_base("bless --yes --json --no-resources");
  INFO(refused.err);
  REQUIRE(refused.status == 1);
  const auto refusal = document(refused.out);
  CHECK(refusal["refused"] == true);
  CHECK(refusal["written"] == false);
  CHECK(refusal["base"]["ok"] == false);
  CHECK(names(refusal["base"]["drifted"]) == all_of(cases));
  CHECK(repository.goldens() == original);
  const Outcome said = repository.with_base("bless --yes --no-resources");
  CHECK(said.status == 1);
  CHECK(said.out.contains("refused: what is pinned at HEAD ("));
  CHECK(has_line(said.out, {"drifted", cases.flavours.front(), d64_case}));

  INFO("one changed constant is reported by case and flavour with old and new hash");
  auto golden = nlohmann::json::parse(original);
  for (const auto& drift : refusal["base"]["drifted"])
    golden["flavours"][std::string(drift["flavour"])]["cases"][std::string(drift["case"])] = drift["emitted"];
  write_file(repository.root() / "golden/ir_sha256.json", golden.dump(2) + "\n");
  repository.commit("Bless it");
  const Outcome check = repository.golden("check --no-resources --json");
  CHECK(check.status == 1);
  const auto checked = document(check.out);
  CHECK(names(checked["drifted"]) == all_of(cases));
  const std::string in_words = repository.golden("check --no-resources").out;
  const auto before = nlohmann::json::parse(original);
  for (const std::string& flavour : cases.flavours)
    for (const std::string& id : cases.d64) {
      const std::string old_hash = golden["flavours"][flavour]["cases"][id]["sha256"],
                        new_hash = before["flavours"][flavour]["cases"][id]["sha256"];
      CHECK(old_hash != new_hash);
      CHECK(has_line(in_words,
                     {"drifted", flavour, id, old_hash.substr(0, 12) + " -> " + new_hash.substr(0, 12)}));
    }

  INFO("bless says that exactly the cases of head size 64 move");
  const std::string files = " --patch '" + (repository / "bless.patch").string() + "' --junit '" +
                            (repository / "bless.xml").string() + "' --markdown '" +
                            (repository / "bless.md").string() + "'";
  const Outcome bless = repository.with_base("bless --no-resources --json" + files);
  INFO(bless.err);
  CHECK(bless.status == 1);
  const auto plan = document(bless.out);
  CHECK(plan["base"]["ok"] == true);
  CHECK(plan["base"]["checked"] == (cases.d64.size() + cases.others.size()) * cases.flavours.size());
  std::set<std::string> moved;
  for (const auto& one : plan["moved"]) {
    moved.insert(std::string(one["case"]));
    CHECK(one["flavours"] == nlohmann::json(cases.flavours));
  }
  CHECK(moved == cases.d64);
  CHECK(plan["added"].empty());
  CHECK(plan["removed"].empty());
  CHECK(plan["unmoved_cases"] == cases.others.size());
  CHECK(plan["unmoved_entries"] == cases.others.size() * cases.flavours.size());
  // The moved ones kept their symbol.
  CHECK(plan["unmoved_values"].get<std::size_t>() >=
        (3 * cases.others.size() + cases.d64.size()) * cases.flavours.size());
  REQUIRE_FALSE(plan["common_fields"].empty());
  CHECK(std::ranges::any_of(plan["common_fields"], [](const auto& field) {
    return field["field"] == "head_size" && field["value"] == "64" && field["unmoved_cases"] == 0;
  }));
  const std::string sentence = "every moved case has head_size = 64; so does no case that stayed";
  const std::string patch = read_file(repository / "bless.patch");
  CHECK(patch.contains(sentence));
  CHECK(
      read_file(repository / "bless.md").contains("every moved case has head\\_size = 64; so does no case"));
  CHECK(run({"python3", "-c", "import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])",
             repository / "bless.xml"})
            .status == 0);

  INFO("the patch and --yes give the same bytes");
  CHECK(repository.goldens() == golden.dump(2) + "\n");
  repository.git({"apply", repository / "bless.patch"});
  CHECK(repository.goldens() == original);
  repository.git({"checkout", "--quiet", "golden"});
  const Outcome yes = repository.with_base("bless --no-resources --yes");
  CHECK(yes.status == 0);
  CHECK(yes.out.contains(sentence));
  CHECK(repository.goldens() == original);

  INFO("diff shows IR, instructions and resources of a case that moved, and that another did not");
  const Outcome diff = repository.with_base("diff " + d64_case + " --json");
  INFO(diff.err);
  CHECK(diff.status == 0);
  const auto difference = document(diff.out);
  CHECK(difference["same"] == false);
  std::size_t flavours = 0;
  for (const auto& group : difference["ir"]) {
    flavours += group["flavours"].size();
    CHECK(group["same"] == false);
    CHECK(has_line(group["diff"], {"+", "\"amdgpu-ieee\"=\"false\""}));
  }
  CHECK(flavours == cases.flavours.size());
  for (const auto& code : difference["code"]) {
    CHECK(code["resources"]["vgpr"]["now"] > 0);
    CHECK(code["resources"]["lds_bytes"]["base"] == code["resources"]["lds_bytes"]["now"]);
    if (code["isa"]["same"] == false) CHECK(std::string(code["isa"]["diff"]).starts_with("@@ "));
  }
  CHECK(difference["code"].size() + difference["not_checked"].size() >= 1);
  const auto unchanged = document(repository.with_base("diff d128_bf16_causal_q32_kv8 --json").out);
  CHECK(unchanged["case"] == d128_case);
  CHECK(unchanged["same"] == true);
  for (const auto& code : unchanged["code"]) CHECK(code["isa"]["same"] == true);
  CHECK(repository.with_base("diff no_such_case").status == 2);

  INFO("every example in the help works as printed");
  repository.edit(plan_source, planted, present);
  repository.commit("Back");
  for (const std::string command : {"bless", "diff"})
    for (const std::string& line : examples(cli({"golden", command, "--help"}).out)) {
      INFO(line);
      const Outcome outcome = shell(line, repository.root());
      INFO(outcome.out << outcome.err);
      // A compiler of another version than the pinned one has something to bless.
      CHECK((outcome.status == 0 || outcome.out.contains("this compiler is new")));
      CHECK_FALSE(outcome.out.empty());
    }
}

}  // namespace

TEST_CASE("a change of head size 64 is seen, told, blessed and shown against its base revision") {
  if (sanitized) SKIP("the base revision is built by the same steps in the other presets");
  follow_a_planted_change();
}

TEST_CASE("what is in no work tree has no base revision") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "golden");
  write_file(folder / "golden/ir_sha256.json", read_file(WAVESMITH_SOURCE "/golden/ir_sha256.json"));
  for (const std::string command : {"bless", "diff d64_bf16_causal_q32_kv8"}) {
    INFO(command);
    const Outcome outcome = shell("wavesmith golden " + command, folder.path());
    CHECK(outcome.status == 4);
    CHECK(outcome.err.contains("not a git repository"));
  }
  CHECK(shell("wavesmith golden bless", folder.path()).err.contains("--no-base"));
  const Outcome without = shell("wavesmith golden bless --no-base --no-resources", folder.path());
  CHECK(without.status == 0);
  CHECK(without.out.contains("none was re-checked (--no-base)"));
  CHECK(shell("wavesmith golden bless --no-base --base HEAD", folder.path()).status == 2);
}

TEST_CASE("a base that cannot serve is named with its reason, and nothing stays behind") {
  const Repository repository;
  CHECK(repository.golden("bless --base nosuch").status == 2);
  CHECK(repository.golden("bless --base=--all").status == 2);

  // Sources that do not configure, in a repository that is called with git's own variables set.
  write_file(repository.root() / "golden/CMakeLists.txt", "message(FATAL_ERROR planted)\n");
  repository.commit("Break the build");
  const Outcome broken =
      shell("export TMPDIR='" + repository.temporary().string() +
                "' GIT_DIR=/nonexistent GIT_INDEX_FILE=/nonexistent; wavesmith golden bless",
            repository.root());
  CHECK(broken.status == 4);
  CHECK(broken.err.contains("planted"));
  repository.nothing_left();

  repository.git({"rm", "--quiet", "golden/emitter.cpp"});
  repository.commit("Older sources");
  const Outcome older = repository.golden("bless");
  CHECK(older.status == 4);
  CHECK(older.err.contains("golden/emitter.cpp"));

  write_file(repository / "kept", "");
  CHECK(repository.golden("bless --base-folder '" + (repository / "kept").string() + "'").status == 4);
}

TEST_CASE("an interrupted bless removes its worktree and its build") {
  for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}}) {
    const Repository repository;
    // The signal comes once the build is under way, to the program alone. Shells make programs in the
    // background ignore SIGINT.
    const Outcome outcome = shell("export TMPDIR='" + repository.temporary().string() +
                                      "'\nenv --default-signal=INT wavesmith golden bless & program=$!\n"
                                      "for ((i = 0; i < 600; i++)); do\n"
                                      "  [ -n \"$(find \"$TMPDIR\" -name CMakeCache.txt)\" ] && break\n"
                                      "  sleep 0.1\n"
                                      "done\n"
                                      "kill -" +
                                      signal + " $program\nwait $program",
                                  repository.root());
    INFO(outcome.err);
    CHECK(outcome.status == status);
    repository.nothing_left();
  }
}
