// The dialect of the Metal shading language, which is C++ 14 with address spaces: vectors of 2 and
// 4 lanes with constructors and swizzles, whose comparisons give vectors of bool that we make masks
// of; as_type for bits; packed types for what is not aligned. There is no float64. Half is native,
// but values of it are kept as their bits, and its conversions round as ours. Kernels use no
// function whose result the language leaves to the device but denormal float32 numbers, which it
// may flush. What the text is compiled with: src/backends/metal.
#include <fmt/format.h>

#include <algorithm>

#include "renderer/c_dialect.h"
#include "renderer/c_fences.h"
#include "renderer/c_unit.h"
#include "renderer/render.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int kMetalLanes = 4;

// Before Metal 3.2 the two lines are unknown, and the options of the compiler say the same.
constexpr std::string_view kMetalPrologue = R"(#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif
using namespace metal;
#define FN static inline
)";

std::string metal_swizzle(const std::string& v, std::span<const int64_t> lanes) {
  std::string out = v + ".";
  for (int64_t k : lanes) out += "xyzw"[k];
  return out;
}

// A mask as the vector of bool that the language's own functions take.
std::string as_bools(const std::string& mask, int lanes) {
  return fmt::format("bool{}({})", lanes, mask);
}

std::string_view space_word(Space space) {
  return space == Space::Global ? "device" : space == Space::Scratch ? "threadgroup" : "thread";
}

class MetalC final : public CDialect {
 public:
  // ---- types
  std::string_view prologue() const override { return kMetalPrologue; }
  bool signed_wraps() const override { return false; }
  bool narrows_index() const override { return true; }

  std::string_view scalar(DType t) const override {
    switch (t) {
      case DType::Void:
        return "void";
      case DType::Bool:
        return "bool";
      case DType::Int8:
        return "char";
      case DType::UInt8:
      case DType::Fp8E4M3:
      case DType::Fp8E5M2:
      case DType::Fp8E4M3Fnuz:
      case DType::Fp8E5M2Fnuz:
        return "uchar";
      case DType::Int16:
        return "short";
      case DType::UInt16:
      case DType::Float16:
      case DType::BFloat16:
        return "ushort";
      case DType::Int32:
        return "int";
      case DType::UInt32:
        return "uint";
      case DType::Index:
      case DType::Int64:
        return "long";
      case DType::UInt64:
        return "ulong";
      case DType::Float32:
        return "float";
      case DType::Float64:
        break;
    }
    TG_CHECK(false, "Metal has no {}", dtype_name(t));
    return "void";
  }
  std::string vector(CUnit&, DType t, int lanes) const override {
    TG_CHECK(lanes <= kMetalLanes, "Metal has no vectors of {} lanes", lanes);
    return fmt::format("{}{}", scalar(t), lanes);
  }

  // ---- values
  std::string nan(DType) const override { return "NAN"; }
  std::string infinity(DType) const override { return "INFINITY"; }
  std::string_view u64_suffix() const override { return "ul"; }
  std::string list(const std::string& type, const std::string& items) const override {
    return fmt::format("{}({})", type, items);
  }
  std::string lane(int64_t k) const override { return fmt::format(".{}", "xyzw"[k]); }
  CText splat(CUnit& u, DType t, int lanes, const std::string& x) const override {
    return {list(u.vector(t, lanes), x)};
  }
  CText reinterpret(const std::string& type, const CText& v) const override {
    return {fmt::format("as_type<{}>({})", type, v.text)};
  }
  CText scalar_bits(CUnit&, DType, DType to, const std::string& x) const override {
    return {fmt::format("as_type<{}>({})", storage(to), x)};
  }
  std::string convert(const std::string& type, const std::string& v) const override {
    return fmt::format("{}({})", type, v);
  }
  CText mask_of(const std::string& type, const std::string& comparison) const override {
    return {fmt::format("-{}({})", type, comparison), Prec::Unary};
  }
  std::string select(CUnit&, DType, int lanes, const std::string& m, const std::string& a,
                     const std::string& b) const override {
    return fmt::format("select({}, {}, {})", b, a, as_bools(m, lanes));
  }
  std::string all_set(const std::string& m) const override {
    return fmt::format("all({} != 0)", m);
  }

