// The memory that one launch may touch, and who touched each byte last: finds accesses outside all
// arrays, writes to arrays that may only be read, reads of local memory that nobody has written,
// and two work-items that touch a byte without a barrier in between (but for two groups that write
// the same value). Exact for the observed run: it depends on no timing. When work-items wait at a
// barrier is said by launch.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tg::emulator {

enum class MemoryKind : uint8_t { Global, Local };

/// Who touches memory. Stamps count the barriers of a launch; what was done under a stamp before
/// `since_group` was done before a barrier of the group (or by another group), before
/// `since_subgroup` before a barrier of the lanes of the subgroup: for each kind of memory that the
/// barrier orders.
struct Agent {
  using Stamps = std::array<uint32_t, 2>;  // by MemoryKind
  uint32_t work_item = 0, lanes = 1;       ///< of a subgroup
  uint32_t now = 1;
  Stamps since_group = {1, 1}, since_subgroup = {1, 1};
};

class Memory {
 public:
  using Kind = MemoryKind;

  /// An array of the launch. Arrays that overlap are one place.
  void add(std::string name, void* data, int64_t bytes, bool written, Kind kind);
  /// After the last add().
  void ready();
  /// A group begins: local memory holds nothing, and what other groups did has no order.
  void begin_group(uint32_t stamp);
  /// What is wrong with an access, without a subject: "reads 4 bytes …"; empty if nothing is.
  /// `known` becomes false, and nothing is checked, for an address far from all arrays.
  std::string touch(const Agent& by, const void* address, int64_t bytes, bool writes, bool& known);
  /// Bytes of an array that hold nothing until they are written.
  void forget(const void* address, int64_t bytes);
  /// To be called when the access of the last touch() is done, before anybody else's: what is wrong
  /// with what it wrote.
  std::string settle();
  bool is_settled() const { return written_again_.empty(); }
  /// "byte 4 of argument 1", or that it is in none.
  std::string place(const char* address) const;
  /// "reads 4 bytes at an address far from all arrays", with the nearest array if one is near.
  std::string outside(const void* address, int64_t bytes, bool writes) const;

 private:
  // Stamps are 0 for never.
  struct Byte {
    uint32_t write_stamp = 0, read_stamp = 0;
    uint16_t writer : 15 = 0;
    uint16_t read_by_others : 1 = 0;  // by a group before the one that read last
    uint16_t reader = 0;
  };
  struct Array {
    std::string name;
    const char* begin;
    const char* end;
    bool written;
    Kind kind;
  };
  // A byte that a group wrote and another one writes now.
  struct Again {
    const char* at;
    char before;
  };
  // Arrays that overlap, together.
  struct Region {
    const char* begin;
    const char* end;
    Kind kind;
    std::unique_ptr<Byte[], void (*)(void*)> bytes;
  };

  const Region* find(const char* address) const;
  const Array* array_at(const char* begin, const char* end, bool writes) const;
  std::string check_read(const Agent& by, Kind kind, Byte& b, const char* at) const;
  std::string check_write(const Agent& by, Kind kind, Byte& b, const char* at);
  std::string clash(const Agent& by, Kind kind, const char* at, uint32_t stamp, uint16_t other,
                    const char* mine, const char* theirs) const;

  std::vector<Array> arrays_;
  std::vector<Region> regions_;
  mutable const Region* last_ = nullptr;
  std::vector<Again> written_again_;
  uint32_t group_begin_ = 1;
};

}  // namespace tg::emulator
