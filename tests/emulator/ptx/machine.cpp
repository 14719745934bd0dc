// See machine.h.
#include "ptx/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "ptx/arithmetic.h"
#include "ptx/spaces.h"

namespace tg::emulator::ptx {
namespace {

constexpr size_t kWarp = 32;

enum class State : uint8_t { Runs, AtBarrier, AtMeeting, Done };

// Bytes that were copied to shared memory and have not arrived.
struct Copied {
  uint64_t to;
  std::vector<char> data;
};

struct Item {
  int number = 0;
  std::vector<uint64_t> registers;
  std::vector<bool> written;
  OwnMemory local;
  size_t at = 0;
  State state = State::Runs;
  std::vector<Copied> batch = {};                 // since the last commit_group
  std::vector<std::vector<Copied>> batches = {};  // that are on their way, oldest first
};

int64_t bytes_of(Type t) { return std::max(t.bits / 8, 1); }

class Group {
 public:
  Group(const Kernel& kernel, std::span<const Argument> arguments, const Shape& shape,
        int64_t number, int64_t shared_bytes, const GlobalMemory& global)
      : kernel_(kernel),
        arguments_(arguments),
        shape_(shape),
        number_(number),
        global_(global),
        shared_(kernel, Space::Shared, shared_bytes) {
    for (int64_t i = 0; i < shape.items; ++i) {
      items_.push_back({static_cast<int>(i), std::vector<uint64_t>(kernel.registers.size()),
                        std::vector<bool>(kernel.registers.size()),
                        OwnMemory(kernel, Space::Local, 0)});
    }
  }

  void run(std::chrono::steady_clock::time_point until) {
    until_ = until;
    while (true) {
      for (Item& i : items_) proceed(i);
      if (meet_in_warps()) continue;
      if (std::ranges::all_of(items_, [](const Item& i) { return i.state == State::Done; })) return;
      pass_barrier();
    }
  }

 private:
  void proceed(Item& item) {
    int64_t steps = 0;
    while (item.state == State::Runs) {
      const Instruction& i = kernel_.code.at(item.at);
      if (++steps % 65536 == 0 && std::chrono::steady_clock::now() > until_)
        throw Wrong("does not end in time");
      try {
        step(item, i);
      } catch (const Wrong& w) {
        throw Wrong(fmt::format("line {}, item {} of group {}: {} ({})", i.line, item.number,
                                number_, w.what(), i.text));
      }
    }
  }

  void step(Item& item, const Instruction& i) {
    ++item.at;
    if (i.guard >= 0 && ((reg(item, i.guard) & 1) != 0) == i.negated) return;
    switch (i.name) {
      case Name::Bra:
        item.at = i.target;
        return;
      case Name::Ret:
        if (!item.batch.empty() || !item.batches.empty())
          throw Wrong("ends before all that it copies has arrived");
        item.state = State::Done;
        return;
      case Name::Bar:
        item.state = State::AtBarrier;
        return;
      case Name::Mma:
      case Name::Shfl:
        item.state = State::AtMeeting;
        return;
      case Name::Cp:
        return copy(item, i);
      case Name::Ld:
        return load(item, i);
      case Name::St:
        return store(item, i);
      default:
        return compute(item, i);
    }
  }

  void compute(Item& item, const Instruction& i) {
    const Operand& to = i.operands.at(0);
    std::array<uint64_t, 4> x = {};
    if (i.operands.size() > x.size() + 1) throw Wrong("too many operands");
    for (size_t k = 1; k < i.operands.size(); ++k) x[k - 1] = value(item, i.operands[k]);
    set(item, to, evaluate(i, std::span(x).first(i.operands.size() - 1)));
  }