  // Lanes that come from one operand are moved together, in the sizes that vectors have.
  CText shuffle(const std::string& type, int from, const std::string& a, const std::string& b,
                std::span<const int64_t> lanes) const override {
    std::vector<std::string> parts;
    for (size_t i = 0; i < lanes.size();) {
      const bool second = lanes[i] >= from;
      std::vector<int64_t> run;
      for (size_t k = i; k < lanes.size() && (lanes[k] >= from) == second; ++k)
        run.push_back(lanes[k] - (second ? from : 0));
      size_t size = kMetalLanes;
      while (size > run.size()) size /= 2;
      run.resize(size);
      parts.push_back(metal_swizzle(second ? b : a, run));
      i += size;
    }
    if (parts.size() == 1) return {parts[0]};
    return {list(type, fmt::format("{}", fmt::join(parts, ", ")))};
  }

  std::string return_lanes(const std::string& type, int lanes,
                           FunctionRef<std::string(const std::string&)> item) const override {
    std::string items;
    for (int k = 0; k < lanes; ++k) items += (k == 0 ? "" : ", ") + item(lane(k));
    return fmt::format("  return {};\n", list(type, items));
  }
  std::string for_lanes(int lanes,
                        FunctionRef<std::string(const std::string&)> item) const override {
    std::string out;
    for (int k = 0; k < lanes; ++k) out += item(lane(k));
    return out;
  }

  std::string trunc(CUnit&, DType, int) const override { return "trunc"; }
  std::string sqrt(CUnit&, DType, int) const override { return "precise::sqrt"; }
  std::string fma(CUnit&, DType, int) const override { return "fma"; }

  std::string half_to_float(CUnit& u, int lanes) const override {
    const std::string n = lanes == 1 ? "" : fmt::format("{}", lanes);
    return u.helper(fmt::format("float{}_of_half", n), [&] {
      return fmt::format(
          "FN float{0} float{0}_of_half(ushort{0} x) {{ return float{0}(as_type<half{0}>(x)); }}\n",
          n);
    });
  }
  // Nearest even, with denormal halves, by the language; NaN has one form.
  std::string float_to_half(CUnit& u, int lanes) const override {
    const std::string n = lanes == 1 ? "" : fmt::format("{}", lanes);
    return u.helper(fmt::format("half_of_float{}", n), [&] {
      return fmt::format(
          "FN ushort{0} half_of_float{0}(float{0} x) {{\n"
          "  return {1};\n}}\n",
          n,
          lanes == 1 ? "x != x ? (ushort)0x7e00 : as_type<ushort>(half(x))"
                     : fmt::format("select(as_type<ushort{0}>(half{0}(x)), ushort{0}(0x7e00), "
                                   "x != x)",
                                   n));
    });
  }

  // ---- memory
  std::string_view qualifier(Space space) const override {
    return space == Space::Global    ? "device "
           : space == Space::Scratch ? "threadgroup "
                                     : "thread ";
  }
  CText load(CUnit& u, const CPlace& at) const override {
    const std::string type = u.vector(at.dtype, at.lanes);
    const std::string place = fmt::format("*(const {}{}{}*)({})", qualifier(at.space),
                                          at.aligned ? "" : "packed_", type, at.address);
    if (at.aligned) return {place, Prec::Unary};
    return {list(type, place)};
  }
  std::string store(CUnit& u, const CPlace& at, const std::string& v) const override {
    const std::string type =
        fmt::format("{}{}", at.aligned ? "" : "packed_", u.vector(at.dtype, at.lanes));
    return fmt::format("*({}{}*)({}) = {}", qualifier(at.space), type, at.address,
                       at.aligned ? v : list(type, v));
  }
  std::string loaded(const std::string&, const std::string& v) const override { return v; }

