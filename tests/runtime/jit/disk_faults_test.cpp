// A cache on disk that is missing, full, read-only or damaged costs only the cache: each request is served
// and right, with one warning.
#include <random>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/jit/cache_maintenance.h"
#include "runtime/jit/disk_cache.h"
#include "tests/runtime/jit/stand_in.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using Catch::Matchers::ContainsSubstring;
using test::StandInStore;

namespace {

/// Exit statuses of what runs in a child.
enum Status { right = 0, wrong = 1, not_permitted = 77 };

template <class Work>
int in_child(Work&& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/// Ten kernels twice, with exactly one warning that has `word`.
Status served_with_one_warning(const std::string& directory, std::string_view word) {
  StandInStore served(directory);
  for (int round = 0; round < 2; ++round)
    for (int index = 0; index < 10; ++index)
      if (!served.serves(index)) return wrong;
  const auto texts = served.heard.texts();
  return texts.size() == 1 && texts[0].find(word) != std::string::npos && served.compiler.total() == 10
             ? right
             : wrong;
}

std::string only_file(const std::string& directory, RecordKind kind) {
  const auto files = read_cache(directory);
  REQUIRE(files);
  for (const CacheFile& file : *files)
    if (file.kind == kind) return file.path;
  FAIL("there is no such file");
  return {};
}

}  // namespace

TEST_CASE("disk: a folder that does not exist is made") {
  const test::TemporaryFolder folder;
  StandInStore served(folder.file("a/b/c"));
  CHECK(served.serves(1));
  CHECK(served.heard.texts().empty());
  const auto check = check_cache(folder.file("a/b/c"), false);
  REQUIRE(check);
  CHECK(check->records == 2);
}

TEST_CASE("disk: a folder that cannot be made costs only the cache, with one warning") {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("file"), "not a folder");
  CHECK(served_with_one_warning(folder.file("file/cache"), "cannot be written") == right);
}

TEST_CASE("disk: a read-only folder serves what it has; the rest costs only the cache, with one warning") {
  const test::TemporaryFolder folder;
  const std::string cache = folder.file("cache");
  {
    StandInStore served(cache);
    CHECK(served.serves(0));
  }
  test::run("chmod -R a+rX,a-w '" + cache + "' && chmod a+rx '" + folder.file("") + "'");
  const int status = in_child([&] {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) return not_permitted;  // root writes wherever it likes
    StandInStore served(cache);
    for (int index = 0; index < 10; ++index)
      if (!served.serves(index)) return wrong;
    return served.store.statistics().disk_hits == 1 && served.compiler.total() == 9 &&
                   served.heard.texts().size() == 1
               ? right
               : wrong;
  });
  test::run("chmod -R u+w '" + cache + "'");
  if (status == not_permitted) SKIP("cannot become a user who may not write");
  CHECK(status == right);
}

TEST_CASE("disk: a full disk costs only the cache, with one warning") {
  const test::TemporaryFolder folder;
  const int status = in_child([&] {
    // A file system of 16 pages, seen by this child alone.
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.file("").c_str(), "tmpfs", 0, "size=64k") != 0)
      return not_permitted;
    StandInStore served(folder.file("cache"));
    for (int round = 0; round < 2; ++round)
      for (int index = 0; index < 40; ++index)
        if (!served.serves(index)) return wrong;
    const auto texts = served.heard.texts();
    if (texts.size() != 1 || texts[0].find("No space left") == std::string::npos) return wrong;
    // What did fit is intact.
    const auto check = check_cache(folder.file("cache"), false);
    return check && check->problems.empty() && check->records > 0 ? right : wrong;
  });
  if (status == not_permitted) SKIP("not permitted to mount a small file system");
  CHECK(status == right);
}

TEST_CASE("disk: an entry changed at any byte of its header or a thousand others is made anew, and right") {
  const test::FastFolder folder;
  const std::string cache = folder.file("cache");
  {
    StandInStore served(cache);
    CHECK(served.serves(1));
  }
  std::mt19937 random(2);
  int rounds = 0;
  for (const RecordKind kind : {RecordKind::request, RecordKind::object}) {
    const std::string path = only_file(cache, kind);
    const std::vector<std::byte> good = test::read_bytes(path);
    const std::size_t payload = kind == RecordKind::object ? test::code_of("").size() : 0;
    const std::size_t header_end = good.size() - payload - 64;
    std::vector<std::size_t> places(header_end);
    for (std::size_t at = 0; at < header_end; ++at) places[at] = at;
    for (int i = 0; i < 500; ++i) places.push_back(header_end + random() % (good.size() - header_end));
    for (const std::size_t at : places) {
      std::vector<std::byte> changed = good;
      changed[at] ^= static_cast<std::byte>(1 + random() % 255);
      test::write_bytes(path, changed);
      StandInStore served(cache);
      // A request that is gone finds its code object by the text's hash; a code object has to be compiled.
      if (!served.serves(1) || served.store.statistics().damaged != 1 || served.heard.texts().size() != 1 ||
          served.compiler.total() != (kind == RecordKind::object ? 1 : 0) || test::read_bytes(path) != good)
        FAIL("byte " << at << " of a " << name_of(kind));
      ++rounds;
    }
  }
  CHECK(rounds > 1000);
}

