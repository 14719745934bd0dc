// See object_code.h. Formats and relocations: System V ABI, with its supplements for AMD64
// (section 4.4) and for the Arm 64-bit architecture (section 5.7).
#include "backends/cpu/object_code.h"

#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "support/check.h"

namespace tg::cpu {
namespace {

constexpr size_t kPage = 65536;  // the largest page that a Linux for these processors uses

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#else
constexpr int kMachine = EM_NONE;
#endif

[[noreturn]] void refuse(const std::string& what, const std::string& problem) {
  user_error<DeviceError>("load_object", fmt::format("{}: {}", what, problem),
                          "Hint: CLANG=1 compiles through C.");
}

// Anonymous memory, unmapped at the end.
class Mapping {
 public:
  explicit Mapping(size_t bytes) : bytes_(bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) data_ = static_cast<char*>(at);
  }
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  char* data() const { return data_; }
  bool protect(size_t from, size_t to, int access) const {
    return from == to || mprotect(data_ + from, to - from, access) == 0;
  }

 private:
  char* data_ = nullptr;
  size_t bytes_;
};

class ObjectCode final : public LoadedCode {
 public:
  void* symbol(const std::string& name) const override {
    const auto it = functions.find(name);
    if (it == functions.end())
      user_error<DeviceError>("load_object", fmt::format("there is no function \"{}\"", name));
    return it->second;
  }
  // Body and entry: everything executable.
  std::span<const std::byte> instructions(const std::string&) const override {
    return {reinterpret_cast<const std::byte*>(memory->data()), code_bytes};
  }

  std::optional<Mapping> memory;
  size_t code_bytes = 0;
  std::map<std::string, void*> functions;
};

// The file, with every read checked.
class Object {
 public:
  Object(std::string_view bytes, const std::string& what) : bytes_(bytes), what_(what) {
    const auto head = at<Elf64_Ehdr>(0);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_type != ET_REL || head.e_shentsize != sizeof(Elf64_Shdr))
      refuse(what_, "not a relocatable ELF file");
    if (head.e_machine != kMachine) refuse(what_, "an object for another processor");
    for (size_t i = 0; i < head.e_shnum; ++i)
      sections.push_back(at<Elf64_Shdr>(head.e_shoff + i * sizeof(Elf64_Shdr)));
  }

  template <typename T>
  T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, range(offset, sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view range(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      refuse(what_, "a truncated object");
    return bytes_.substr(offset, size);
  }
  // Entries of a section that is a table of T.
  template <typename T>
  std::vector<T> table(const Elf64_Shdr& s) const {
    std::vector<T> out(range(s.sh_offset, s.sh_size).size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + s.sh_offset, out.size() * sizeof(T));
    return out;
  }
  const Elf64_Shdr& section(size_t i) const {
    if (i >= sections.size()) refuse(what_, "a section that is not there");
    return sections[i];
  }
  std::string name(const Elf64_Shdr& strings, uint64_t offset) const {
    const std::string_view all = range(strings.sh_offset, strings.sh_size);
    if (offset >= all.size()) refuse(what_, "a name outside the string table");
    return std::string(all.substr(offset, all.find('\0', offset) - offset));
  }

  std::vector<Elf64_Shdr> sections;

 private:
  std::string_view bytes_;
  const std::string& what_;
};

class Loader {
 public:
  Loader(std::string_view bytes, const std::string& what)
      : object_(bytes, what), what_(what), code_(std::make_shared<ObjectCode>()) {}

  CodeRef load() {
    place_sections();
    read_symbols();
    for (const Elf64_Shdr& s : object_.sections) {
      if (s.sh_type == SHT_REL) refuse(what_, "relocations without addends");
      if (s.sh_type == SHT_RELA && addresses_.contains(s.sh_info)) relocate(s);
    }
    const Mapping& memory = *code_->memory;
    __builtin___clear_cache(memory.data(), memory.data() + code_->code_bytes);
    if (!memory.protect(0, constants_, PROT_READ | PROT_EXEC) ||
        !memory.protect(constants_, total_, PROT_READ))
      refuse(what_, "the system does not let code run from memory");
    return code_;
  }

