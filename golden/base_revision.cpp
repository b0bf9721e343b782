// Worktree, build and questions.
#include "golden/base_revision.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>

#include "golden/process.h"
#include "golden/temporary_folder.h"

namespace wavesmith::golden {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view emitter_target = "wavesmith-golden-emitter";

using Words = std::vector<std::string>;

std::string line_of(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Variables by which a hook or an alias of git would point these calls at another repository.
const Words git_variables{
    "GIT_DIR",    "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_PREFIX", "GIT_NAMESPACE", "GIT_CONFIG",     "GIT_CONFIG_COUNT",     "GIT_CEILING_DIRECTORIES"};

Expected<Finished> git(const fs::path& folder, const Words& arguments, bool to_the_end = false) {
  Words words{"git", "-C", folder.string(),
              // Neither the user's hooks nor a file watcher have business in a worktree of a minute.
              "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_process({.words = std::move(words),
                      .environment = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}},
                      .without = git_variables,
                      .to_the_end = to_the_end});
}

// One line of git's output. Errors: environment, with git's own words.
Expected<std::string> ask_git(const fs::path& folder, const Words& arguments) {
  Expected<Finished> answer = git(folder, arguments);
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->status != 0) return fail(ErrorKind::environment, fmt::format("git: {}", line_of(answer->err)));
  return line_of(std::move(answer->out));
}

// Passes on how far ninja is: "[3/11] Building …".
void follow_ninja(std::string_view fresh, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const std::size_t start = fresh.rfind("\n[") == std::string_view::npos ? 0 : fresh.rfind("\n[") + 1;
  std::uint64_t done = 0, total = 0;
  const char* const end = fresh.data() + fresh.size();
  if (!fresh.substr(start).starts_with('[')) return;
  const auto first = std::from_chars(fresh.data() + start + 1, end, done);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return;
  if (std::from_chars(first.ptr + 1, end, total).ec == std::errc() && total > 0) progress(done, total);
}

}  // namespace

struct BaseRevision::Repository {
  fs::path folder;     ///< the golden folder
  std::string prefix;  ///< of the sources in the repository: "" or "third_party/wavesmith/"
  std::string common;  ///< git's own folder, shared by all worktrees
};

