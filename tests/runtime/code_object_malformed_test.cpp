// Hostile and damaged code objects: every one is refused with a reason or reads as a value whose parts all
// lie inside the file. Sanitized builds run the same tests; the inputs are exact-size heap blocks so that any
// read past them shows.
#include <bit>
#include <cstring>
#include <functional>
#include <random>

#include <elf.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "runtime/code_object.h"
#include "runtime/elf_image.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

const std::vector<std::byte>& valid_file() {
  static const std::vector<std::byte> bytes = test::compile_with_llc(test::two_kernels(5), "gfx950");
  return bytes;
}

/// What a user of the value relies on without checking again.
void check_invariants(const CodeObject& object) {
  for (const Segment& segment : object.segments) {
    REQUIRE(object.bytes(segment).size() == segment.file_bytes);
    REQUIRE(segment.memory_bytes >= segment.file_bytes);
  }
  for (const Kernel& kernel : object.kernels) {
    REQUIRE(object.code(kernel).size() == kernel.code_bytes);
    REQUIRE(kernel.code_bytes > 0);
    REQUIRE(std::has_single_bit(kernel.kernarg_align));
    REQUIRE((kernel.wavefront_size == 32 || kernel.wavefront_size == 64));
    REQUIRE(kernel.max_flat_workgroup_size <= 1024);
    for (const KernelArgument& argument : kernel.arguments) {
      REQUIRE(std::uint64_t{argument.offset} + argument.size <= kernel.kernarg_bytes);
    }
  }
  for (const Relocation& relocation : object.relocations) REQUIRE(relocation.symbol < object.symbols.size());
}

/// Reads a copy in a heap block of exactly its size.
Expected<CodeObject> read_copy(std::span<const std::byte> bytes) {
  const auto copy = std::make_unique<std::byte[]>(bytes.size());
  std::ranges::copy(bytes, copy.get());
  return read_code_object({copy.get(), bytes.size()});
}

template <class T>
T get(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// The reason why the valid file is refused after an edit.
std::string reason_after(const std::function<void(std::vector<std::byte>&)>& edit) {
  std::vector<std::byte> bytes = valid_file();
  edit(bytes);
  const auto object = read_copy(bytes);
  if (object) return "accepted";
  CHECK(object.error().kind == ErrorKind::invalid_request);
  return object.error().message;
}

std::string_view metadata_of(std::span<const std::byte> file) {
  return read_elf_image(file)->metadata;
}

/// Puts other bytes in place of the metadata. They must not be longer; the note keeps its size.
void replace_metadata(std::vector<std::byte>& file, std::string_view replacement) {
  const std::string_view old = metadata_of(file);
  REQUIRE(replacement.size() <= old.size());
  std::memcpy(file.data() + (old.data() - reinterpret_cast<const char*>(file.data())), replacement.data(),
              replacement.size());
}

/// The reason after an edit of the metadata as JSON. Only the first kernel is kept, which makes room; a
/// string that nobody reads fills it.
std::string reason_after_metadata(const std::function<void(Json& root, Json& kernel)>& edit) {
  return reason_after([&](std::vector<std::byte>& file) {
    const std::string_view old = metadata_of(file);
    Json root = Json::from_msgpack(old.begin(), old.end());
    root["amdhsa.kernels"].erase(1);
    edit(root, root["amdhsa.kernels"][0]);
    std::string text;
    for (std::size_t padding = old.size(); text.empty() || text.size() > old.size(); --padding) {
      root["padding"] = std::string(padding, '.');
      text.clear();
      Json::to_msgpack(root, nlohmann::detail::output_adapter<char>(text));
    }
    REQUIRE(text.size() == old.size());
    replace_metadata(file, text);
  });
}

std::size_t load_header(std::span<const std::byte> file, std::size_t which) {
  const auto header = get<Elf64_Ehdr>(file, 0);
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    const std::size_t at = header.e_phoff + index * sizeof(Elf64_Phdr);
    if (get<Elf64_Phdr>(file, at).p_type == PT_LOAD && which-- == 0) return at;
  }
  FAIL("no such segment");
  return 0;
}

