// ELF reading through libelf. libelf checks tables against the file's size; everything that is a number
// inside a table is checked here, because libelf hands it on as it is.
#include "runtime/elf_image.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include <gelf.h>
#include <libelf.h>

#include <fmt/format.h>

namespace wavesmith::runtime {
namespace {

// Not in every libelf's elf.h. Source: LLVM's AMDGPU usage guide, "Code Object".
constexpr unsigned char kOsAbiAmdgpuHsa = 64;
constexpr std::uint32_t kNoteAmdgpuMetadata = 32;
constexpr std::string_view kNoteOwner{"AMDGPU", 7};  // with its terminating zero
constexpr std::uint32_t kSectionRelr = 19;

/// Device memory a code object may ask for through p_memsz: a loader allocates it before it looks at the
/// contents.
constexpr std::uint64_t kMaxLoadedBytes = std::uint64_t{1} << 30;

/// Names may share bytes of the string table (tail merging), so a small file could name many huge symbols.
/// Honest tables stay far below this multiple of the file's size.
constexpr std::uint64_t kMaxNameBytesPerFileByte = 4;

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

/// Every header field that decides how the rest is read; 64-bit fields are checked for overflow by `inside`.
Expected<GElf_Ehdr> check_header(std::span<const std::byte> file) {
  Elf64_Ehdr header;
  if (file.size() < sizeof header) return malformed("the file is shorter than an ELF header");
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return malformed("no ELF magic number");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return malformed("not a little-endian 64-bit ELF file");
  }
  if (header.e_machine != EM_AMDGPU) {
    return malformed(fmt::format("ELF machine {}, expected {} (AMDGPU)", header.e_machine, EM_AMDGPU));
  }
  if (header.e_ident[EI_OSABI] != kOsAbiAmdgpuHsa) {
    return malformed(
        fmt::format("OS ABI {}, expected {} (AMDGPU HSA)", header.e_ident[EI_OSABI], kOsAbiAmdgpuHsa));
  }
  if (header.e_type != ET_DYN) {
    return malformed(fmt::format("ELF type {}, expected {} (linked shared object)", header.e_type, ET_DYN));
  }
  const auto table_fits = [&](std::uint64_t offset, std::uint64_t count, std::uint64_t entry,
                              std::uint64_t expected) {
    return entry == expected && inside(offset, count * entry, file.size());
  };
  if (!table_fits(header.e_phoff, header.e_phnum, header.e_phentsize, sizeof(Elf64_Phdr)) ||
      header.e_phnum == PN_XNUM) {
    return malformed("the program headers lie outside the file");
  }
  // e_shnum 0 with a table means "more than 65279 sections, see section 0": no code object has that.
  if (header.e_shnum == 0 ||
      !table_fits(header.e_shoff, header.e_shnum, header.e_shentsize, sizeof(Elf64_Shdr))) {
    return malformed("the section headers are missing or lie outside the file");
  }
  return header;
}

Expected<Segment> read_segment(const GElf_Phdr& header, std::uint64_t file_size) {
  if (!inside(header.p_offset, header.p_filesz, file_size))
    return malformed("a segment lies outside the file");
  if (header.p_memsz < header.p_filesz) return malformed("a segment is larger in the file than in memory");
  if (!inside(header.p_vaddr, header.p_memsz, UINT64_MAX))
    return malformed("a segment's address range overflows");
  return Segment{.address = header.p_vaddr,
                 .memory_bytes = header.p_memsz,
                 .file_offset = header.p_offset,
                 .file_bytes = header.p_filesz,
                 .readable = (header.p_flags & PF_R) != 0,
                 .writable = (header.p_flags & PF_W) != 0,
                 .executable = (header.p_flags & PF_X) != 0};
}

/// Appends the metadata of a PT_NOTE segment, if it is there.
Expected<std::string_view> find_metadata(Elf* elf, const GElf_Phdr& header, std::span<const std::byte> file) {
  if (!inside(header.p_offset, header.p_filesz, file.size()))
    return malformed("a note segment lies outside the file");
  Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(header.p_offset), header.p_filesz,
                                        header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
  if (data == nullptr) return malformed("a note segment cannot be read");

  std::string_view metadata;
  std::size_t offset = 0;
  while (offset < data->d_size) {
    GElf_Nhdr note;
    std::size_t name = 0;
    std::size_t description = 0;
    const std::size_t next = gelf_getnote(data, offset, &note, &name, &description);
    if (next <= offset) return malformed("a note is longer than its segment");
    if (!inside(name, note.n_namesz, data->d_size) || !inside(description, note.n_descsz, data->d_size)) {
      return malformed("a note is longer than its segment");
    }
    const auto text = [&](std::size_t at, std::size_t size) {
      return std::string_view(reinterpret_cast<const char*>(file.data()) + header.p_offset + at, size);
    };
    if (note.n_type == kNoteAmdgpuMetadata && text(name, note.n_namesz) == kNoteOwner) {
      if (!metadata.empty()) return malformed("more than one metadata note");
      metadata = text(description, note.n_descsz);
    }
    offset = next;
  }
  return metadata;
}

SymbolType symbol_type(unsigned char info) {
  switch (GELF_ST_TYPE(info)) {
    case STT_NOTYPE:
      return SymbolType::none;
    case STT_OBJECT:
      return SymbolType::object;
    case STT_FUNC:
      return SymbolType::function;
    default:
      return SymbolType::other;
  }
}

Expected<std::vector<Symbol>> read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header,
                                           std::uint64_t file_size) {
  if (header.sh_entsize != sizeof(Elf64_Sym))
    return malformed("the dynamic symbol table has entries of another size");
  Elf_Data* table = elf_getdata(section, nullptr);
  Elf_Scn* string_section = elf_getscn(elf, header.sh_link);
  Elf_Data* strings = string_section != nullptr ? elf_getdata(string_section, nullptr) : nullptr;
  if (table == nullptr || table->d_buf == nullptr || strings == nullptr || strings->d_buf == nullptr) {
    return malformed("the dynamic symbol table or its string table cannot be read");
  }

  std::vector<Symbol> symbols;
  std::uint64_t name_budget = kMaxNameBytesPerFileByte * file_size;
  const std::size_t count = table->d_size / sizeof(Elf64_Sym);
  symbols.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    GElf_Sym entry;
    if (gelf_getsym(table, static_cast<int>(index), &entry) == nullptr || entry.st_name >= strings->d_size) {
      return malformed("a dynamic symbol's name lies outside the string table");
    }
    const char* name = static_cast<const char*>(strings->d_buf) + entry.st_name;
    const std::size_t limit = strings->d_size - entry.st_name;
    const std::size_t length = strnlen(name, limit);
    if (length == limit) return malformed("a dynamic symbol's name has no end");
    if (length > name_budget)
      return malformed("the names of the dynamic symbols are longer than the file can hold");
    name_budget -= length;
    const bool defined = entry.st_shndx != SHN_UNDEF;
    symbols.push_back({.name = {name, length},
                       .address = defined ? entry.st_value : 0,
                       .size = entry.st_size,
                       .type = symbol_type(entry.st_info),
                       .defined = defined});
  }
  if (symbols.empty()) return malformed("the dynamic symbol table is empty");
  return symbols;
}

