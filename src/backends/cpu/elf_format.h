// The parts of the ELF format that object_code.cpp reads, as the System V ABI writes them down
// (gABI, chapters 4 and 5), with the relocations of its supplements for AMD64 (table 4.9) and
// AArch64 (section 5.7). Systems without <elf.h> run kernels from such objects too. Fields have
// their names from there.
#pragma once

#include <cstdint>
#include <cstring>

namespace tg::cpu::elf {

struct Header {
  unsigned char e_ident[16];
  uint16_t e_type, e_machine;
  uint32_t e_version;
  uint64_t e_entry, e_phoff, e_shoff;
  uint32_t e_flags;
  uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
};
struct Section {
  uint32_t sh_name, sh_type;
  uint64_t sh_flags, sh_addr, sh_offset, sh_size;
  uint32_t sh_link, sh_info;
  uint64_t sh_addralign, sh_entsize;
};
struct Symbol {
  uint32_t st_name;
  unsigned char st_info, st_other;
  uint16_t st_shndx;
  uint64_t st_value, st_size;
};
struct Relocation {
  uint64_t r_offset, r_info;
  int64_t r_addend;
};
static_assert(sizeof(Header) == 64 && sizeof(Section) == 64 && sizeof(Symbol) == 24 &&
              sizeof(Relocation) == 24);

/// e_type, e_machine.
inline constexpr int kRelocatable = 1, kX86_64 = 62, kAArch64 = 183;
/// sh_type.
inline constexpr uint32_t kSymbols = 2, kRela = 4, kNoBits = 8, kRel = 9;
/// sh_flags.
inline constexpr uint64_t kWritten = 1, kAlloc = 2, kCode = 4;

inline bool is_64_bit_file(const Header& h) { return std::memcmp(h.e_ident, "\177ELF\2", 5) == 0; }
/// STT_FUNC with STB_GLOBAL.
inline bool is_global_function(const Symbol& s) { return s.st_info == ((1 << 4) | 2); }
inline uint64_t symbol_of(const Relocation& r) { return r.r_info >> 32; }
inline uint32_t type_of(const Relocation& r) { return static_cast<uint32_t>(r.r_info); }

namespace x86_64 {
inline constexpr int k64 = 1, kPC32 = 2, kPLT32 = 4;
}  // namespace x86_64
namespace aarch64 {
inline constexpr int kABS64 = 257, kPREL32 = 261, kADR_PREL_PG_HI21 = 275, kADD_ABS_LO12_NC = 277,
                     kLDST8_ABS_LO12_NC = 278, kJUMP26 = 282, kCALL26 = 283,
                     kLDST16_ABS_LO12_NC = 284, kLDST32_ABS_LO12_NC = 285,
                     kLDST64_ABS_LO12_NC = 286, kLDST128_ABS_LO12_NC = 299;
}  // namespace aarch64

}  // namespace tg::cpu::elf