// The folder with the worktree ("tree") and the build ("build"). Removes both at the end, unless they stay.
class BaseRevision::Workspace {
 public:
  Workspace(fs::path folder, bool stays, fs::path repository)
      : folder_(std::move(folder)), repository_(std::move(repository)), stays_(stays) {}
  ~Workspace() {
    if (lock_ >= 0) ::close(lock_);
    if (stays_) return;
    // What git knows of the worktree goes first; without that, `git worktree list` would name it for ever.
    static_cast<void>(git(repository_, {"worktree", "remove", "--force", tree().string()}, true));
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  static Expected<std::shared_ptr<Workspace>> make(const BaseRequest& request, const Repository& repository) {
    if (request.keep.empty()) {
      auto folder = make_temporary_folder("wavesmith_base_");
      if (!folder) return std::unexpected(std::move(folder).error());
      return std::make_shared<Workspace>(std::move(*folder), false, request.golden_folder);
    }
    std::error_code error;
    fs::create_directories(request.keep, error);
    auto workspace =
        std::make_shared<Workspace>(fs::absolute(request.keep, error), true, request.golden_folder);
    // Held until this process ends, however it ends.
    workspace->lock_ = ::open((request.keep / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (workspace->lock_ < 0)
      return fail(ErrorKind::environment,
                  fmt::format("{}: {}", request.keep.string(), std::generic_category().message(errno)));
    if (::flock(workspace->lock_, LOCK_EX | LOCK_NB) != 0)
      return fail(ErrorKind::environment, fmt::format("{} is in use by another call", request.keep.string()));
    if (fs::exists(workspace->tree(), error)) {
      const auto owner =
          ask_git(workspace->tree(), {"rev-parse", "--path-format=absolute", "--git-common-dir"});
      if (!owner || *owner != repository.common)
        return std::unexpected(Error::refused({{"base_folder", request.keep.string(),
                                                "an empty folder, or one that an earlier call for this "
                                                "repository made"}}));
    }
    return workspace;
  }

  [[nodiscard]] fs::path tree() const { return folder_ / "tree"; }
  [[nodiscard]] fs::path build() const { return folder_ / "build"; }
  [[nodiscard]] fs::path emitter() const { return build() / "golden" / emitter_target; }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

  Expected<void> check_out(const fs::path& repository, const std::string& commit) {
    std::error_code error;
    const Expected<std::string> done =
        fs::exists(tree(), error) ? ask_git(tree(), {"checkout", "--quiet", "--force", "--detach", commit})
                                  : ask_git(repository, {"worktree", "add", "--quiet", "--force", "--detach",
                                                         tree().string(), commit});
    if (!done) return std::unexpected(done.error());
    return {};
  }

 private:
  fs::path folder_, repository_;
  bool stays_;
  int lock_ = -1;
};

namespace {

// Builds the emitter of the sources in `sources`. Debugging and optimisation change no byte of what it
// emits, and without either it is built soonest; so are few large translation units, which a revision may
// not be fit for: then a second try does without.
Expected<void> build_emitter(const fs::path& sources, const fs::path& folder, const fs::path& build,
                             const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const auto run = [&](Words words) {
    Process process{.words = std::move(words),
                    // So that ccache, where it is used, knows the same source in another worktree.
                    .environment = {{"CCACHE_BASEDIR", folder.string()}},
                    .without = git_variables};
    if (progress) process.on_output = [&](std::string_view fresh) { follow_ninja(fresh, progress); };
    return run_process(process);
  };
  Words configure{"cmake",
                  "-S",
                  sources.string(),
                  "-B",
                  build.string(),
                  "-DWAVESMITH_EMITTER_ONLY=ON",
                  "-DWAVESMITH_TESTS=OFF",
                  "-DWAVESMITH_WARNINGS_AS_ERRORS=OFF",
                  "-DCMAKE_BUILD_TYPE=None",
                  "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"};
  std::error_code error;
  if (const auto ninja = run({"ninja", "--version"}); ninja && ninja->status == 0)
    configure.insert(configure.end(), {"-G", "Ninja"});
  // The compiler of this build, where this is the machine that it was built on.
  if (fs::exists(WAVESMITH_CXX_COMPILER, error))
    configure.emplace_back("-DCMAKE_CXX_COMPILER=" WAVESMITH_CXX_COMPILER);
  constexpr std::string_view launcher = WAVESMITH_CXX_COMPILER_LAUNCHER;
  if (!launcher.empty()) configure.push_back(fmt::format("-DCMAKE_CXX_COMPILER_LAUNCHER={}", launcher));
  std::string log;
  for (const std::string_view unity : {"ON", "OFF"}) {
    Words words = configure;
    words.push_back(fmt::format("-DCMAKE_UNITY_BUILD={}", unity));
    Expected<Finished> finished = run(std::move(words));
    if (finished && finished->status == 0)
      finished = run({"cmake", "--build", build.string(), "--target", std::string(emitter_target),
                      "--parallel", std::to_string(std::max(1U, std::thread::hardware_concurrency()))});
    if (!finished) return std::unexpected(finished.error());
    if (finished->status == 0) return {};
    log = finished->log();
  }
  return fail(ErrorKind::environment, "the emitter of the base revision does not build", std::move(log));
}

}  // namespace

Expected<BaseRevision> BaseRevision::build(const BaseRequest& request) {
  BaseRevision base;
  base.revision_ = request.revision;
  const fs::path& folder = request.golden_folder;
  const auto unable = [&](std::string_view why) {
    return fail(ErrorKind::environment, fmt::format("no base revision for {}: {}", folder.string(), why));
  };
  auto repository = std::make_shared<Repository>();
  repository->folder = folder;
  const auto prefix = ask_git(folder, {"rev-parse", "--show-prefix"});
  if (!prefix) return unable(prefix.error().message);
  const auto common = ask_git(folder, {"rev-parse", "--path-format=absolute", "--git-common-dir"});
  if (!common) return unable(common.error().message);
  repository->common = *common;
  constexpr std::string_view golden = "golden/";
  if (!prefix->ends_with(golden)) return unable("it is not the folder golden of a work tree of the sources");
  repository->prefix = prefix->substr(0, prefix->size() - golden.size());

  const auto not_a_commit = [&] {
    return std::unexpected(Error::refused({{"base", request.revision, "a commit of this repository"}}));
  };
  if (request.revision.starts_with('-')) return not_a_commit();
  const auto commit = git(folder, {"rev-parse", "--verify", "--quiet", request.revision + "^{commit}"});
  if (!commit) return std::unexpected(commit.error());
  if (commit->status != 0) {
    if (request.revision == "HEAD") return unable("the repository has no commit");
    return not_a_commit();
  }
  base.commit_ = line_of(commit->out);
  base.repository_ = repository;
  const auto emitter = git(
      folder, {"cat-file", "-e", fmt::format("{}:{}golden/emitter.cpp", base.commit_, repository->prefix)});
  if (!emitter) return std::unexpected(emitter.error());
  if (emitter->status != 0)
    return unable(
        fmt::format("{} has no {}golden/emitter.cpp to ask for its text", base.name(), repository->prefix));

  auto workspace = Workspace::make(request, *repository);
  if (!workspace) return std::unexpected(workspace.error());
  base.workspace_ = *workspace;
  if (const auto done = base.workspace_->check_out(folder, base.commit_); !done)
    return std::unexpected(done.error());
  const fs::path sources = base.workspace_->tree() / repository->prefix;
  if (const auto built =
          build_emitter(sources, base.workspace_->folder(), base.workspace_->build(), request.progress);
      !built)
    return std::unexpected(built.error());
  return base;
}

std::string BaseRevision::name() const {
  constexpr std::size_t shown_digits = 12;
  return commit_.starts_with(revision_) ? commit_.substr(0, shown_digits)
                                        : fmt::format("{} ({})", revision_, commit_.substr(0, shown_digits));
}

std::string BaseRevision::path_of(std::string_view file) const {
  return fmt::format("{}golden/{}", repository_->prefix, file);
}

Expected<std::optional<std::string>> BaseRevision::committed(std::string_view file) const {
  const std::string object = fmt::format("{}:{}", commit_, path_of(file));
  const auto there = git(repository_->folder, {"cat-file", "-e", object});
  if (!there) return std::unexpected(there.error());
  if (there->status != 0) return std::nullopt;
  auto blob = git(repository_->folder, {"cat-file", "blob", object});
  if (!blob) return std::unexpected(blob.error());
  if (blob->status != 0) return fail(ErrorKind::environment, fmt::format("git: {}", line_of(blob->err)));
  return std::move(blob->out);
}

Expected<Goldens> BaseRevision::emitted() const {
  const auto answer = run_process({.words = {workspace_->emitter().string(), "goldens"}});
  if (!answer) return std::unexpected(answer.error());
  if (answer->status != 0)
    return fail(ErrorKind::check_failed, fmt::format("{}: its cases do not all emit", name()), answer->log());
  return parse_goldens(answer->out, fmt::format("what {} emits", name()));
}

Expected<std::optional<std::string>> BaseRevision::text(std::string_view flavour, std::string_view id) const {
  auto answer =
      run_process({.words = {workspace_->emitter().string(), "text", std::string(flavour), std::string(id)}});
  if (!answer) return std::unexpected(answer.error());
  if (answer->status == static_cast<int>(ErrorKind::invalid_request)) return std::nullopt;
  if (answer->status != 0)
    return fail(ErrorKind::check_failed, fmt::format("{}: {} does not emit", name(), id), answer->log());
  return std::move(answer->out);
}

}  // namespace wavesmith::golden
