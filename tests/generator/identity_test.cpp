// Identity: specs that mean the same kernel share spec, symbol, key and text; specs that do not differ in all
// of them. The tests of the tests plant a field that is missing from the key.
#include "generator/identity.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/emit.h"
#include "generator/families.h"
#include "tests/generator/field_values.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

struct Identities {
  Spec spec;
  std::string symbol, key, text, masked;

  explicit Identities(const Spec& requested) {
    const Plan plan = test::resolved(requested);
    spec = plan.spec;
    symbol = plan.symbol;
    key = request_key(plan, "llvm22", "options", "compiler");
    text = test::emitted(requested);
    masked = test::masked(text, symbol);
  }
};

Spec from_texts(const FieldTexts& texts) {
  Spec spec;
  std::vector<Refusal> refusals;
  read_fields(texts, spec, refusals);
  REQUIRE(refusals.empty());
  return spec;
}

TEST_CASE("identity: a change of one field changes nothing, or spec, symbol, key and text alike") {
  for (int head_size : {64, 128}) {
    const Identities base(from_texts(test::base_texts(head_size)));
    std::map<std::string, std::string> text_of_key{{base.key, base.masked}},
        key_of_text{{base.masked, base.key}};
    for (const test::FieldValues& field : test::field_values())
      for (const std::string& value : field.accepted) {
        FieldTexts texts = test::base_texts(head_size);
        texts[field.field] = value;
        CAPTURE(head_size, field.field, value);
        const Identities changed(from_texts(texts));
        const bool same = changed.spec == base.spec;
        CHECK((changed.symbol == base.symbol) == same);
        CHECK((changed.key == base.key) == same);
        CHECK((changed.text == base.text) == same);
        CHECK((changed.masked == base.masked) == same);
        // Among all of them, key and masked text say the same.
        if (field.field.ends_with("_heads")) continue;  // see below
        CHECK(text_of_key.try_emplace(changed.key, changed.masked).first->second == changed.masked);
        CHECK(key_of_text.try_emplace(changed.masked, changed.key).first->second == changed.key);
      }
    CHECK(text_of_key.size() == key_of_text.size());
    CHECK(text_of_key.size() > 20);
  }
}

TEST_CASE("identity: of the head counts, the text has the ratio; the launch has the number") {
  const Identities eight(test::spec(64, 8, 2)), sixteen(test::spec(64, 16, 4)), other(test::spec(64, 16, 2));
  CHECK(eight.masked == sixteen.masked);
  CHECK(eight.key != sixteen.key);
  CHECK(eight.symbol != sixteen.symbol);
  CHECK(eight.masked != other.masked);
}

TEST_CASE("identity: knobs without effect are at their default in the canonical spec") {
  const auto same = [](const Spec& a, const Spec& b) {
    const Identities left(a), right(b);
    return left.spec == right.spec && left.symbol == right.symbol && left.key == right.key &&
           left.text == right.text;
  };
  const auto with = [](int head_size, auto member, int value) {
    Spec spec = test::spec(head_size, 32, 8);
    spec.*member = value;
    return spec;
  };
  for (int pad : {0, 8, 16, 24, 32}) {
    CAPTURE(pad);
    for (const auto member : {&Spec::lds_k_group_pad, &Spec::lds_v_group_pad}) {
      CHECK(same(with(128, member, pad), test::spec(128, 32, 8)));
      CHECK(same(with(64, member, pad), test::spec(64, 32, 8)) == (pad == Spec{}.*member));
    }
    for (const auto member : {&Spec::lds_k_row_pad, &Spec::lds_v_row_pad}) {
      CHECK(same(with(64, member, pad), test::spec(64, 32, 8)));
      CHECK(same(with(128, member, pad), test::spec(128, 32, 8)) == (pad == Spec{}.*member));
    }
  }
  // Eight waves on four SIMDs are two on each in any case; four are one.
  CHECK(same(with(64, &Spec::waves_per_eu, 1), with(64, &Spec::waves_per_eu, 2)));
  const auto four_waves = [&](int waves_per_eu) {
    Spec spec = with(64, &Spec::waves_per_eu, waves_per_eu);
    spec.block_m = 128;
    return spec;
  };
  CHECK_FALSE(same(four_waves(1), four_waves(2)));
  CHECK_FALSE(same(with(64, &Spec::waves_per_eu, 2), with(64, &Spec::waves_per_eu, 3)));
  const auto paged = [&](int size) {
    Spec spec = with(64, &Spec::page_size, size);
    spec.kv = Kv::paged;
    return spec;
  };
  for (int size : {16, 32, 128}) {
    CHECK(same(with(64, &Spec::page_size, size), test::spec(64, 32, 8)));
    CHECK_FALSE(same(paged(size), paged(64)));
  }
}

