// What is served is what was asked for, for any two requests one after the other. The key is what decides:
// planted keys that lack one part of a request serve the wrong code object, and are found out.
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "runtime/jit/request_resolver.h"
#include "tests/generator/field_values.h"
#include "tests/runtime/jit/stand_in.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

/// A request, and the compiler that is there when it is made.
struct Ask {
  JitRequest request;
  std::string compiler = "stand-in 1";
};

/// Resolver and store of one process whose key function may be a planted one.
class Process {
 public:
  Process(const std::string& directory, RequestResolver::Key key)
      : resolver_(
            [this](Backend, std::string_view flavour, std::string_view) -> Expected<CompilerChoice> {
              CompilerChoice choice;
              choice.flavour = lowering::find_flavour(flavour == "auto" ? "llvm22" : flavour);
              choice.compiler.identity = compiler_;
              return choice;
            },
            std::move(key)),
        store_(
            {.directory = directory},
            [](const Recipe& recipe, const std::string& ir) -> Expected<Made> {
              return Made{.hsaco = test::code_of(ir), .compiler = recipe.compiler};
            },
            test::describe_stand_in, warnings_) {}

  /// Whether the ask is served with its own code object, by its own compiler, under its own name.
  bool serves(const Ask& ask) {
    compiler_ = ask.compiler;
    resolver_.forget();
    const auto recipe = resolver_.resolve(ask.request);
    REQUIRE(recipe);
    const auto text = (*recipe)->emit();
    REQUIRE(text);
    const auto kernel = store_.get(**recipe);
    return kernel && (*kernel)->ir_sha256 == generator::sha256_hex(*text) &&
           (*kernel)->hsaco == test::code_of(*text) && (*kernel)->compiler == ask.compiler &&
           (*kernel)->symbol == (*recipe)->symbol && (*kernel)->target == (*recipe)->target &&
           (*kernel)->flavour == (*recipe)->flavour;
  }

  std::string canonical(const JitRequest& request) {
    const auto recipe = resolver_.resolve(request);
    REQUIRE(recipe);
    return (*recipe)->spec;
  }

 private:
  std::string compiler_ = "stand-in 1";
  Warnings warnings_;
  RequestResolver resolver_;
  KernelStore store_;
};

std::string real_key(const generator::ResolvedKernel& kernel, std::string_view flavour,
                     std::string_view options, std::string_view compiler) {
  return kernel.key(flavour, options, compiler);
}

/// A key over everything but one spec field, or one of "target", "flavour", "options", "compiler", "symbol".
RequestResolver::Key key_without(const std::string& part) {
  return [part](const generator::ResolvedKernel& kernel, std::string_view flavour, std::string_view options,
                std::string_view compiler) {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view value) {
      if (name != part) text += fmt::format("{}={}\n", name, value);
    };
    // The symbol ends in a hash over the fields: where one is left out, so is the symbol.
    for (const auto& [name, value] : kernel.spec()) add(name, value);
    add("target", to_string(kernel.target()));
    add("flavour", flavour);
    add("options", options);
    add("compiler", compiler);
    if (kernel.symbol() == "renamed") add("symbol", kernel.symbol());
    return generator::sha256_hex(text);
  };
}

Ask ask(int head_size, std::string_view field = {}, const std::string& value = {}) {
  Ask result;
  result.request.fields = test::base_texts(head_size);
  if (!field.empty()) result.request.fields.insert_or_assign(std::string(field), value);
  return result;
}

/// A, B, A, in one process and then in another on the same folder.
bool serves_in_turns(const RequestResolver::Key& key, const Ask& a, const Ask& b) {
  const test::FastFolder folder;
  for (int process = 0; process < 2; ++process) {
    Process own(folder.file("cache"), key);
    if (!own.serves(a) || !own.serves(b) || !own.serves(a)) return false;
  }
  return true;
}

/// For each part of the key a pair of requests that differ in it alone and are not the same kernel.
std::map<std::string, std::pair<Ask, Ask>> pairs() {
  std::map<std::string, std::pair<Ask, Ask>> found;
  Process process("", real_key);
  for (const int head_size : {64, 128})
    for (const test::FieldValues& field : test::field_values())
      for (const std::string& value : field.accepted) {
        const Ask base = ask(head_size), other = ask(head_size, field.field, value);
        if (process.canonical(base.request) != process.canonical(other.request))
          found.try_emplace(field.field, base, other);
      }
  // Eight waves are two on each SIMD in any case.
  found.try_emplace("waves_per_eu", ask(64, "block_m", "128"), ask(64, "block_m", "128"));
  found.at("waves_per_eu").second.request.fields["waves_per_eu"] = "1";
  found.try_emplace("page_size", ask(64, "kv", "paged"), ask(64, "kv", "paged"));
  found.at("page_size").second.request.fields["page_size"] = "32";
  Ask target = ask(64), flavour = ask(64), options = ask(64), compiler = ask(64), symbol = ask(64);
  target.request.target = "gfx950:xnack-";
  flavour.request.flavour = "llvm21";
  options.request.code_object_version = 6;
  compiler.compiler = "stand-in 2";
  symbol.request.symbol = "renamed";
  found.emplace("target", std::pair(ask(64), target));
  found.emplace("flavour", std::pair(ask(64), flavour));
  found.emplace("options", std::pair(ask(64), options));
  found.emplace("compiler", std::pair(ask(64), compiler));
  found.emplace("symbol", std::pair(ask(64), symbol));
  return found;
}

}  // namespace

