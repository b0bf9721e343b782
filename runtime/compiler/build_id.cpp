// Walks the loaded objects (dl_iterate_phdr) to the one with the address, and its notes to NT_GNU_BUILD_ID.
#include "runtime/compiler/build_id.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <elf.h>
#include <link.h>

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SHA256.h>

namespace wavesmith::runtime {
namespace {

struct Search {
  std::uintptr_t address = 0;
  std::string build_id;
  std::string file;
  bool found = false;
};

/// The build id in a note segment; empty where it has none.
std::string build_id_in(std::span<const char> notes) {
  constexpr std::size_t kAlign = 4;
  const auto aligned = [](std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header{};
    std::memcpy(&header, notes.data(), sizeof header);
    notes = notes.subspan(sizeof header);
    const std::size_t name = aligned(header.n_namesz), size = name + aligned(header.n_descsz);
    if (size > notes.size()) return {};
    if (header.n_type == NT_GNU_BUILD_ID &&
        std::string_view(notes.data(), header.n_namesz) == std::string_view("GNU", sizeof "GNU")) {
      return llvm::toHex(llvm::StringRef(notes.data() + name, header.n_descsz), /*LowerCase=*/true);
    }
    notes = notes.subspan(size);
  }
  return {};
}

int visit(dl_phdr_info* object, std::size_t /*size*/, void* search_pointer) {
  auto& search = *static_cast<Search*>(search_pointer);
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  for (const ElfW(Phdr) & header : headers) {
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search.address >= begin && search.address < begin + header.p_memsz)
      search.found = true;
  }
  if (!search.found) return 0;
  search.file = object->dlpi_name[0] != '\0' ? object->dlpi_name : "/proc/self/exe";
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_NOTE || !search.build_id.empty()) continue;
    search.build_id =
        build_id_in({reinterpret_cast<const char*>(object->dlpi_addr + header.p_vaddr), header.p_memsz});
  }
  return 1;
}

}  // namespace

std::string build_id_of(const void* address) {
  Search search{.address = reinterpret_cast<std::uintptr_t>(address), .build_id = {}, .file = {}};
  dl_iterate_phdr(visit, &search);
  if (!search.found || !search.build_id.empty()) return search.build_id;
  const auto file = llvm::MemoryBuffer::getFile(search.file);
  if (!file) return {};
  const auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef((*file)->getBuffer()));
  return "sha256:" + llvm::toHex(hash, /*LowerCase=*/true);
}

}  // namespace wavesmith::runtime