 private:
  // Instructions first, then constants from a new page.
  void place_sections() {
    std::vector<std::pair<size_t, size_t>> places;  // section, offset
    auto place = [&](bool code) {
      for (size_t i = 0; i < object_.sections.size(); ++i) {
        const Elf64_Shdr& s = object_.sections[i];
        if ((s.sh_flags & SHF_ALLOC) == 0 || s.sh_size == 0) continue;
        if (((s.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
        if ((s.sh_flags & SHF_WRITE) != 0 || s.sh_type == SHT_NOBITS)
          refuse(what_, "variables, which kernels do not have");
        const uint64_t align = s.sh_addralign == 0 ? 1 : s.sh_addralign;
        if ((align & (align - 1)) != 0 || align > kPage || s.sh_size > (1u << 30))
          refuse(what_, "a section of impossible size");
        total_ = (total_ + align - 1) & ~(align - 1);
        places.emplace_back(i, total_);
        total_ += object_.range(s.sh_offset, s.sh_size).size();
      }
    };
    place(true);
    code_->code_bytes = total_;
    constants_ = total_ = (total_ + kPage - 1) / kPage * kPage;
    place(false);
    if (code_->code_bytes == 0) refuse(what_, "no instructions");
    code_->memory.emplace(total_);
    char* base = code_->memory->data();
    if (base == nullptr) refuse(what_, fmt::format("no memory for {} bytes of code", total_));
    for (const auto& [i, offset] : places) {
      const std::string_view from =
          object_.range(object_.sections[i].sh_offset, object_.sections[i].sh_size);
      std::memcpy(base + offset, from.data(), from.size());
      addresses_[i] = base + offset;
    }
  }

  void read_symbols() {
    for (const Elf64_Shdr& s : object_.sections) {
      if (s.sh_type != SHT_SYMTAB) continue;
      symbols_ = object_.table<Elf64_Sym>(s);
      names_ = object_.section(s.sh_link);
    }
    for (const Elf64_Sym& s : symbols_) {
      if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && ELF64_ST_BIND(s.st_info) == STB_GLOBAL)
        code_->functions[object_.name(names_, s.st_name)] = address_of(s);
    }
  }

  char* address_of(const Elf64_Sym& s) const {
    const auto it = addresses_.find(s.st_shndx);
    if (it == addresses_.end()) {
      refuse(what_, fmt::format("it needs \"{}\", which kernels do not have",
                                object_.name(names_, s.st_name)));
    }
    if (s.st_value > object_.section(s.st_shndx).sh_size)
      refuse(what_, "a symbol outside its section");
    return it->second + s.st_value;
  }

  void relocate(const Elf64_Shdr& list) {
    const uint64_t size = object_.section(list.sh_info).sh_size;
    char* base = addresses_.at(list.sh_info);
    for (const auto& r : object_.table<Elf64_Rela>(list)) {
      const uint64_t index = ELF64_R_SYM(r.r_info);
      if (index >= symbols_.size() || size < 8 || r.r_offset > size - 4)
        refuse(what_, "a relocation outside its section");
      const auto target =
          static_cast<int64_t>(reinterpret_cast<uintptr_t>(address_of(symbols_[index])) +
                               static_cast<uint64_t>(r.r_addend));
      apply(static_cast<int>(ELF64_R_TYPE(r.r_info)), base + r.r_offset, size - r.r_offset, target);
    }
  }

  template <typename T>
  static void put(char* at, T value) {
    std::memcpy(at, &value, sizeof(T));
  }
  void put_32(char* at, int64_t value) const {
    if (value != static_cast<int32_t>(value)) refuse(what_, "a distance beyond 2 GiB");
    put(at, static_cast<int32_t>(value));
  }
  void put_64(char* at, uint64_t room, int64_t value) const {
    if (room < 8) refuse(what_, "a relocation outside its section");
    put(at, value);
  }

#if defined(__aarch64__)
  // Bits `value` into an instruction, from bit `shift` on, under `mask`.
  static void put_bits(char* at, uint32_t mask, uint32_t value) {
    uint32_t word;
    std::memcpy(&word, at, 4);
    put(at, (word & ~mask) | (value & mask));
  }
  void apply(int type, char* at, uint64_t room, int64_t target) const {
    const auto here = static_cast<int64_t>(reinterpret_cast<uintptr_t>(at));
    const auto low = static_cast<uint32_t>(target & 0xfff);
    switch (type) {
      case R_AARCH64_ABS64:
        return put_64(at, room, target);
      case R_AARCH64_PREL32:
        return put_32(at, target - here);
      case R_AARCH64_ADR_PREL_PG_HI21: {
        const auto pages = static_cast<uint32_t>((target >> 12) - (here >> 12));
        return put_bits(at, 0x60ffffe0, (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
      }
      case R_AARCH64_ADD_ABS_LO12_NC:
      case R_AARCH64_LDST8_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low << 10);
      case R_AARCH64_LDST16_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 1 << 10);
      case R_AARCH64_LDST32_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 2 << 10);
      case R_AARCH64_LDST64_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 3 << 10);
      case R_AARCH64_LDST128_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 4 << 10);
      case R_AARCH64_CALL26:
      case R_AARCH64_JUMP26:
        return put_bits(at, 0x03ffffff, static_cast<uint32_t>((target - here) >> 2));
      default:
        refuse(what_, fmt::format("relocation {} is not known", type));
    }
  }
#else
  void apply(int type, char* at, uint64_t room, int64_t target) const {
    const auto here = static_cast<int64_t>(reinterpret_cast<uintptr_t>(at));
    switch (type) {
      case R_X86_64_64:
        return put_64(at, room, target);
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
        return put_32(at, target - here);
      default:
        refuse(what_, fmt::format("relocation {} is not known", type));
    }
  }
#endif

  const Object object_;
  const std::string& what_;
  const std::shared_ptr<ObjectCode> code_;
  std::map<size_t, char*> addresses_;  // by section
  std::vector<Elf64_Sym> symbols_;
  Elf64_Shdr names_{};
  size_t constants_ = 0, total_ = 0;
};

}  // namespace

CodeRef load_object(std::string_view bytes, const std::string& what) {
  return Loader(bytes, what).load();
}

}  // namespace tg::cpu