std::size_t section_header(std::span<const std::byte> file, std::uint32_t type) {
  const auto header = get<Elf64_Ehdr>(file, 0);
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    const std::size_t at = header.e_shoff + index * sizeof(Elf64_Shdr);
    if (get<Elf64_Shdr>(file, at).sh_type == type) return at;
  }
  FAIL("no such section");
  return 0;
}

}  // namespace

TEST_CASE("a code object truncated at any byte is refused") {
  const auto& file = valid_file();
  REQUIRE(read_copy(file));
  for (std::size_t size = 0; size < file.size(); ++size) {
    if (read_copy(std::span(file).first(size)))
      FAIL("accepted the first " << size << " of " << file.size() << " bytes");
  }
}

TEST_CASE("flipped bytes never give a value that points outside the file") {
  std::mt19937 random(20240611);
  const auto& file = valid_file();
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<std::byte> bytes = file;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= static_cast<std::byte>(1 + random() % 255);
    }
    const auto object = read_copy(bytes);
    (object ? accepted : refused)++;
    if (object) check_invariants(*object);
  }
  CHECK(accepted > 0);  // damage in code and filler does not matter to the reader
  CHECK(refused > 0);
}

TEST_CASE("extreme values in any word of the tables never give a value that points outside the file") {
  const auto& file = valid_file();
  for (std::size_t at = 0; at + 8 <= file.size(); at += 4) {
    for (const std::uint64_t value :
         {0ULL, ~0ULL, 1ULL << 63, 0x7fffffffULL, 0xffffffffULL, 0xfffffffffffff000ULL}) {
      std::vector<std::byte> bytes = file;
      put(bytes, at, value);
      if (const auto object = read_copy(bytes)) check_invariants(*object);
    }
  }
}

TEST_CASE("files of another kind are refused by what is wrong with them") {
  const auto with_byte = [](std::size_t at, unsigned char value) {
    return reason_after([=](auto& file) { file[at] = std::byte{value}; });
  };
  CHECK_THAT(with_byte(1, 'F'), ContainsSubstring("magic"));
  CHECK_THAT(with_byte(EI_CLASS, ELFCLASS32), ContainsSubstring("64-bit"));
  CHECK_THAT(with_byte(EI_OSABI, 0), ContainsSubstring("OS ABI 0"));
  CHECK_THAT(with_byte(EI_ABIVERSION, 1), ContainsSubstring("ABI version 1"));
  CHECK_THAT(with_byte(EI_ABIVERSION, 5), ContainsSubstring("ABI version 5"));
  CHECK_THAT(with_byte(offsetof(Elf64_Ehdr, e_type), ET_REL), ContainsSubstring("ELF type 1"));
  CHECK_THAT(with_byte(offsetof(Elf64_Ehdr, e_machine), 62), ContainsSubstring("ELF machine 62"));
  CHECK_THAT(with_byte(offsetof(Elf64_Ehdr, e_flags), 0x01), ContainsSubstring("machine 0x01"));
  CHECK_THAT(with_byte(offsetof(Elf64_Ehdr, e_flags), 0x36), ContainsSubstring("gfx1030"));
  CHECK_THAT(with_byte(offsetof(Elf64_Ehdr, e_flags), 0x4c), ContainsSubstring("metadata is for"));
  CHECK_THAT(with_byte(offsetof(Elf64_Ehdr, e_flags) + 3, 1), ContainsSubstring("generic"));
}