TEST_CASE("disk: a truncated entry, an empty one and another's entry are made anew") {
  const test::FastFolder folder;
  const std::string cache = folder.file("cache");
  {
    StandInStore served(cache);
    CHECK(served.serves(1));
  }
  const std::string path = only_file(cache, RecordKind::object);
  const std::vector<std::byte> good = test::read_bytes(path);
  for (std::size_t size = 0; size < good.size(); size += 37) {
    test::write_bytes(path, std::span(good).first(size));
    StandInStore served(cache);
    if (!served.serves(1) || served.compiler.total() != 1 || test::read_bytes(path) != good)
      FAIL("the first " << size << " bytes");
  }
  // An intact entry that was copied over another one.
  const auto second = StandInStore(cache).store.get(test::recipe_of(2));
  REQUIRE(second);
  const std::string other = record_path(cache, RecordKind::object, (*second)->code_object_id);
  std::filesystem::copy_file(other, path, std::filesystem::copy_options::overwrite_existing);
  StandInStore served(cache);
  CHECK(served.serves(1));
  CHECK(served.store.statistics().damaged == 1);
}

TEST_CASE("cache maintenance: damage is found and repaired, sizes are kept, leftovers go") {
  const test::FastFolder folder;
  const std::string cache = folder.file("cache");
  {
    StandInStore served(cache);
    for (int index = 0; index < 20; ++index) CHECK(served.serves(index));
  }
  const auto clean = check_cache(cache, false);
  REQUIRE(clean);
  CHECK(clean->records == 40);
  CHECK(clean->problems.empty());

  // A broken code object and its request, which then leads nowhere.
  test::write_text(only_file(cache, RecordKind::object), "broken");
  const auto broken = check_cache(cache, false);
  REQUIRE(broken);
  CHECK(broken->problems.size() == 2);
  CHECK(check_cache(cache, true)->removed == 2);
  CHECK(check_cache(cache, false)->problems.empty());
  CHECK(check_cache(cache, false)->records == 38);

  test::write_text(cache + "/temporary/left", "by a writer that was killed");
  const auto pruned = prune_cache(cache, {.max_bytes = clean->bytes / 2, .max_age = {}});
  REQUIRE(pruned);
  CHECK(pruned->abandoned == 1);
  CHECK(pruned->kept_bytes <= clean->bytes / 2);
  CHECK(pruned->kept + pruned->removed == 38);
  CHECK(pruned->kept > 10);
  CHECK(check_cache(cache, false)->problems.empty());
  StandInStore served(cache);
  for (int index = 0; index < 20; ++index) CHECK(served.serves(index));

  CHECK(prune_cache(cache, {.max_bytes = {}, .max_age = std::chrono::hours(1)})->removed == 0);
  CHECK(clear_cache(cache).value() == 40);
  CHECK(read_cache(cache)->empty());
  CHECK(read_cache(folder.file("nowhere"))->empty());
}

TEST_CASE("cache place: the variables decide in their order, and none of them means no cache") {
  const int status = in_child([] {
    const auto place = [](std::vector<std::pair<const char*, const char*>> variables) {
      for (const char* name : {"WAVESMITH_CACHE", "WAVESMITH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"})
        unsetenv(name);
      for (const auto& [name, value] : variables) setenv(name, value, 1);
      return cache_place().directory;
    };
    const bool ok =
        place({{"WAVESMITH_CACHE_DIR", "/c"}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}) == "/c" &&
        place({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}) == "/x/wavesmith" &&
        place({{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}}) == "/h/.cache/wavesmith" &&
        place({{"HOME", "/h"}}) == "/h/.cache/wavesmith" && place({{"HOME", "/"}}).empty() &&
        place({}).empty() && place({{"WAVESMITH_CACHE", "0"}, {"WAVESMITH_CACHE_DIR", "/c"}}).empty();
    return ok ? right : wrong;
  });
  CHECK(status == right);
}