TEST_CASE("identity: a live pad grows LDS by one pad a row group and buffer") {
  const auto lds = [](int pad) {
    Spec spec = test::spec(64, 32, 8);
    spec.lds_k_group_pad = pad;
    const Plan plan = test::resolved(spec);
    // The pool is the only LDS of the module.
    CHECK(test::emitted(spec).contains(fmt::format("addrspace(3) global [{} x i8]", plan.lds_bytes)));
    return plan.lds_bytes;
  };
  for (unsigned pad : {8U, 16U, 24U, 32U, 64U})
    CHECK(lds(static_cast<int>(pad)) == lds(0) + 2 * (64 / 2) * pad * 2);
}

// The published layout suite's invariants on the default grid: block_n x element type, all pads.
TEST_CASE(
    "identity: pads are inert at head size 128, live at 64, exact in LDS, and refused when misaligned") {
  for (int block_n : {32, 64, 128})
    for (DType dtype : {DType::bf16, DType::fp16}) {
      CAPTURE(block_n, value_text(dtype));
      const auto with = [&](int head_size, int Spec::* member, int pad) {
        Spec spec = test::spec(head_size, 32, 8, dtype);
        spec.block_n = block_n;
        spec.lse = true;
        spec.*member = pad;
        return spec;
      };
      const auto tiles = static_cast<unsigned>(block_n);
      std::set<std::string> texts, symbols, keys;
      for (int pad : {0, 8, 16, 24, 32}) {
        CAPTURE(pad);
        const Identities inert(with(128, &Spec::lds_k_group_pad, pad)),
            base(with(128, &Spec::lds_k_group_pad, 8));
        CHECK(inert.text == base.text);
        CHECK(inert.symbol == base.symbol);
        CHECK(inert.key == base.key);
        const Identities live(with(64, &Spec::lds_k_group_pad, pad));
        texts.insert(live.masked);
        symbols.insert(live.symbol);
        keys.insert(live.key);
        // [buffers, block_n / 2, 2 * 64 + pad] of K and [buffers, block_n, 64] of V, two bytes each.
        const unsigned k = 2 * (tiles / 2) * (2 * 64 + static_cast<unsigned>(pad)) * 2,
                       v = 2 * tiles * 64 * 2;
        CHECK(test::resolved(live.spec).lds_bytes == k + v);
        CHECK(live.text.contains(fmt::format("addrspace(3) global [{} x i8]", k + v)));
        // [buffers, block_n, 128 + pad] of K, with the default pad of 32 elements of V.
        const Identities row(with(128, &Spec::lds_k_row_pad, pad));
        CHECK(test::resolved(row.spec).lds_bytes ==
              2 * tiles * (128 + static_cast<unsigned>(pad)) * 2 + 2 * tiles * (128 + 32) * 2);
      }
      CHECK(texts.size() == 5);
      CHECK(symbols.size() == 5);
      CHECK(keys.size() == 5);
      for (const auto member :
           {&Spec::lds_k_group_pad, &Spec::lds_k_row_pad, &Spec::lds_v_group_pad, &Spec::lds_v_row_pad})
        for (int head_size : {64, 128})
          for (int pad : {4, 12, -8, 1, 72}) {
            const std::vector<Refusal> refusals = refusals_of(with(head_size, member, pad), test::target());
            REQUIRE(refusals.size() == 1);
            CHECK(refusals[0].value == std::to_string(pad));
            CHECK(refusals[0].allowed == "0 to 64, a multiple of 8");
          }
    }
}

TEST_CASE("identity: canonical specs are fixed points") {
  for (int head_size : {64, 128})
    for (const test::FieldValues& field : test::field_values())
      for (const std::string& value : field.accepted) {
        FieldTexts texts = test::base_texts(head_size);
        texts[field.field] = value;
        const Spec once = canonical(from_texts(texts));
        CHECK(canonical(once) == once);
      }
}

// Another value of the field's type, built or not.
int another(int value) {
  return value + 1;
}
bool another(bool value) {
  return !value;
}
template <class Enum>
  requires std::is_enum_v<Enum>
Enum another(Enum value) {
  return static_cast<Enum>((static_cast<std::size_t>(value) + 1) % EnumNames<Enum>::names.size());
}

// Fields whose change leaves the identity as it is.
template <class IdentityOf>
std::vector<std::string> uncovered(IdentityOf&& identity_of) {
  std::vector<std::string> names;
  const Spec base = test::spec(64, 32, 8);
  for_each_field<Spec>([&](const auto& field) {
    Spec changed = base;
    changed.*field.member = another(base.*field.member);
    // An enumeration with one value so far cannot change.
    if (changed.*field.member != base.*field.member && identity_of(changed) == identity_of(base))
      names.emplace_back(field.name);
  });
  return names;
}