TEST_CASE("segments that no loader could place are refused") {
  const auto with_segment = [](std::size_t which, const std::function<void(Elf64_Phdr&)>& edit) {
    return reason_after([&](auto& file) {
      const std::size_t at = load_header(file, which);
      auto header = get<Elf64_Phdr>(file, at);
      edit(header);
      put(file, at, header);
    });
  };
  CHECK_THAT(with_segment(1, [](auto& header) { header.p_filesz = 1 << 30; }),
             ContainsSubstring("outside the file"));
  CHECK_THAT(with_segment(1, [](auto& header) { header.p_offset = ~0ULL; }),
             ContainsSubstring("outside the file"));
  CHECK_THAT(with_segment(1, [](auto& header) { header.p_memsz = 0; }),
             ContainsSubstring("larger in the file"));
  CHECK_THAT(with_segment(1, [](auto& header) { header.p_vaddr = 0; }), ContainsSubstring("overlap"));
  CHECK_THAT(with_segment(2, [](auto& header) { header.p_memsz = ~0ULL; }), ContainsSubstring("overflow"));
  CHECK_THAT(with_segment(2, [](auto& header) { header.p_memsz = 1ULL << 40; }),
             ContainsSubstring("at most"));
  CHECK_THAT(with_segment(1, [](auto& header) { header.p_flags = PF_R; }), ContainsSubstring("executable"));
}

TEST_CASE("symbols and relocations outside their tables are refused") {
  const auto with_section = [](std::uint32_t type, const std::function<void(Elf64_Shdr&)>& edit) {
    return reason_after([&](auto& file) {
      const std::size_t at = section_header(file, type);
      auto header = get<Elf64_Shdr>(file, at);
      edit(header);
      put(file, at, header);
    });
  };
  CHECK_THAT(with_section(SHT_DYNSYM, [](auto& header) { header.sh_type = SHT_PROGBITS; }),
             ContainsSubstring("no dynamic symbol table"));
  CHECK_THAT(with_section(SHT_DYNSYM, [](auto& header) { header.sh_link = 999; }),
             ContainsSubstring("string table"));
  CHECK_THAT(with_section(SHT_DYNSYM, [](auto& header) { header.sh_offset = ~0ULL; }),
             ContainsSubstring("cannot be read"));
  CHECK_THAT(with_section(SHT_RELA, [](auto& header) { header.sh_entsize = 8; }),
             ContainsSubstring("another size"));
  CHECK_THAT(with_section(SHT_RELA, [](auto& header) { header.sh_type = SHT_REL; }),
             ContainsSubstring("without addends"));

  const auto with_relocation = [](const std::function<void(Elf64_Rela&)>& edit) {
    return reason_after([&](auto& file) {
      const std::size_t at = get<Elf64_Shdr>(file, section_header(file, SHT_RELA)).sh_offset;
      auto entry = get<Elf64_Rela>(file, at);
      edit(entry);
      put(file, at, entry);
    });
  };
  CHECK_THAT(with_relocation([](auto& entry) { entry.r_offset = 1ULL << 40; }),
             ContainsSubstring("outside the loaded"));
  CHECK_THAT(with_relocation([](auto& entry) { entry.r_info = ELF64_R_INFO(4096, 3); }),
             ContainsSubstring("symbol"));
  CHECK_THAT(with_relocation([](auto& entry) { entry.r_info = ELF64_R_INFO(1, 5); }),
             ContainsSubstring("type 5"));
}

TEST_CASE("descriptors that disagree with the metadata or use reserved bits are refused") {
  const auto valid = read_code_object(valid_file());
  REQUIRE(valid);
  const std::uint64_t address = valid->kernels[0].descriptor_address;
  const auto with_word = [&](std::size_t offset, std::uint32_t value) {
    return reason_after(
        [&](auto& file) { put(file, address + offset, value); });  // the first segment starts at 0
  };
  CHECK_THAT(with_word(0, 77), ContainsSubstring("LDS size is 77 in the descriptor and 512"));
  CHECK_THAT(with_word(4, 16), ContainsSubstring("scratch size"));
  CHECK_THAT(with_word(8, 8), ContainsSubstring("kernarg size"));
  CHECK_THAT(with_word(12, 1), ContainsSubstring("does not define"));
  CHECK_THAT(with_word(16, 0x7fffff00), ContainsSubstring("entry point"));
  CHECK_THAT(with_word(16, 4), ContainsSubstring("entry point"));
  CHECK_THAT(with_word(56, 1U << 10), ContainsSubstring("does not define"));  // wave32
  CHECK_THAT(with_word(60, 1), ContainsSubstring("does not define"));
}