  // ---- operands
  static uint64_t reg(const Item& item, int r) {
    const auto at = static_cast<size_t>(r);
    if (!item.written[at]) throw Wrong("reads a register that nobody wrote");
    return item.registers[at];
  }
  void set(Item& item, const Operand& to, uint64_t v) const {
    if (to.kind != Operand::Kind::Register) throw Wrong("the result is no register");
    const auto at = static_cast<size_t>(to.reg);
    const int bits = kernel_.registers[at].type.bits;
    item.registers[at] = bits == 64 ? v : v & ((uint64_t{1} << bits) - 1);
    item.written[at] = true;
  }
  uint64_t value(const Item& item, const Operand& o) const {
    switch (o.kind) {
      case Operand::Kind::Register:
        return reg(item, o.reg);
      case Operand::Kind::Literal:
        return o.bits;
      case Operand::Kind::Symbol:
        return symbol(item, o.name) + static_cast<uint64_t>(o.offset);
      case Operand::Kind::Special:
        return special(item, o.name);
      case Operand::Kind::List:  // two registers of 16 bits
        return reg(item, o.list.at(0).reg) | reg(item, o.list.at(1).reg) << 16;
      default:
        throw Wrong("an address is no value");
    }
  }
  uint64_t symbol(const Item& item, const std::string& name) const {
    const auto found = std::ranges::find(kernel_.arrays, name, &Array::name);
    if (found == kernel_.arrays.end()) throw Wrong("no array " + name);
    return found->space == Space::Local ? item.local.address_of(name) : shared_.address_of(name);
  }
  uint64_t special(const Item& item, const std::string& name) const {
    if (name == "%tid.x") return static_cast<uint64_t>(item.number);
    if (name == "%ctaid.x") return static_cast<uint64_t>(number_);
    if (name == "%nctaid.x") return static_cast<uint64_t>(shape_.groups);
    throw Wrong("no register " + name);
  }

  // ---- memory
  // Addresses of shared memory have 32 bits, and wrap there.
  uint64_t address_of(const Item& item, const Operand& at, Space space) const {
    const uint64_t base = at.reg >= 0 ? reg(item, at.reg) : symbol(item, at.name);
    const uint64_t address = base + static_cast<uint64_t>(at.offset);
    return space == Space::Shared ? address & 0xffffffff : address;
  }
  char* place(Item& item, const Instruction& i, const Operand& at, int64_t bytes, bool writes) {
    const uint64_t address = address_of(item, at, i.space);
    if (i.space == Space::Global) return global_.place(address, bytes, writes, i.has("nc"));
    OwnMemory& own = i.space == Space::Shared ? shared_ : item.local;
    return own.place(address, bytes, writes, item.number);
  }
  // Where it goes counts as written now and when it arrives; in between it holds nothing.
  void copy(Item& item, const Instruction& i) {
    if (i.has("commit_group")) {
      item.batches.push_back(std::move(item.batch));
      item.batch.clear();
      return;
    }
    if (i.has("wait_group")) return arrive(item, i.operands.at(0).bits);
    const int64_t bytes = static_cast<int64_t>(i.operands.at(2).bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) throw Wrong("copies 4, 8 or 16 bytes");
    if (i.has("cg") && bytes != 16) throw Wrong("copies 16 bytes past the first cache");
    const uint64_t all = static_cast<uint64_t>(bytes);
    const uint64_t size = i.operands.size() > 3 ? value(item, i.operands[3]) : all;
    Copied copied{address_of(item, i.operands[0], Space::Shared), std::vector<char>(all)};
    if (size > 0) {
      const char* from =
          global_.place(address_of(item, i.operands[1], Space::Global), bytes, false, false);
      std::copy_n(from, std::min(size, all), copied.data.begin());
    }
    shared_.place(copied.to, bytes, true, item.number);
    shared_.forget(copied.to, bytes);
    item.batch.push_back(std::move(copied));
  }
  void arrive(Item& item, uint64_t on_their_way) {
    while (item.batches.size() > on_their_way) {
      for (const Copied& c : item.batches.front())
        std::ranges::copy(c.data, shared_.place(c.to, std::ssize(c.data), true, item.number));
      item.batches.erase(item.batches.begin());
    }
  }
  static std::span<const Operand> lanes(const Operand& o) {
    return o.kind == Operand::Kind::List ? std::span<const Operand>(o.list)
                                         : std::span<const Operand>(&o, 1);
  }
  void load(Item& item, const Instruction& i) {
    const Operand& from = i.operands.at(1);
    if (i.is_param) return set(item, i.operands[0], parameter(from.name));
    const std::span<const Operand> to = lanes(i.operands[0]);
    const int64_t each = bytes_of(i.type);
    const char* p = place(item, i, from, each * std::ssize(to), false);
    for (const Operand& r : to) {
      uint64_t bits = 0;
      std::memcpy(&bits, p, static_cast<size_t>(each));
      if (i.type.kind == 's' && i.type.bits == 8)
        bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(bits)));
      set(item, r, bits);
      p += each;
    }
  }
  void store(Item& item, const Instruction& i) {
    const std::span<const Operand> from = lanes(i.operands.at(1));
    const int64_t each = bytes_of(i.type);
    char* p = place(item, i, i.operands[0], each * std::ssize(from), true);
    for (const Operand& r : from) {
      const uint64_t bits = value(item, r);
      std::memcpy(p, &bits, static_cast<size_t>(each));
      p += each;
    }
  }
  uint64_t parameter(const std::string& name) const {
    const auto found = std::ranges::find(kernel_.parameters, name);
    if (found == kernel_.parameters.end()) throw Wrong("no parameter " + name);
    return arguments_[static_cast<size_t>(found - kernel_.parameters.begin())].word;
  }

