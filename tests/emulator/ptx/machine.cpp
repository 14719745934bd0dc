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

enum class State : uint8_t { Runs, AtBarrier, AtWarpBarrier, Done };

// Bytes that were copied to shared memory and have not arrived.
struct Copied {
  uint64_t to;
  std::vector<char> data;
};

struct WorkItem {
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
    for (int64_t i = 0; i < shape.group_size; ++i) {
      work_items_.push_back({static_cast<int>(i), std::vector<uint64_t>(kernel.registers.size()),
                             std::vector<bool>(kernel.registers.size()),
                             OwnMemory(kernel, Space::Local, 0)});
    }
  }

  void run(std::chrono::steady_clock::time_point until) {
    until_ = until;
    while (true) {
      for (WorkItem& i : work_items_) proceed(i);
      if (release_warps()) continue;
      if (std::ranges::all_of(work_items_,
                              [](const WorkItem& i) { return i.state == State::Done; }))
        return;
      pass_barrier();
    }
  }

 private:
  void proceed(WorkItem& work_item) {
    int64_t steps = 0;
    while (work_item.state == State::Runs) {
      const Instruction& i = kernel_.code.at(work_item.at);
      if (++steps % 65536 == 0 && std::chrono::steady_clock::now() > until_)
        throw Wrong("does not end in time");
      try {
        step(work_item, i);
      } catch (const Wrong& w) {
        throw Wrong(fmt::format("line {}, work-item {} of group {}: {} ({})", i.line,
                                work_item.number, number_, w.what(), i.text));
      }
    }
  }

  void step(WorkItem& work_item, const Instruction& i) {
    ++work_item.at;
    if (i.guard >= 0 && ((reg(work_item, i.guard) & 1) != 0) == i.negated) return;
    switch (i.name) {
      case Name::Bra:
        work_item.at = i.target;
        return;
      case Name::Ret:
        if (!work_item.batch.empty() || !work_item.batches.empty())
          throw Wrong("ends before all that it copies has arrived");
        work_item.state = State::Done;
        return;
      case Name::Bar:
        work_item.state = State::AtBarrier;
        return;
      case Name::Mma:
      case Name::Shfl:
        work_item.state = State::AtWarpBarrier;
        return;
      case Name::Cp:
        return copy(work_item, i);
      case Name::Ld:
        return load(work_item, i);
      case Name::St:
        return store(work_item, i);
      default:
        return compute(work_item, i);
    }
  }

  void compute(WorkItem& work_item, const Instruction& i) {
    const Operand& to = i.operands.at(0);
    std::array<uint64_t, 4> x = {};
    if (i.operands.size() > x.size() + 1) throw Wrong("too many operands");
    for (size_t k = 1; k < i.operands.size(); ++k) x[k - 1] = value(work_item, i.operands[k]);
    set(work_item, to, evaluate(i, std::span(x).first(i.operands.size() - 1)));
  }

  // ---- operands
  static uint64_t reg(const WorkItem& work_item, int r) {
    const auto at = static_cast<size_t>(r);
    if (!work_item.written[at]) throw Wrong("reads a register that nobody wrote");
    return work_item.registers[at];
  }
  void set(WorkItem& work_item, const Operand& to, uint64_t v) const {
    if (to.kind != Operand::Kind::Register) throw Wrong("the result is no register");
    const auto at = static_cast<size_t>(to.reg);
    const int bits = kernel_.registers[at].type.bits;
    work_item.registers[at] = bits == 64 ? v : v & ((uint64_t{1} << bits) - 1);
    work_item.written[at] = true;
  }
  uint64_t value(const WorkItem& work_item, const Operand& o) const {
    switch (o.kind) {
      case Operand::Kind::Register:
        return reg(work_item, o.reg);
      case Operand::Kind::Literal:
        return o.bits;
      case Operand::Kind::Symbol:
        return symbol(work_item, o.name) + static_cast<uint64_t>(o.offset);
      case Operand::Kind::Special:
        return special(work_item, o.name);
      case Operand::Kind::List:  // two registers of 16 bits
        return reg(work_item, o.list.at(0).reg) | reg(work_item, o.list.at(1).reg) << 16;
      default:
        throw Wrong("an address is no value");
    }
  }
  uint64_t symbol(const WorkItem& work_item, const std::string& name) const {
    const auto found = std::ranges::find(kernel_.arrays, name, &Array::name);
    if (found == kernel_.arrays.end()) throw Wrong("no array " + name);
    return found->space == Space::Local ? work_item.local.address_of(name)
                                        : shared_.address_of(name);
  }
  uint64_t special(const WorkItem& work_item, const std::string& name) const {
    if (name == "%tid.x") return static_cast<uint64_t>(work_item.number);
    if (name == "%ctaid.x") return static_cast<uint64_t>(number_);
    if (name == "%nctaid.x") return static_cast<uint64_t>(shape_.groups);
    throw Wrong("no register " + name);
  }

  // ---- memory
  // Addresses of shared memory have 32 bits, and wrap there.
  uint64_t address_of(const WorkItem& work_item, const Operand& at, Space space) const {
    const uint64_t base = at.reg >= 0 ? reg(work_item, at.reg) : symbol(work_item, at.name);
    const uint64_t address = base + static_cast<uint64_t>(at.offset);
    return space == Space::Shared ? address & 0xffffffff : address;
  }
  char* place(WorkItem& work_item, const Instruction& i, const Operand& at, int64_t bytes,
              bool writes) {
    const uint64_t address = address_of(work_item, at, i.space);
    if (i.space == Space::Global) return global_.place(address, bytes, writes, i.has("nc"));
    OwnMemory& own = i.space == Space::Shared ? shared_ : work_item.local;
    return own.place(address, bytes, writes, work_item.number);
  }
  // Where it goes counts as written now and when it arrives; in between it holds nothing.
  void copy(WorkItem& work_item, const Instruction& i) {
    if (i.has("commit_group")) {
      work_item.batches.push_back(std::move(work_item.batch));
      work_item.batch.clear();
      return;
    }
    if (i.has("wait_group")) return arrive(work_item, i.operands.at(0).bits);
    const int64_t bytes = static_cast<int64_t>(i.operands.at(2).bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) throw Wrong("copies 4, 8 or 16 bytes");
    if (i.has("cg") && bytes != 16) throw Wrong("copies 16 bytes past the first cache");
    const uint64_t all = static_cast<uint64_t>(bytes);
    const uint64_t size = i.operands.size() > 3 ? value(work_item, i.operands[3]) : all;
    Copied copied{address_of(work_item, i.operands[0], Space::Shared), std::vector<char>(all)};
    if (size > 0) {
      const char* from =
          global_.place(address_of(work_item, i.operands[1], Space::Global), bytes, false, false);
      std::copy_n(from, std::min(size, all), copied.data.begin());
    }
    shared_.place(copied.to, bytes, true, work_item.number);
    shared_.forget(copied.to, bytes);
    work_item.batch.push_back(std::move(copied));
  }
  void arrive(WorkItem& work_item, uint64_t on_their_way) {
    while (work_item.batches.size() > on_their_way) {
      for (const Copied& c : work_item.batches.front())
        std::ranges::copy(c.data, shared_.place(c.to, std::ssize(c.data), true, work_item.number));
      work_item.batches.erase(work_item.batches.begin());
    }
  }
  static std::span<const Operand> lanes(const Operand& o) {
    return o.kind == Operand::Kind::List ? std::span<const Operand>(o.list)
                                         : std::span<const Operand>(&o, 1);
  }
  void load(WorkItem& work_item, const Instruction& i) {
    const Operand& from = i.operands.at(1);
    if (i.is_param) return set(work_item, i.operands[0], parameter(from.name));
    const std::span<const Operand> to = lanes(i.operands[0]);
    const int64_t each = bytes_of(i.type);
    const char* p = place(work_item, i, from, each * std::ssize(to), false);
    for (const Operand& r : to) {
      uint64_t bits = 0;
      std::memcpy(&bits, p, static_cast<size_t>(each));
      if (i.type.kind == 's' && i.type.bits == 8)
        bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(bits)));
      set(work_item, r, bits);
      p += each;
    }
  }
  void store(WorkItem& work_item, const Instruction& i) {
    const std::span<const Operand> from = lanes(i.operands.at(1));
    const int64_t each = bytes_of(i.type);
    char* p = place(work_item, i, i.operands[0], each * std::ssize(from), true);
    for (const Operand& r : from) {
      const uint64_t bits = value(work_item, r);
      std::memcpy(p, &bits, static_cast<size_t>(each));
      p += each;
    }
  }
  uint64_t parameter(const std::string& name) const {
    const auto found = std::ranges::find(kernel_.parameters, name);
    if (found == kernel_.parameters.end()) throw Wrong("no parameter " + name);
    return arguments_[static_cast<size_t>(found - kernel_.parameters.begin())].word;
  }

  // ---- barriers
  void pass_barrier() {
    const size_t at = work_items_[0].at;
    for (const WorkItem& i : work_items_) {
      if (i.state != State::AtBarrier || i.at != at) {
        throw Wrong(fmt::format("group {}: work-items part ways before line {}: not all arrive",
                                number_, kernel_.code.at(at - 1).line));
      }
    }
    shared_.next_round();
    for (WorkItem& i : work_items_) i.state = State::Runs;
  }

  // Whether some warp went on.
  bool release_warps() {
    bool any = false;
    for (size_t first = 0; first < work_items_.size(); first += kWarp) {
      const auto warp =
          std::span(work_items_).subspan(first, std::min(kWarp, work_items_.size() - first));
      const auto waits = [](const WorkItem& i) { return i.state == State::AtWarpBarrier; };
      if (!std::ranges::any_of(warp, waits)) continue;
      for (const WorkItem& i : warp) {
        if (!waits(i) || i.at != warp[0].at || warp.size() != kWarp)
          throw Wrong(fmt::format(
              "group {}: lanes part ways before line {}, where they wait for each other", number_,
              kernel_.code.at(warp[0].at - 1).line));
      }
      if (kernel_.code.at(warp[0].at - 1).name == Name::Shfl) {
        shuffle_in_warp(warp);
      } else {
        multiply_warp(warp);
      }
      any = true;
    }
    return any;
  }
  void shuffle_in_warp(std::span<WorkItem> warp) const {
    const Instruction& i = kernel_.code.at(warp[0].at - 1);
    if (!i.has("bfly") || i.operands.at(3).bits != kWarp - 1 || i.operands.at(4).bits != 0xffffffff)
      throw Wrong("a shuffle that is not of all lanes by xor");
    std::vector<uint64_t> brought;
    for (const WorkItem& lane : warp) brought.push_back(value(lane, i.operands.at(1)));
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      const uint64_t other = lane ^ value(warp[lane], i.operands.at(2));
      set(warp[lane], i.operands[0], brought.at(other));
      warp[lane].state = State::Runs;
    }
  }
  void multiply_warp(std::span<WorkItem> warp) const {
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
  std::vector<WorkItem> work_items_;
  std::chrono::steady_clock::time_point until_;
};

}  // namespace

std::string run(const Kernel& kernel, std::span<const Argument> arguments, const Shape& shape,
                int64_t shared_bytes) {
  if (arguments.size() != kernel.parameters.size()) {
    return fmt::format("{} takes {} arguments, got {}", kernel.name, kernel.parameters.size(),
                       arguments.size());
  }
  if (shape.group_size > kernel.max_group_size)
    return fmt::format("{} has at most {} work-items in a group", kernel.name,
                       kernel.max_group_size);
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