TEST_CASE("metadata that breaks its own rules is refused by kernel and field") {
  const auto with = [](std::string field, Json value) {
    return reason_after_metadata([=](Json&, Json& kernel) { kernel[field] = value; });
  };
  const auto with_argument = [](std::string field, Json value) {
    return reason_after_metadata([=](Json&, Json& kernel) { kernel[".args"][1][field] = value; });
  };
  CHECK(reason_after_metadata([](Json&, Json&) {}) == "accepted");  // the edit itself does no harm
  CHECK_THAT(reason_after_metadata([](Json&, Json& kernel) { kernel.erase(".vgpr_count"); }),
             ContainsSubstring("kernel 0: .vgpr_count is missing"));
  CHECK_THAT(with(".vgpr_count", "many"), ContainsSubstring(".vgpr_count is not a number"));
  CHECK_THAT(with(".vgpr_count", -1), ContainsSubstring(".vgpr_count is not a number"));
  CHECK_THAT(with(".sgpr_count", 1ULL << 40), ContainsSubstring(".sgpr_count is not a number"));
  CHECK_THAT(with(".agpr_count", 500), ContainsSubstring(".agpr_count exceeds"));
  CHECK_THAT(with(".wavefront_size", 32), ContainsSubstring(".wavefront_size is not 64"));
  CHECK_THAT(with(".kernarg_segment_align", 3), ContainsSubstring("power of two"));
  CHECK_THAT(with(".max_flat_workgroup_size", 4096), ContainsSubstring("is not 1 to 1024"));
  CHECK_THAT(with(".reqd_workgroup_size", Json::array({0xffffffffU, 0xffffffffU, 0xffffffffU})),
             ContainsSubstring(".reqd_workgroup_size does not fit"));
  CHECK_THAT(with(".reqd_workgroup_size", Json::array({64})), ContainsSubstring("three elements"));
  CHECK_THAT(with(".symbol", "absent.kd"), ContainsSubstring("absent.kd is missing"));
  CHECK_THAT(with(".symbol", "first"), ContainsSubstring("does not define"));  // code is no descriptor
  CHECK_THAT(with(".name", ""), ContainsSubstring(".name is empty"));
  CHECK_THAT(with(".args", 7), ContainsSubstring(".args is not an array"));
  CHECK_THAT(with_argument(".value_kind", "surprise"),
             ContainsSubstring("argument 1: .value_kind is \"surprise\""));
  CHECK_THAT(with_argument(".offset", 300), ContainsSubstring("outside the kernarg segment"));
  CHECK_THAT(with_argument(".size", 0xffffffffU), ContainsSubstring("outside the kernarg segment"));
  CHECK_THAT(
      reason_after_metadata([](Json& root, Json&) { root["amdhsa.target"] = "amdgcn-amd-amdhsa--gfx942"; }),
      ContainsSubstring("metadata is for \"amdgcn-amd-amdhsa--gfx942\""));
  CHECK_THAT(reason_after_metadata([](Json& root, Json&) { root["amdhsa.version"] = Json::array({2, 0}); }),
             ContainsSubstring("amdhsa.version"));
  CHECK_THAT(reason_after_metadata([](Json& root, Json&) { root["amdhsa.kernels"] = 1; }),
             ContainsSubstring("amdhsa.kernels is not an array"));
  CHECK_THAT(reason_after([](auto& file) {
               const std::string_view metadata = metadata_of(file);
               std::string text(metadata);
               // The second kernel takes the name of the first (five letters against six: the length byte
               // moves too).
               const std::size_t at = text.find("\xa6second");
               text.replace(at, 7,
                            "\xa5"
                            "first")
                   .push_back('\xc0');
               replace_metadata(file, text);
             }),
             ContainsSubstring("not valid msgpack"));  // one byte too many at the end
  CHECK_THAT(with(".name", "\xff\xfe"), ContainsSubstring("not valid msgpack"));  // not UTF-8
}