  // ---- meeting
  void pass_barrier() {
    const size_t at = items_[0].at;
    for (const Item& i : items_) {
      if (i.state != State::AtBarrier || i.at != at) {
        throw Wrong(fmt::format("group {}: items part ways before line {}: not all arrive", number_,
                                kernel_.code.at(at - 1).line));
      }
    }
    shared_.next_round();
    for (Item& i : items_) i.state = State::Runs;
  }

  // Whether some warp went on.
  bool meet_in_warps() {
    bool any = false;
    for (size_t first = 0; first < items_.size(); first += kWarp) {
      const auto warp = std::span(items_).subspan(first, std::min(kWarp, items_.size() - first));
      const auto waits = [](const Item& i) { return i.state == State::AtMeeting; };
      if (!std::ranges::any_of(warp, waits)) continue;
      for (const Item& i : warp) {
        if (!waits(i) || i.at != warp[0].at || warp.size() != kWarp)
          throw Wrong(fmt::format("group {}: lanes part ways before line {}, where they meet",
                                  number_, kernel_.code.at(warp[0].at - 1).line));
      }
      if (kernel_.code.at(warp[0].at - 1).name == Name::Shfl) {
        exchange_in_warp(warp);
      } else {
        multiply_warp(warp);
      }
      any = true;
    }
    return any;
  }
  void exchange_in_warp(std::span<Item> warp) const {
    const Instruction& i = kernel_.code.at(warp[0].at - 1);
    if (!i.has("bfly") || i.operands.at(3).bits != kWarp - 1 || i.operands.at(4).bits != 0xffffffff)
      throw Wrong("an exchange that is not of all lanes by xor");
    std::vector<uint64_t> brought;
    for (const Item& lane : warp) brought.push_back(value(lane, i.operands.at(1)));
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      const uint64_t other = lane ^ value(warp[lane], i.operands.at(2));
      set(warp[lane], i.operands[0], brought.at(other));
      warp[lane].state = State::Runs;
    }
  }
  void multiply_warp(std::span<Item> warp) const {
    const Instruction& i = kernel_.code.at(warp[0].at - 1);
    std::vector<std::vector<uint64_t>> words(3 * warp.size());
    std::vector<Fragments> all;
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      for (size_t k = 0; k < 3; ++k) {
        for (const Operand& o : i.operands.at(k + 1).list)
          words[3 * lane + k].push_back(value(warp[lane], o));
      }
      all.push_back({words[3 * lane], words[3 * lane + 1], words[3 * lane + 2]});
    }
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      const std::vector<uint64_t> sum = multiply(i, all, lane);
      for (size_t r = 0; r < sum.size(); ++r) set(warp[lane], i.operands[0].list.at(r), sum[r]);
      warp[lane].state = State::Runs;
    }
  }

  const Kernel& kernel_;
  const std::span<const Argument> arguments_;
  const Shape& shape_;
  const int64_t number_;
  const GlobalMemory& global_;
  OwnMemory shared_;
  std::vector<Item> items_;
  std::chrono::steady_clock::time_point until_;
};

}  // namespace

std::string run(const Kernel& kernel, std::span<const Argument> arguments, const Shape& shape,
                int64_t shared_bytes) {
  if (arguments.size() != kernel.parameters.size()) {
    return fmt::format("{} takes {} arguments, got {}", kernel.name, kernel.parameters.size(),
                       arguments.size());
  }
  if (shape.items > kernel.most_items)
    return fmt::format("{} has at most {} items in a group", kernel.name, kernel.most_items);
  const GlobalMemory global(arguments);
  const auto until = std::chrono::steady_clock::now() + shape.limit;
  try {
    for (int64_t g = 0; g < shape.groups; ++g)
      Group(kernel, arguments, shape, g, shared_bytes, global).run(until);
  } catch (const Wrong& w) {
    return w.what();
  }
  return {};
}

}  // namespace tg::emulator::ptx
