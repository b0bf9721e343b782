// What a calling program can do wrong is refused with field, value and what is allowed: null pointers,
// structures of other sizes, requests that no kernel serves.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/abi/support.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::test;

namespace {

/// A structure of a newer header: `extra` more bytes, all of them `value`.
template <class T>
class Longer {
 public:
  Longer(std::size_t extra, unsigned char value) : bytes_(sizeof(T) + extra, value) {
    T known{};
    known.struct_size = bytes_.size();
    std::memcpy(bytes_.data(), &known, sizeof known);
  }
  T* get() { return reinterpret_cast<T*>(bytes_.data()); }
  unsigned char last() const { return bytes_.back(); }

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace

TEST_CASE("abi: null is refused by name wherever a pointer is needed") {
  const Request request = request_of(small_kernel());
  const AbiJit jit = jit_on("/nonexistent/wavesmith");
  wavesmith_request* made_request = nullptr;
  wavesmith_kernel* kernel = nullptr;
  wavesmith_attention_shapes shapes{};
  shapes.struct_size = sizeof shapes;
  wavesmith_kernel_info info{};
  info.struct_size = sizeof info;
  wavesmith_kernel_argument argument{};
  argument.struct_size = sizeof argument;
  wavesmith_launch launch{};
  launch.struct_size = sizeof launch;
  wavesmith_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  std::array<char, 65> key{};
  const std::array<const wavesmith_request*, 2> requests{request.get(), nullptr};
  const char* const missing[1] = {nullptr};
  wavesmith_jit* made_jit = nullptr;
  const auto options_with = [&](auto change) {
    wavesmith_jit_options options{};
    options.struct_size = sizeof options;
    change(options);
    return wavesmith_jit_create(&options, &made_jit);
  };

  const std::vector<std::pair<std::string, std::function<wavesmith_status()>>> calls{
      {"family", [&] { return wavesmith_request_create(nullptr, &made_request); }},
      {"request", [&] { return wavesmith_request_create("attention-dense", nullptr); }},
      {"text", [&] { return wavesmith_request_from_json(nullptr, &made_request); }},
      {"request", [&] { return wavesmith_request_from_json("{}", nullptr); }},
      {"request", [&] { return wavesmith_request_set(nullptr, "lse", "true"); }},
      {"name", [&] { return wavesmith_request_set(request.get(), nullptr, "true"); }},
      {"value", [&] { return wavesmith_request_set(request.get(), "lse", nullptr); }},
      {"request", [&] { return wavesmith_supports(nullptr); }},
      {"jit", [&] { return wavesmith_jit_create(nullptr, nullptr); }},
      {"options.bundles", [&] { return options_with([](auto& o) { o.bundle_count = 1; }); }},
      {"options.shared_directories[0]",
       [&] {
         return options_with([&](auto& o) {
           o.shared_directories = missing;
           o.shared_directory_count = 1;
         });
       }},
      {"jit", [&] { return wavesmith_jit_get(nullptr, request.get(), &kernel); }},
      {"request", [&] { return wavesmith_jit_get(jit.get(), nullptr, &kernel); }},
      {"kernel", [&] { return wavesmith_jit_get(jit.get(), request.get(), nullptr); }},
      {"jit", [&] { return wavesmith_jit_prepare(nullptr, request.get(), &kernel); }},
      {"request", [&] { return wavesmith_jit_prepare(jit.get(), nullptr, &kernel); }},
      {"kernel", [&] { return wavesmith_jit_prepare(jit.get(), request.get(), nullptr); }},
      {"jit", [&] { return wavesmith_jit_warm(nullptr, requests.data(), 1, nullptr, nullptr); }},
      {"requests", [&] { return wavesmith_jit_warm(jit.get(), nullptr, 1, nullptr, nullptr); }},
      {"requests[1]", [&] { return wavesmith_jit_warm(jit.get(), requests.data(), 2, nullptr, nullptr); }},
      {"jit", [&] { return wavesmith_jit_key(nullptr, request.get(), key.data()); }},
      {"request", [&] { return wavesmith_jit_key(jit.get(), nullptr, key.data()); }},
      {"key", [&] { return wavesmith_jit_key(jit.get(), request.get(), nullptr); }},
      {"jit", [&] { return wavesmith_jit_statistics(nullptr, &statistics); }},
      {"statistics", [&] { return wavesmith_jit_statistics(jit.get(), nullptr); }},
      {"kernel", [&] { return wavesmith_kernel_get_info(nullptr, &info); }},
      {"kernel", [&] { return wavesmith_kernel_get_argument(nullptr, 0, &argument); }},
      {"strides", [&] { return wavesmith_contiguous_strides(WAVESMITH_BSHD, 1, 1, 64, nullptr); }},
      {"launch", [&] { return wavesmith_plan_attention(nullptr, &shapes, nullptr, nullptr); }},
      {"kernel", [&] { return wavesmith_plan_attention(nullptr, &shapes, nullptr, &launch); }},
      {"kernel", [&] { return wavesmith_check_sequences(nullptr, &shapes, nullptr); }},
      {"directory", [&] { return wavesmith_cache_check(nullptr, 0, nullptr); }},
      {"report", [&] { return wavesmith_cache_check("/nonexistent", 0, nullptr); }},
      {"directory", [&] { return wavesmith_cache_prune(nullptr, 0, 0, nullptr); }},
      {"directory", [&] { return wavesmith_cache_export(nullptr, "b", nullptr); }},
      {"bundle", [&] { return wavesmith_cache_export("/nonexistent", nullptr, nullptr); }},
      {"bundle", [&] { return wavesmith_cache_import(nullptr, "/nonexistent", nullptr); }},
      {"directory", [&] { return wavesmith_cache_import("b", nullptr, nullptr); }},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    INFO("call " << i << ", " << calls[i].first);
    CHECK(calls[i].second() == WAVESMITH_INVALID_ARGUMENT);
    REQUIRE(wavesmith_refusal_count() == 1);
    CHECK(refusal(0).field == calls[i].first);
    CHECK(refusal(0).value == std::string_view("null"));
    CHECK(std::string_view(wavesmith_last_error()).find(calls[i].first) != std::string_view::npos);
  }
  CHECK(made_request == nullptr);
  CHECK(made_jit == nullptr);
  CHECK(kernel == nullptr);
  CHECK(wavesmith_refusal_get(0, nullptr) == WAVESMITH_INVALID_ARGUMENT);
  wavesmith_request_destroy(nullptr);
  wavesmith_jit_destroy(nullptr);
  wavesmith_kernel_destroy(nullptr);
  CHECK(wavesmith_jit_cache_directory(nullptr) == std::string_view());
}

TEST_CASE("abi: structures of older and newer headers are taken, other sizes are refused") {
  wavesmith_jit* jit = nullptr;
  wavesmith_jit_options options{};
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, sizeof options - 1, sizeof options + 4097,
                                 static_cast<std::size_t>(-1)}) {
    options.struct_size = size;
    CHECK(wavesmith_jit_create(&options, &jit) == WAVESMITH_INVALID_ARGUMENT);
    CHECK(jit == nullptr);
    CHECK(refusal(0).field == std::string_view("options.struct_size"));
    CHECK(refusal(0).value == std::to_string(size));
  }
  Longer<wavesmith_jit_options> unknown(16, 1), unused(16, 0);
  CHECK(wavesmith_jit_create(unknown.get(), &jit) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(refusal(0).field == std::string_view("options.struct_size"));
  ok(wavesmith_jit_create(unused.get(), &jit));
  const AbiJit made(jit);

  // What is written: every byte of the longer one, none behind a shorter one.
  Longer<wavesmith_statistics> statistics(16, 0xff);
  ok(wavesmith_jit_statistics(jit, statistics.get()));
  CHECK(statistics.get()->struct_size == sizeof(wavesmith_statistics) + 16);
  CHECK(statistics.last() == 0);
  wavesmith_statistics small{};
  small.struct_size = sizeof small - 1;
  CHECK(wavesmith_jit_statistics(jit, &small) == WAVESMITH_INVALID_ARGUMENT);

  // Members that have no meaning, and flags that are neither.
  options = {};
  options.struct_size = sizeof options;
  options.reserved = 7;
  CHECK(wavesmith_jit_create(&options, &jit) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(refusal(0).field == std::string_view("options.reserved"));
  options.reserved = 0;
  options.no_disk = 2;
  CHECK(wavesmith_jit_create(&options, &jit) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(refusal(0).allowed == std::string_view("0, 1"));
  options.no_disk = 0;
  options.workers = 1025;
  CHECK(wavesmith_jit_create(&options, &jit) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(refusal(0).value == std::string_view("1025"));
}

TEST_CASE("abi: a request is refused with all of its reasons, and supports() is the same as get()") {
  const Request request = request_of(
      R"({"head_size": 96, "num_query_heads": 33, "num_kv_heads": 2, "lds_k_group_pad": 12, "colour": "red",
          "target": "gfx950"})");
  CHECK(wavesmith_supports(request.get()) == WAVESMITH_INVALID_REQUEST);
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < wavesmith_refusal_count(); ++i) {
    fields.emplace_back(refusal(i).field);
    CHECK(std::strlen(refusal(i).allowed) > 0);
  }
  std::ranges::sort(fields);
  CHECK(fields == std::vector<std::string>{"colour", "head_size", "lds_k_group_pad", "num_query_heads"});
  const std::string supports = wavesmith_last_error();
  const AbiJit jit = jit_on("/nonexistent/wavesmith");
  wavesmith_kernel* kernel = nullptr;
  CHECK(wavesmith_jit_get(jit.get(), request.get(), &kernel) == WAVESMITH_INVALID_REQUEST);
  CHECK(wavesmith_last_error() == supports);
  CHECK(wavesmith_jit_prepare(jit.get(), request.get(), &kernel) == WAVESMITH_INVALID_REQUEST);
  CHECK(wavesmith_last_error() == supports);

  // Each is put right by itself; nothing else is left.
  for (const auto& [name, value] : {std::pair{"head_size", "64"},
                                    {"num_query_heads", "32"},
                                    {"num_kv_heads", "8"},
                                    {"lds_k_group_pad", "16"}})
    ok(wavesmith_request_set(request.get(), name, value));
  CHECK(wavesmith_supports(request.get()) == WAVESMITH_INVALID_REQUEST);
  REQUIRE(wavesmith_refusal_count() == 1);
  CHECK(refusal(0).field == std::string_view("colour"));
  CHECK(wavesmith_refusal_get(1, nullptr) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(wavesmith_refusal_count() == 1);
  CHECK(wavesmith_supports(request_of(small_kernel()).get()) == WAVESMITH_OK);
  CHECK(wavesmith_last_error() == std::string_view());
  CHECK(wavesmith_refusal_count() == 0);
}

TEST_CASE("abi: JSON that is no request is refused") {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"", "text"},
      {"{", "text"},
      {"[1]", "text"},
      {R"({"head_size": 64, "head_size": 128})", "text"},
      {"{\"dtype\": \"\xff\"}", "text"},
      {std::string(200, '['), "text"},
      {R"({"head_size": 64.5})", "head_size"},
      {R"({"head_size": null})", "head_size"},
      {R"({"mask": ["full"]})", "mask"},
      {R"({"line_table": "yes"})", "line_table"},
      {R"({"code_object_version": "six"})", "code_object_version"},
      {R"({"code_object_version": -5})", "code_object_version"},
  };
  for (const auto& [text, field] : texts) {
    INFO(text);
    wavesmith_request* request = nullptr;
    CHECK(wavesmith_request_from_json(text.c_str(), &request) == WAVESMITH_INVALID_REQUEST);
    CHECK(request == nullptr);
    REQUIRE(wavesmith_refusal_count() == 1);
    CHECK(refusal(0).field == field);
  }
  // What can only be judged with the family.
  for (const auto& [text, field] : {std::pair{R"("family": "plan-score")", "family"},
                                    {R"("flavour": "llvm99")", "flavour"},
                                    {R"("compiler": "gcc")", "compiler"},
                                    {R"("code_object_version": 4)", "code_object_version"},
                                    {R"("target": "gfx90a")", "target"},
                                    {R"("symbol": "a b")", "symbol"}}) {
    const std::string json =
        std::string(R"({"head_size": 64, "num_query_heads": 1, "num_kv_heads": 1, )") + text + "}";
    INFO(json);
    CHECK(wavesmith_supports(request_of(json).get()) == WAVESMITH_INVALID_REQUEST);
    REQUIRE(wavesmith_refusal_count() >= 1);
    CHECK(refusal(0).field == std::string_view(field));
  }
}
