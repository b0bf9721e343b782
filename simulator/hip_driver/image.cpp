// Sizes from ELF headers, entries of bundles.
#include "simulator/hip_driver/image.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <elf.h>

namespace wavesmith::simulator::hip_driver {
namespace {

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Up to where the file's headers say that something is.
std::size_t elf_bytes(const std::byte* file) {
  const auto header = read<Elf64_Ehdr>(file);
  std::uint64_t end = sizeof header;
  const std::uint64_t programs = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  const std::uint64_t sections = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_phnum != 0) end = std::max(end, header.e_phoff + programs);
  if (header.e_shnum != 0) end = std::max(end, header.e_shoff + sections);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto one = read<Elf64_Phdr>(file + header.e_phoff + i * sizeof(Elf64_Phdr));
    end = std::max(end, one.p_offset + one.p_filesz);
  }
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto one = read<Elf64_Shdr>(file + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (one.sh_type != SHT_NOBITS) end = std::max(end, one.sh_offset + one.sh_size);
  }
  return end;
}

bool begins_with(const std::byte* bytes, std::string_view text) {
  // Stops at the first difference, so that nothing behind a shorter file is read.
  return std::equal(text.begin(), text.end(), bytes,
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

}  // namespace

std::span<const std::byte> code_object_at(const std::byte* image, std::string_view processor) {
  constexpr std::string_view elf_magic =
      "\x7f"
      "ELF";
  constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
  if (begins_with(image, elf_magic)) return {image, elf_bytes(image)};
  if (!begins_with(image, bundle_magic)) return {};

  // Number of entries, then for each: offset, size, length of its name, name
  // ("hipv4-amdgcn-amd-amdhsa--gfx950").
  const std::byte* at = image + bundle_magic.size();
  const auto entries = read<std::uint64_t>(at);
  at += sizeof entries;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const auto offset = read<std::uint64_t>(at), bytes = read<std::uint64_t>(at + 8),
               length = read<std::uint64_t>(at + 16);
    const std::string_view name(reinterpret_cast<const char*>(at + 24), length);
    at += 24 + length;
    const std::size_t dashes = name.rfind("--");
    if (dashes == std::string_view::npos) continue;
    const std::string_view target = name.substr(dashes + 2);
    if (target.substr(0, target.find(':')) == processor) return {image + offset, bytes};
  }
  return {};
}

}  // namespace wavesmith::simulator::hip_driver
