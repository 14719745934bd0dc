// The dialect of OpenCL C 1.2: its own vectors of up to 16 lanes, whose comparisons are masks of 0
// and −1 already, as_/convert_ for casts, vload/vstore for what is not aligned, address spaces.
// Kernels use no function whose result OpenCL leaves to the device but for float32 division and
// square root, which a build option makes exact where the device can.
#include <fmt/format.h>

#include <algorithm>

#include "renderer/c_dialect.h"
#include "renderer/c_fences.h"
#include "renderer/c_unit.h"
#include "renderer/render.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int kOpenclLanes = 16;

constexpr std::string_view kOpenclPrologue = R"(#pragma OPENCL FP_CONTRACT OFF
#define FN static inline
)";
constexpr std::string_view kOpenclPrologueWithHalf = R"(#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define FN static inline
)";

std::string opencl_swizzle(const std::string& v, std::span<const int64_t> lanes) {
  std::string out = v + ".s";
  for (int64_t k : lanes) out += fmt::format("{:x}", k);
  return out;
}

std::string in_space(std::string_view qualifier) {
  std::string name;
  for (char c : qualifier) {
    if (c != ' ') name += c;
  }
  return name;
}

class OpenClC final : public CDialect {
 public:
  explicit OpenClC(const OpenClMachine& machine) : machine_(machine) {}

