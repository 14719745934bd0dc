// See object_file.h.
#include "runner/object_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "support/check.h"

namespace tg::emulator {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  T at(uint64_t offset) const {
    T out;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
      user_error<DeviceError>("emulator", "the compiler's shared object ends too early");
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return out;
  }
  std::string text(uint64_t offset) const {
    const size_t end = bytes_.find('\0', std::min<uint64_t>(offset, bytes_.size()));
    if (end == std::string::npos)
      user_error<DeviceError>("emulator", "the compiler's shared object ends in a name");
    return bytes_.substr(offset, end - offset);
  }

 private:
  const std::string& bytes_;
};

void add_variables(const Reader& file, const Elf64_Ehdr& head, const Elf64_Shdr& table,
                   std::vector<Variable>& out) {
  const auto names = file.at<Elf64_Shdr>(head.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
  for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto s = file.at<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_shndx != SHN_UNDEF)
      out.push_back({file.text(names.sh_offset + s.st_name), s.st_value, s.st_size});
  }
}

}  // namespace

ObjectFile read_object(const std::string& bytes) {
  const Reader file(bytes);
  const auto head = file.at<Elf64_Ehdr>(0);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
    user_error<DeviceError>("emulator", "the compiler's output is no ELF file of 64 bits");
  ObjectFile out;
  for (int i = 0; i < head.e_phnum; ++i) {
    const auto p =
        file.at<Elf64_Phdr>(head.e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr));
    if (p.p_type == PT_LOAD) out.bytes = std::max(out.bytes, p.p_vaddr + p.p_memsz);
  }
  for (int i = 0; i < head.e_shnum; ++i) {
    const auto s =
        file.at<Elf64_Shdr>(head.e_shoff + static_cast<uint64_t>(i) * sizeof(Elf64_Shdr));
    if (s.sh_type == SHT_SYMTAB) add_variables(file, head, s, out.variables);
  }
  return out;
}

}  // namespace tg::emulator