TEST_CASE("deep and oversized msgpack is refused without recursion or allocation") {
  const std::size_t size = metadata_of(valid_file()).size();
  const auto with_metadata = [](const std::string& text) {
    return reason_after([&](auto& file) { replace_metadata(file, text); });
  };
  CHECK_THAT(with_metadata(std::string(size, '\x91')), ContainsSubstring("not valid msgpack"));
  CHECK_THAT(with_metadata("\xdd\xff\xff\xff\xff" + std::string(size - 5, '\xc0')),
             ContainsSubstring("not valid msgpack"));
  CHECK_THAT(with_metadata("\xdb\xff\xff\xff\xff"), ContainsSubstring("not valid msgpack"));
  CHECK_THAT(with_metadata("\xc6\xff\xff\xff\xff"), ContainsSubstring("not valid msgpack"));
  CHECK_THAT(with_metadata("\xdf\xff\xff\xff\xff"), ContainsSubstring("not valid msgpack"));
}

TEST_CASE("a deep metadata note of many megabytes is refused, not recursed into") {
  // The note is moved to the end of the file, where there is room for as many levels as one likes.
  std::vector<std::byte> file = valid_file();
  const auto header = get<Elf64_Ehdr>(file, 0);
  const std::string levels(8 << 20, '\x91');
  const Elf64_Nhdr note{.n_namesz = 7, .n_descsz = static_cast<Elf64_Word>(levels.size()), .n_type = 32};
  std::string text(reinterpret_cast<const char*>(&note), sizeof note);
  text += std::string("AMDGPU\0\0", 8) + levels;
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    const std::size_t at = header.e_phoff + index * sizeof(Elf64_Phdr);
    auto entry = get<Elf64_Phdr>(file, at);
    if (entry.p_type != PT_NOTE) continue;
    entry.p_offset = (file.size() + 3) / 4 * 4;
    entry.p_filesz = text.size();
    put(file, at, entry);
    file.resize(entry.p_offset);
  }
  const auto note_bytes = test::to_bytes(text);
  file.insert(file.end(), note_bytes.begin(), note_bytes.end());
  const auto object = read_code_object(file);
  REQUIRE_FALSE(object);
  CHECK_THAT(object.error().message, ContainsSubstring("not valid msgpack"));
}

TEST_CASE("symbols cannot make the reader copy one long name over and over") {
  // Every symbol of a table at the end of the file names the same long string.
  std::vector<std::byte> file = valid_file();
  constexpr std::size_t kNameBytes = 1 << 20;
  constexpr std::size_t kSymbols = 1 << 14;
  const std::size_t strings_at = (file.size() + 7) / 8 * 8;
  file.resize(strings_at);
  file.resize(strings_at + kNameBytes, std::byte{'n'});
  file.back() = std::byte{0};
  const std::size_t symbols_at = file.size();
  file.resize(symbols_at + kSymbols * sizeof(Elf64_Sym));
  const std::size_t table = section_header(file, SHT_DYNSYM);
  auto header = get<Elf64_Shdr>(file, table);
  const std::size_t strings = get<Elf64_Ehdr>(file, 0).e_shoff + header.sh_link * sizeof(Elf64_Shdr);
  auto string_header = get<Elf64_Shdr>(file, strings);
  string_header.sh_offset = strings_at;
  string_header.sh_size = kNameBytes;
  put(file, strings, string_header);
  header.sh_offset = symbols_at;
  header.sh_size = kSymbols * sizeof(Elf64_Sym);
  put(file, table, header);
  const auto object = read_code_object(file);
  REQUIRE_FALSE(object);
  CHECK_THAT(object.error().message, ContainsSubstring("longer than the file can hold"));
}