TEST_CASE("cache key: two requests that differ in one part are each served their own code object") {
  const auto all = pairs();
  std::set<std::string> expected{"target", "flavour", "options", "compiler", "symbol"};
  // Of the others only one value is built, or none changes the kernel.
  for (const char* field :
       {"head_size", "num_query_heads", "num_kv_heads", "dtype", "mask", "sequences", "kv", "page_size",
        "sinks", "lse", "block_m", "block_n", "waves_per_eu", "persistent", "lds_k_group_pad",
        "lds_k_row_pad", "lds_v_group_pad", "lds_v_row_pad", "lazy_rescale"})
    expected.insert(field);
  std::set<std::string> parts;
  for (const auto& [part, pair] : all) parts.insert(part);
  for (const std::string& part : expected) {
    CAPTURE(part);
    CHECK(parts.contains(part));
  }
  for (const auto& [part, pair] : all) {
    CAPTURE(part);
    CHECK(serves_in_turns(real_key, pair.first, pair.second));
  }
}

TEST_CASE("cache key: a key without any one of its parts serves the wrong code object, and is found out") {
  for (const auto& [part, pair] : pairs()) {
    CAPTURE(part);
    CHECK_FALSE(serves_in_turns(key_without(part), pair.first, pair.second));
    CHECK(serves_in_turns(key_without("nothing"), pair.first, pair.second));
  }
}

TEST_CASE("cache key: waves_per_eu 1, 2, 1 at block_m 128, and causal then full, are different binaries") {
  const test::TemporaryFolder folder;
  Process process(folder.file("cache"), real_key);
  const auto narrow = [](const char* waves) {
    Ask result = ask(64, "block_m", "128");
    result.request.fields["waves_per_eu"] = waves;
    return result;
  };
  for (const char* waves : {"1", "2", "1"}) CHECK(process.serves(narrow(waves)));
  for (const char* mask : {"causal", "full", "causal"}) CHECK(process.serves(ask(128, "mask", mask)));
}

TEST_CASE("requests: everything that is wrong is refused at once, with field, value and what is allowed") {
  JitRequest request;
  request.fields = {{"head_size", "96"}, {"num_query_heads", "8"}, {"num_kv_heads", "3"}, {"batch", "2"}};
  request.flavour = "llvm19";
  request.compiler = "gcc";
  request.code_object_version = 4;
  request.target = "gfx999";
  request.symbol = "no name";
  const auto checked = RequestResolver::check(request);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::invalid_request);
  std::set<std::string> fields;
  for (const Refusal& refusal : checked.error().refusals) fields.insert(refusal.field);
  for (const char* field :
       {"head_size", "batch", "flavour", "compiler", "code_object_version", "target", "symbol"}) {
    CAPTURE(field);
    CHECK(fields.contains(field));
  }
  request = {.family = "attention-sparse", .fields = {}, .preset = {}, .target = {}, .symbol = {}};
  CHECK_FALSE(RequestResolver::check(request));
}

TEST_CASE("requests: texts of different requests differ, however the parts are cut") {
  std::set<std::string> texts;
  const auto add = [&](const JitRequest& request) {
    std::string text;
    write_request_text(request, text);
    return texts.insert(text).second;
  };
  JitRequest request;
  CHECK(add(request));
  CHECK_FALSE(add(request));
  for (std::string JitRequest::* part : {&JitRequest::family, &JitRequest::preset, &JitRequest::target,
                                         &JitRequest::symbol, &JitRequest::flavour, &JitRequest::compiler}) {
    JitRequest changed;
    (changed.*part) += "x";
    CHECK(add(changed));
  }
  JitRequest version, table, one, two, cut;
  version.code_object_version = 6;
  table.line_table = true;
  one.fields = {{"a", "b"}, {"c", "d"}};
  two.fields = {{"a", "bc"}, {"", "d"}};
  cut.fields = {{"ab", ""}, {"c", "d"}};
  for (const JitRequest* changed : {&version, &table, &one, &two, &cut}) CHECK(add(*changed));
}