TEST_CASE("identity: the key covers every field of a spec, and a field that is missing is seen") {
  const auto key = [](const Spec& spec) {
    Plan plan = test::resolved(test::spec(64, 32, 8));
    plan.spec = spec;
    return request_key(plan, "llvm22", "", "");
  };
  CHECK(uncovered(key).empty());

  std::size_t index = 0;
  for_each_field<Spec>([&](const auto& field) {
    const auto one_short = [&](const Spec& spec) {
      const std::string text = spec_text(spec);
      const std::string line = fmt::format("{}={}\n", field.name, value_text(spec.*field.member));
      const std::size_t at = text.find(line);
      REQUIRE(at != std::string::npos);
      return text.substr(0, at) + text.substr(at + line.size());
    };
    CAPTURE(field.name);
    const bool has_other_values = another(Spec{}.*field.member) != Spec{}.*field.member;
    CHECK(uncovered(one_short) == (has_other_values ? std::vector<std::string>{std::string(field.name)}
                                                    : std::vector<std::string>{}));
    ++index;
  });
  CHECK(index == test::field_values().size());
}

TEST_CASE("identity: the key covers target, flavour, options, compiler and symbol") {
  const Plan plan = test::resolved(test::spec(64, 32, 8));
  Plan other_target = plan, other_symbol = plan;
  other_target.target.xnack = lowering::Feature::off;
  other_symbol.symbol = "renamed";
  const std::set<std::string> keys{request_key(plan, "llvm22", "-O3", "LLVM 22"),
                                   request_key(plan, "llvm21", "-O3", "LLVM 22"),
                                   request_key(plan, "llvm22", "-O2", "LLVM 22"),
                                   request_key(plan, "llvm22", "-O3", "LLVM 21"),
                                   request_key(other_target, "llvm22", "-O3", "LLVM 22"),
                                   request_key(other_symbol, "llvm22", "-O3", "LLVM 22"),
                                   request_key(plan, "llvm22\noptions=-O3", "", "LLVM 22")};
  CHECK(keys.size() == 7);
  for (const std::string& key : keys) {
    CHECK(key.size() == 64);
    CHECK(key.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
}

TEST_CASE("identity: hashes are SHA-256") {
  // FIPS 180-2, appendix B, and the empty message.
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(emitter_identity().size() == 64);
}

TEST_CASE("identity: the emitter's is a hash over all sources of generator, ir_builder and lowering") {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(WAVESMITH_TEST_DATA).parent_path().parent_path();
  std::map<std::string, std::string> hashes;
  for (const char* folder : {"generator", "ir_builder", "lowering"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      hashes[entry.path().lexically_relative(root).string()] = sha256_hex(text);
    }
  CHECK(hashes.size() > 40);
  std::string listing;
  for (const auto& [path, hash] : hashes) listing += fmt::format("{} {}\n", path, hash);
  // A source that was edited after this program was built makes a difference too.
  CHECK(emitter_identity() == sha256_hex(listing));
}

TEST_CASE("identity: symbols are readable and end in a hash over what is not at its default") {
  // printf 'head_size=64\nnum_query_heads=32\nnum_kv_heads=8\n' | sha256sum
  CHECK(test::resolved(test::spec(64, 32, 8)).symbol ==
        "wavesmith_attention_dense_d64_q32_kv8_bf16_causal_bm256_bn64_6d8b2566");
  Spec changed = test::spec(128, 40, 8, DType::fp16, Mask::full);
  changed.lds_k_row_pad = 16;
  // printf 'head_size=128\nnum_query_heads=40\nnum_kv_heads=8\ndtype=fp16\nmask=full\nlds_k_row_pad=16\n' |
  // sha256sum
  CHECK(test::resolved(changed).symbol ==
        "wavesmith_attention_dense_d128_q40_kv8_fp16_full_bm256_bn64_3383734b");
}

TEST_CASE("identity: a kernel under another name is the same text but for the name") {
  const auto kernel = find_family("attention-dense")->resolve(test::base_texts(64), "", test::target());
  REQUIRE(kernel);
  const auto renamed = (*kernel)->with_symbol("my_kernel");
  REQUIRE(renamed);
  const auto text = (*kernel)->emit(*lowering::find_flavour("llvm22"), {});
  const auto other = (*renamed)->emit(*lowering::find_flavour("llvm22"), {});
  REQUIRE(text);
  REQUIRE(other);
  CHECK(other->contains("define amdgpu_kernel void @my_kernel("));
  CHECK(test::masked(*text, (*kernel)->symbol()) == test::masked(*other, "my_kernel"));
  CHECK((*kernel)->key("llvm22", "", "") != (*renamed)->key("llvm22", "", ""));
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