  std::string load_mask(CUnit& u, Space space, DType t, int lanes) const override {
    const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes);
    const std::string name = fmt::format("load_mask_{}_{}", v, space_word(space));
    return u.helper(name, [&] {
      std::string items;
      for (int k = 0; k < lanes; ++k)
        items +=
            fmt::format("{}m{} != 0 ? p[{}] : ({})0", k == 0 ? "" : ", ", lane(k), k, storage(t));
      return fmt::format("FN {0} {1}(const {2}{3}* p, {4} m) {{\n  return {5};\n}}\n", v, name,
                         qualifier(space), storage(t), m, list(v, items));
    });
  }
  std::string store_mask(CUnit& u, Space space, DType t, int lanes) const override {
    const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes);
    const std::string name = fmt::format("store_mask_{}_{}", v, space_word(space));
    return u.helper(name, [&] {
      std::string lines;
      for (int k = 0; k < lanes; ++k)
        lines += fmt::format("  if (m{0} != 0) p[{1}] = v{0};\n", lane(k), k);
      return fmt::format("FN void {1}({2}{3}* p, {4} m, {0} v) {{\n{5}}}\n", v, name,
                         qualifier(space), storage(t), m, lines);
    });
  }
  std::string stream(CUnit&, DType, int) const override { return {}; }
  std::string streams_end(CUnit&) const override { return {}; }
  std::string prefetch(const std::string&) const override { return {}; }

  // ---- kernels
  Space place_of(const LinearKernel&, Space space) const override { return space; }
  std::string launch_loop(const std::string& name) const override {
    return fmt::format("for ({1} {0} = group; {0} < arguments.end; {0} += groups) {{\n", name,
                       scalar(DType::Index));
  }
  std::string work_item() const override { return "work_item"; }
  std::string subgroup_shuffle(const std::string& value, int64_t distance) const override {
    return fmt::format("simd_shuffle_xor({}, ushort({}))", value, distance);
  }
  std::string barrier(const LinearKernel& kernel) const override {
    return writes_what_it_reads(kernel)
               ? "threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);\n"
               : "threadgroup_barrier(mem_flags::mem_threadgroup);\n";
  }

  std::string multiply(CUnit& u, const MatrixUnit& unit) const override {
    if (unit.m != 8) return {};
    return u.helper("tg_mma_" + unit.name, [&] {
      const std::string in = u.vector(unit.input, 2), sum = u.vector(unit.sum, 2);
      const std::string_view type = unit.input == DType::Float16 ? "half" : "float";
      const auto set = [&](std::string_view matrix, std::string_view from, bool bits) {
        std::string out;
        for (int k = 0; k < 2; ++k) {
          const std::string x = fmt::format("{}.{}", from, "xy"[k]);
          out += fmt::format("  {}.thread_elements()[{}] = {};\n", matrix, k,
                             bits ? fmt::format("as_type<half>({})", x) : x);
        }
        return out;
      };
      const bool bits = unit.input == DType::Float16;
      return fmt::format(
          "FN {0} tg_mma_{1}({2} a, {2} b, {0} c) {{\n"
          "  simdgroup_matrix<{3}, {4}, {5}> x, y;\n  simdgroup_matrix<float, {4}, {5}> z;\n"
          "{6}{7}{8}  simdgroup_multiply_accumulate(z, x, y, z);\n"
          "  return {0}(z.thread_elements()[0], z.thread_elements()[1]);\n}}\n",
          sum, unit.name, in, type, unit.n, unit.m, set("x", "a", bits), set("y", "b", bits),
          set("z", "c", false));
    });
  }

  std::string function(CUnit&, const CFunction& f) const override {
    const LinearKernel& kernel = *f.kernel;
    const int slots = static_cast<int>(kernel.params.size());
    std::string members, begin, head;
    for (int k = 0; k < static_cast<int>(kernel.vars.size()); ++k) {
      const auto v = f.vars.find(k);
      const std::string name = v == f.vars.end() ? fmt::format("n_{}", k) : v->second.name;
      members += fmt::format("  long {};\n", name);
      if (v != f.vars.end())
        begin += fmt::format("  const {0} {1} = arguments.{1};\n", scalar(v->second.dtype), name);
    }
    for (int slot = 0; slot < slots; ++slot) head += buffer(f, slot);
    head +=
        fmt::format("constant {}_arguments& arguments [[buffer({})]],\n    ", kernel.name, slots);
    head +=
        "uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],\n"
        "    uint work_item [[thread_index_in_threadgroup]]";
    return fmt::format(
        "struct {0}_arguments {{\n{1}  long end;\n}};\n"
        "[[max_total_threads_per_threadgroup({2})]]\n"
        "kernel void {0}(\n    {3}) {{\n{4}{5}{6}}}\n",
        kernel.name, members, kernel.group_size, head, begin, arrays(f), f.text);
  }

 private:
  std::string buffer(const CFunction& f, int slot) const {
    const auto p = f.params.find(slot);
    const bool written = p != f.params.end() && p->second.written;
    return fmt::format("device {}{}* p{} [[buffer({})]],\n    ", written ? "" : "const ",
                       p == f.params.end() ? "char" : storage(p->second.dtype), slot, slot);
  }

  std::string arrays(const CFunction& f) const {
    std::string out;
    for (const CArray& a : f.arrays) {
      out += fmt::format("  alignas(64) {}{} {}[{}];\n",
                         a.space == Space::Scratch ? "threadgroup " : "", storage(a.dtype), a.name,
                         std::max<int64_t>(a.elements, 1));
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<const CDialect> metal_c(const MetalMachine&) { return std::make_unique<MetalC>(); }

}  // namespace tg