  // ---- types
  std::string_view prologue() const override {
    return machine_.has_half ? kOpenclPrologueWithHalf : kOpenclPrologue;
  }
  bool signed_wraps() const override { return false; }
  bool narrows_index() const override { return machine_.narrow_index; }

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
        return "double";
    }
    return "void";
  }
  std::string vector(CUnit&, DType t, int lanes) const override {
    TG_CHECK(lanes <= kOpenclLanes, "OpenCL C has no vectors of {} lanes", lanes);
    return fmt::format("{}{}", scalar(t), lanes);
  }

  // ---- values
  std::string nan(DType t) const override { return t == DType::Float32 ? "NAN" : "nan(0ul)"; }
  std::string infinity(DType t) const override {
    return t == DType::Float32 ? "INFINITY" : "((double)INFINITY)";
  }
  std::string_view u64_suffix() const override { return "ul"; }
  std::string list(const std::string& type, const std::string& items) const override {
    return fmt::format("({})({})", type, items);
  }
  std::string lane(int64_t k) const override { return fmt::format(".s{:x}", k); }
  CText splat(CUnit& u, DType t, int lanes, const std::string& x) const override {
    return {list(u.vector(t, lanes), x), Prec::Unary};
  }
  CText reinterpret(const std::string& type, const CText& v) const override {
    return {fmt::format("as_{}({})", type, v.text)};
  }
  CText scalar_bits(CUnit&, DType, DType to, const std::string& x) const override {
    return {fmt::format("as_{}({})", storage(to), x)};
  }
  std::string convert(const std::string& type, const std::string& v) const override {
    return fmt::format("convert_{}({})", type, v);
  }
  CText mask_of(const std::string&, const std::string& comparison) const override {
    return {comparison, Prec::Loose};
  }
  std::string select(CUnit&, DType, int, const std::string& m, const std::string& a,
                     const std::string& b) const override {
    return fmt::format("select({}, {}, {})", b, a, m);
  }
  std::string all_set(const std::string& m) const override { return fmt::format("all({})", m); }

  // Lanes that come from one operand are moved together, in the sizes that vectors have.
  CText shuffle(const std::string& type, int from, const std::string& a, const std::string& b,
                std::span<const int64_t> lanes) const override {
    std::vector<std::string> parts;
    for (size_t i = 0; i < lanes.size();) {
      const bool second = lanes[i] >= from;
      std::vector<int64_t> run;
      for (size_t k = i; k < lanes.size() && (lanes[k] >= from) == second; ++k)
        run.push_back(lanes[k] - (second ? from : 0));
      size_t size = kOpenclLanes;
      while (size > run.size()) size /= 2;
      run.resize(size);
      parts.push_back(opencl_swizzle(second ? b : a, run));
      i += size;
    }
    if (parts.size() == 1) return {parts[0]};
    return {list(type, fmt::format("{}", fmt::join(parts, ", "))), Prec::Unary};
  }

  std::string return_lanes(const std::string& type, int lanes,
                           FunctionRef<std::string(const std::string&)> item) const override {
    std::string items;
    for (int k = 0; k < lanes; ++k) {
      items += k == 0 ? "" : k % 4 == 0 ? ",\n      " : ", ";
      items += item(lane(k));
    }
    return fmt::format("  return {};\n", list(type, items));
  }
  std::string for_lanes(int lanes,
                        FunctionRef<std::string(const std::string&)> item) const override {
    std::string out;
    for (int k = 0; k < lanes; ++k) out += item(lane(k));
    return out;
  }

  std::string trunc(CUnit&, DType, int) const override { return "trunc"; }
  std::string sqrt(CUnit&, DType, int) const override { return "sqrt"; }
  std::string fma(CUnit&, DType, int) const override { return machine_.has_fma ? "fma" : ""; }

  std::string half_to_float(CUnit& u, int lanes) const override {
    if (machine_.has_half) {
      const std::string n = lanes_text(lanes);
      return u.helper(fmt::format("float{}_of_half", n), [&] {
        return fmt::format(
            "FN float{0} float{0}_of_half(ushort{0} h) {{ return convert_float{0}(as_half{0}(h)); "
            "}}\n",
            n);
      });
    }
    const std::string one = u.helper("float_of_half", [] {
      return std::string(
          "FN float float_of_half(ushort h) {\n"
          "  uint sign = (uint)(h & 0x8000) << 16, size = h & 0x7fff;\n"
          "  uint bits = size < 0x400 ? as_uint((float)size * 0x1p-24f)\n"
          "                           : (size << 13) + (size < 0x7c00 ? 0x38000000 : 0x70000000);\n"
          "  return as_float(bits | sign);\n}\n");
    });
    return by_lane(u, one, "float{}_of_half", DType::Float32, DType::Float16, lanes);
  }
  // Nearest even: normal values add half of the last kept place with its parity; subnormal ones
  // let the float adder round.
  std::string float_to_half(CUnit& u, int lanes) const override {
    if (machine_.has_half) return native_float_to_half(u, lanes_text(lanes));
    const std::string one = u.helper("half_of_float", [] {
      return std::string(
          "FN ushort half_of_float(float x) {\n"
          "  uint bits = as_uint(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff, r;\n"
          "  if (size > 0x7f800000) return 0x7e00;\n  if (size >= 0x47800000) r = 0x7c00;\n"
          "  else if (size < 0x38800000) r = as_uint(as_float(size) + 0.5f) - 0x3f000000;\n"
          "  else r = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;\n"
          "  return (ushort)(sign | r);\n}\n");
    });
    return by_lane(u, one, "half_of_float{}", DType::Float16, DType::Float32, lanes);
  }

  static std::string lanes_text(int lanes) {
    return lanes == 1 ? std::string() : fmt::format("{}", lanes);
  }
  // NaN has one form.
  static std::string native_float_to_half(CUnit& u, const std::string& n) {
    return u.helper(fmt::format("half_of_float{}", n), [&] {
      const std::string half = fmt::format("as_ushort{0}(convert_half{0}_rte(x))", n);
      return fmt::format(
          "FN ushort{0} half_of_float{0}(float{0} x) {{\n  return {1};\n}}\n", n,
          n.empty() ? fmt::format("x != x ? (ushort)0x7e00 : {}", half)
                    : fmt::format("select({1}, (ushort{0})(0x7e00), convert_ushort{0}(x != x))", n,
                                  half));
    });
  }

  // ---- memory
  std::string_view qualifier(Space space) const override {
    return space == Space::Global ? "__global " : space == Space::Scratch ? "__local " : "";
  }
  CText load(CUnit& u, const CPlace& at) const override {
    if (!at.aligned) return {fmt::format("vload{}(0, {})", at.lanes, at.address)};
    const std::string type = u.vector(at.dtype, at.lanes);
    return {fmt::format("*(const {}{}*)({})", qualifier(at.space), type, at.address), Prec::Unary};
  }
  std::string store(CUnit& u, const CPlace& at, const std::string& v) const override {
    if (!at.aligned) return fmt::format("vstore{}({}, 0, {})", at.lanes, v, at.address);
    const std::string type = u.vector(at.dtype, at.lanes);
    return fmt::format("*({}{}*)({}) = {}", qualifier(at.space), type, at.address, v);
  }
  std::string loaded(const std::string&, const std::string& v) const override { return v; }

  std::string load_mask(CUnit& u, Space space, DType t, int lanes) const override {
    const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes);
    return u.helper(fmt::format("load_mask_{}{}", v, in_space(qualifier(space))), [&] {
      std::string items;
      for (int k = 0; k < lanes; ++k) {
        items += k == 0 ? "" : k % 4 == 0 ? ",\n      " : ", ";
        items += fmt::format("m{} ? p[{}] : 0", lane(k), k);
      }
      return fmt::format("FN {0} load_mask_{0}{1}(const {2}{3}* p, {4} m) {{\n  return {5};\n}}\n",
                         v, in_space(qualifier(space)), qualifier(space), storage(t), m,
                         list(v, items));
    });
  }
  std::string store_mask(CUnit& u, Space space, DType t, int lanes) const override {
    const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes);
    return u.helper(fmt::format("store_mask_{}{}", v, in_space(qualifier(space))), [&] {
      std::string lines;
      for (int k = 0; k < lanes; ++k)
        lines += fmt::format("  if (m{0}) p[{1}] = v{0};\n", lane(k), k);
      return fmt::format("FN void store_mask_{0}{1}({2}{3}* p, {4} m, {0} v) {{\n{5}}}\n", v,
                         in_space(qualifier(space)), qualifier(space), storage(t), m, lines);
    });
  }
  std::string stream(CUnit&, DType, int) const override { return {}; }
  std::string streams_end(CUnit&) const override { return {}; }
  std::string prefetch(const std::string&) const override { return {}; }

  // ---- kernels
  Space place_of(const LinearKernel& kernel, Space space) const override {
    return space == Space::Scratch && opencl_scratch_bytes(kernel, machine_) > 0 ? Space::Global
                                                                                 : space;
  }
  std::string launch_loop(const std::string& name) const override {
    return fmt::format("for (long {0} = get_group_id(0); {0} < end; {0} += get_num_groups(0)) {{\n",
                       name);
  }
  std::string work_item() const override { return "get_local_id(0)"; }
  std::string barrier(const LinearKernel& kernel) const override {
    if (place_of(kernel, Space::Scratch) == Space::Global)
      return "barrier(CLK_GLOBAL_MEM_FENCE);\n";
    return writes_what_it_reads(kernel) ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
                                        : "barrier(CLK_LOCAL_MEM_FENCE);\n";
  }

  std::string function(CUnit&, const CFunction& f) const override {
    std::string arguments, begin;
    const auto argument = [&](const std::string& text) {
      arguments += (arguments.empty() ? "" : ", ") + text;
    };
    for (int slot = 0; slot < static_cast<int>(f.kernel->params.size()); ++slot) {
      const auto p = f.params.find(slot);
      if (p == f.params.end()) {
        argument(fmt::format("__global char* p{0}, long o{0}", slot));
        continue;
      }
      argument(fmt::format("__global {}{}* restrict p{}, long o{}",
                           p->second.written ? "" : "const ", storage(p->second.dtype), slot,
                           slot));
      begin += fmt::format("  p{0} += o{0};\n", slot);
    }
    for (int k = 0; k < static_cast<int>(f.kernel->vars.size()); ++k) {
      const auto v = f.vars.find(k);
      argument("long " + (v == f.vars.end() ? fmt::format("n_{}", k) : v->second.name));
    }
    argument("long end");
    if (opencl_scratch_bytes(*f.kernel, machine_) > 0) argument("__global char* scratch");
    return fmt::format(
        "__attribute__((reqd_work_group_size({0}, 1, 1)))\n__kernel void {1}({2}) "
        "{{\n{3}{4}{5}}}\n",
        f.kernel->group_size, f.kernel->name, arguments, begin, arrays(f), f.text);
  }

 private:
  static std::string by_lane(CUnit& u, const std::string& one, std::string_view pattern, DType to,
                             DType from, int lanes) {
    if (lanes == 1) return one;
    const std::string name = fmt::format(fmt::runtime(pattern), lanes);
    const std::string r = u.vector(to, lanes), a = u.vector(from, lanes);
    return u.helper(name, [&] {
      return fmt::format("FN {} {}({} x) {{\n{}}}\n", r, name, a,
                         u.dialect().return_lanes(
                             r, lanes, [&](const std::string& k) { return one + "(x" + k + ")"; }));
    });
  }

  // Each group has its own part of the scratch buffer.
  std::string arrays(const CFunction& f) const {
    std::string out;
    int64_t offset = 0;
    for (const CArray& a : f.arrays) {
      const std::string_view type = storage(a.dtype);
      if (a.space == Space::Global) {
        out += fmt::format(
            "  __global {0}* {1} = (__global {0}*)(scratch + get_group_id(0) * {2} + {3});\n", type,
            a.name, f.kernel->scratch_bytes, offset);
        offset += (a.elements * c_bytes(a.dtype) + 63) / 64 * 64;
      } else {
        out += fmt::format("  {}{} {}[{}] __attribute__((aligned(64)));\n", qualifier(a.space),
                           type, a.name, std::max<int64_t>(a.elements, 1));
      }
    }
    return out;
  }

  const OpenClMachine machine_;
};

}  // namespace

std::unique_ptr<const CDialect> opencl_c(const OpenClMachine& machine) {
  return std::make_unique<OpenClC>(machine);
}

}  // namespace tg
