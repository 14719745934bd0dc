// See object_code.h. Formats and relocations: System V ABI, with its supplements for AMD64
// (section 4.4) and for the Arm 64-bit architecture (section 5.7).
#include "backends/cpu/object_code.h"

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "backends/cpu/elf_format.h"
#include "support/check.h"
#include "support/os/os.h"

namespace tg::cpu {
namespace {

constexpr size_t kLargestPage = 65536;  // the largest page that a Linux for these processors uses

#if defined(__x86_64__)
constexpr int kMachine = elf::kX86_64;
#elif defined(__aarch64__)
constexpr int kMachine = elf::kAArch64;
#else
constexpr int kMachine = 0;
#endif

[[noreturn]] void refuse(const std::string& what, const std::string& problem) {
  user_error<DeviceError>("load_object", fmt::format("{}: {}", what, problem),
                          "Hint: CLANG=1 compiles through C.");
}

// Anonymous memory, unmapped at the end.
class Mapping {
 public:
  explicit Mapping(size_t bytes)
      : data_(static_cast<char*>(os::map_pages(bytes, os::Access::ReadWrite))), bytes_(bytes) {}
  ~Mapping() {
    if (data_ != nullptr) os::unmap_pages(data_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  char* data() const { return data_; }
  bool protect(size_t from, size_t to, os::Access access) const {
    return from == to || os::protect_pages(data_ + from, to - from, access);
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
    const auto head = at<elf::Header>(0);
    if (!elf::is_64_bit_file(head) || head.e_type != elf::kRelocatable ||
        head.e_shentsize != sizeof(elf::Section))
      refuse(what_, "not a relocatable ELF file");
    if (head.e_machine != kMachine) refuse(what_, "an object for another processor");
    for (size_t i = 0; i < head.e_shnum; ++i)
      sections.push_back(at<elf::Section>(head.e_shoff + i * sizeof(elf::Section)));
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
  std::vector<T> table(const elf::Section& s) const {
    std::vector<T> out(range(s.sh_offset, s.sh_size).size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + s.sh_offset, out.size() * sizeof(T));
    return out;
  }
  const elf::Section& section(size_t i) const {
    if (i >= sections.size()) refuse(what_, "a section that is not there");
    return sections[i];
  }
  std::string name(const elf::Section& strings, uint64_t offset) const {
    const std::string_view all = range(strings.sh_offset, strings.sh_size);
    if (offset >= all.size()) refuse(what_, "a name outside the string table");
    return std::string(all.substr(offset, all.find('\0', offset) - offset));
  }

  std::vector<elf::Section> sections;

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
    for (const elf::Section& s : object_.sections) {
      if (s.sh_type == elf::kRel) refuse(what_, "relocations without addends");
      if (s.sh_type == elf::kRela && addresses_.contains(s.sh_info)) relocate(s);
    }
    const Mapping& memory = *code_->memory;
    if (!memory.protect(0, constants_, os::Access::Execute) ||
        !memory.protect(constants_, total_, os::Access::Read))
      refuse(what_, "the system does not let code run from memory");
    return code_;
  }

 private:
  // Instructions first, then constants from a new page.
  void place_sections() {
    std::vector<std::pair<size_t, size_t>> places;  // section, offset
    auto place = [&](bool code) {
      for (size_t i = 0; i < object_.sections.size(); ++i) {
        const elf::Section& s = object_.sections[i];
        if ((s.sh_flags & elf::kAlloc) == 0 || s.sh_size == 0) continue;
        if (((s.sh_flags & elf::kCode) != 0) != code) continue;
        if ((s.sh_flags & elf::kWritten) != 0 || s.sh_type == elf::kNoBits)
          refuse(what_, "variables, which kernels do not have");
        const uint64_t align = s.sh_addralign == 0 ? 1 : s.sh_addralign;
        if ((align & (align - 1)) != 0 || align > kLargestPage || s.sh_size > (1u << 30))
          refuse(what_, "a section of impossible size");
        total_ = (total_ + align - 1) & ~(align - 1);
        places.emplace_back(i, total_);
        total_ += object_.range(s.sh_offset, s.sh_size).size();
      }
    };
    place(true);
    code_->code_bytes = total_;
    constants_ = total_ = (total_ + kLargestPage - 1) / kLargestPage * kLargestPage;
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
    for (const elf::Section& s : object_.sections) {
      if (s.sh_type != elf::kSymbols) continue;
      symbols_ = object_.table<elf::Symbol>(s);
      names_ = object_.section(s.sh_link);
    }
    for (const elf::Symbol& s : symbols_) {
      if (elf::is_global_function(s))
        code_->functions[object_.name(names_, s.st_name)] = address_of(s);
    }
  }

  char* address_of(const elf::Symbol& s) const {
    const auto it = addresses_.find(s.st_shndx);
    if (it == addresses_.end()) {
      refuse(what_, fmt::format("it needs \"{}\", which kernels do not have",
                                object_.name(names_, s.st_name)));
    }
    if (s.st_value > object_.section(s.st_shndx).sh_size)
      refuse(what_, "a symbol outside its section");
    return it->second + s.st_value;
  }

  void relocate(const elf::Section& list) {
    const uint64_t size = object_.section(list.sh_info).sh_size;
    char* base = addresses_.at(list.sh_info);
    for (const auto& r : object_.table<elf::Relocation>(list)) {
      const uint64_t index = elf::symbol_of(r);
      if (index >= symbols_.size() || size < 8 || r.r_offset > size - 4)
        refuse(what_, "a relocation outside its section");
      const auto target =
          static_cast<int64_t>(reinterpret_cast<uintptr_t>(address_of(symbols_[index])) +
                               static_cast<uint64_t>(r.r_addend));
      apply(static_cast<int>(elf::type_of(r)), base + r.r_offset, size - r.r_offset, target);
    }
  }

  template <typename T>
  static void put(char* at, T value) {
    std::memcpy(at, &value, sizeof(T));
  }
  // As addresses are: what an object asks for may lie anywhere.
  static int64_t distance(int64_t target, int64_t here) {
    return static_cast<int64_t>(static_cast<uint64_t>(target) - static_cast<uint64_t>(here));
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
      case elf::aarch64::kABS64:
        return put_64(at, room, target);
      case elf::aarch64::kPREL32:
        return put_32(at, distance(target, here));
      case elf::aarch64::kADR_PREL_PG_HI21: {
        const auto pages = static_cast<uint32_t>((target >> 12) - (here >> 12));
        return put_bits(at, 0x60ffffe0, (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
      }
      case elf::aarch64::kADD_ABS_LO12_NC:
      case elf::aarch64::kLDST8_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low << 10);
      case elf::aarch64::kLDST16_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 1 << 10);
      case elf::aarch64::kLDST32_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 2 << 10);
      case elf::aarch64::kLDST64_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 3 << 10);
      case elf::aarch64::kLDST128_ABS_LO12_NC:
        return put_bits(at, 0x003ffc00, low >> 4 << 10);
      case elf::aarch64::kCALL26:
      case elf::aarch64::kJUMP26:
        return put_bits(at, 0x03ffffff, static_cast<uint32_t>(distance(target, here) >> 2));
      default:
        refuse(what_, fmt::format("relocation {} is not known", type));
    }
  }
#else
  void apply(int type, char* at, uint64_t room, int64_t target) const {
    const auto here = static_cast<int64_t>(reinterpret_cast<uintptr_t>(at));
    switch (type) {
      case elf::x86_64::k64:
        return put_64(at, room, target);
      case elf::x86_64::kPC32:
      case elf::x86_64::kPLT32:
        return put_32(at, distance(target, here));
      default:
        refuse(what_, fmt::format("relocation {} is not known", type));
    }
  }
#endif

  const Object object_;
  const std::string& what_;
  const std::shared_ptr<ObjectCode> code_;
  std::map<size_t, char*> addresses_;  // by section
  std::vector<elf::Symbol> symbols_;
  elf::Section names_{};
  size_t constants_ = 0, total_ = 0;
};

}  // namespace

CodeRef load_object(std::string_view bytes, const std::string& what) {
  return Loader(bytes, what).load();
}

}  // namespace tg::cpu