/// Bytes that a relocation of that ELF type writes; 0 for types that no loader applies.
std::uint64_t relocated_bytes(std::uint64_t type) {
  switch (type) {
    case std::uint64_t(RelocationType::abs32_low):
    case std::uint64_t(RelocationType::abs32_high):
    case std::uint64_t(RelocationType::abs32):
      return 4;
    case std::uint64_t(RelocationType::abs64):
    case std::uint64_t(RelocationType::relative64):
      return 8;
    default:
      return 0;
  }
}

Expected<void> read_relocations(Elf_Scn* section, const GElf_Shdr& header, ElfImage& image) {
  if (header.sh_entsize != sizeof(Elf64_Rela))
    return malformed("a relocation table has entries of another size");
  Elf_Data* table = elf_getdata(section, nullptr);
  if (table == nullptr || (table->d_buf == nullptr && table->d_size != 0)) {
    return malformed("a relocation table cannot be read");
  }
  const std::size_t count = table->d_size / sizeof(Elf64_Rela);
  for (std::size_t index = 0; index < count; ++index) {
    GElf_Rela entry;
    if (gelf_getrela(table, static_cast<int>(index), &entry) == nullptr) {
      return malformed("a relocation table cannot be read");
    }
    const std::uint64_t type = GELF_R_TYPE(entry.r_info);
    const std::uint64_t symbol = GELF_R_SYM(entry.r_info);
    const std::uint64_t bytes = relocated_bytes(type);
    if (bytes == 0)
      return malformed(fmt::format("relocation type {} is not one that a loader applies", type));
    if (symbol >= image.symbols.size()) return malformed("a relocation names a symbol that does not exist");
    const Segment* segment = segment_at(image.segments, entry.r_offset);
    if (segment == nullptr || !inside(entry.r_offset - segment->address, bytes, segment->memory_bytes)) {
      return malformed("a relocation writes outside the loaded segments");
    }
    image.relocations.push_back({.address = entry.r_offset,
                                 .type = RelocationType(type),
                                 .symbol = static_cast<std::uint32_t>(symbol),
                                 .addend = entry.r_addend});
  }
  return {};
}

Expected<void> read_program_headers(Elf* elf, std::size_t count, std::span<const std::byte> file,
                                    ElfImage& image) {
  std::uint64_t note_budget =
      file.size();  // segments may overlap in the file; the work must stay linear in its size
  for (std::size_t index = 0; index < count; ++index) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(index), &header) == nullptr)
      return malformed("a program header cannot be read");
    if (header.p_type == PT_LOAD) {
      auto segment = read_segment(header, file.size());
      if (!segment) return std::unexpected(std::move(segment).error());
      if (segment->memory_bytes == 0) continue;
      // The ELF specification orders loadable segments by address; a loader maps them one after the other.
      if (!image.segments.empty()) {
        const Segment& before = image.segments.back();
        if (segment->address < before.address || segment->address - before.address < before.memory_bytes) {
          return malformed("loadable segments overlap or are out of order");
        }
      }
      // Loaders reserve the whole range from the first to the last segment.
      image.segments.push_back(*segment);
      const std::uint64_t loaded_bytes =
          segment->address + segment->memory_bytes - image.segments.front().address;
      if (loaded_bytes > kMaxLoadedBytes) {
        return malformed(fmt::format("the segments span {} bytes of memory, at most {} are accepted",
                                     loaded_bytes, kMaxLoadedBytes));
      }
    } else if (header.p_type == PT_NOTE) {
      if (header.p_filesz > note_budget) return malformed("the note segments are larger than the file");
      note_budget -= header.p_filesz;
      auto metadata = find_metadata(elf, header, file);
      if (!metadata) return std::unexpected(std::move(metadata).error());
      if (!metadata->empty() && !image.metadata.empty()) return malformed("more than one metadata note");
      if (!metadata->empty()) image.metadata = *metadata;
    }
  }
  return {};
}

Expected<void> read_sections(Elf* elf, std::uint64_t file_size, ElfImage& image) {
  std::vector<Elf_Scn*> relocation_sections;  // after the symbols, which they refer to
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return malformed("a section header cannot be read");
    const bool loaded = (header.sh_flags & SHF_ALLOC) != 0;
    if (header.sh_type == SHT_DYNSYM) {
      if (!image.symbols.empty()) return malformed("more than one dynamic symbol table");
      auto symbols = read_symbols(elf, section, header, file_size);
      if (!symbols) return std::unexpected(std::move(symbols).error());
      image.symbols = std::move(*symbols);
    } else if (loaded && header.sh_type == SHT_RELA) {
      relocation_sections.push_back(section);
    } else if (loaded && (header.sh_type == SHT_REL || header.sh_type == kSectionRelr)) {
      return malformed("relocations without addends or in packed form are not supported");
    }
  }
  if (image.symbols.empty()) return malformed("no dynamic symbol table");
  std::uint64_t relocation_budget = file_size;  // as for the notes
  for (Elf_Scn* section : relocation_sections) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return malformed("a section header cannot be read");
    if (header.sh_size > relocation_budget)
      return malformed("the relocation tables are larger than the file");
    relocation_budget -= header.sh_size;
    if (auto read = read_relocations(section, header, image); !read) return read;
  }
  return {};
}

}  // namespace

const Segment* segment_at(std::span<const Segment> segments, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(segments, address, {}, &Segment::address);
  if (after == segments.begin()) return nullptr;
  const Segment& candidate = *(after - 1);
  return address - candidate.address < candidate.memory_bytes ? &candidate : nullptr;
}

std::unexpected<Error> malformed(std::string_view what) {
  return fail(ErrorKind::invalid_request, fmt::format("not a valid code object: {}", what));
}

Expected<ElfImage> read_elf_image(std::span<const std::byte> file) {
  auto header = check_header(file);
  if (!header) return std::unexpected(std::move(header).error());

  static const bool version_set = elf_version(EV_CURRENT) != EV_NONE;
  if (!version_set) return fail(ErrorKind::environment, "libelf does not know the current ELF version");
  // elf_memory takes a pointer to non-const because it also serves writers; reading leaves the bytes alone.
  auto* bytes = const_cast<char*>(reinterpret_cast<const char*>(file.data()));
  const ElfHandle elf(elf_memory(bytes, file.size()));
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) return malformed("libelf does not read it");

  ElfImage image;
  image.flags = header->e_flags;
  image.abi_version = header->e_ident[EI_ABIVERSION];
  if (auto read = read_program_headers(elf.get(), header->e_phnum, file, image); !read) {
    return std::unexpected(std::move(read).error());
  }
  if (auto read = read_sections(elf.get(), file.size(), image); !read)
    return std::unexpected(std::move(read).error());
  if (image.segments.empty()) return malformed("no loadable segment");
  if (image.metadata.empty()) return malformed("no metadata note");
  return image;
}

}  // namespace wavesmith::runtime
