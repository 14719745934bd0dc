// See gnu_c.h: types, expressions and kernels. Functions of numbers are in gnu_c_math.cpp, masked
// and streamed memory in gnu_c_memory.cpp.
#include "renderer/gnu_c.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg {
namespace {

/// Allocations up to this size, and all in registers, are arrays on the stack.
constexpr int64_t kMaxStackBytes = 4096;

constexpr std::string_view kGnuPrologue = R"(typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define FN static inline __attribute__((always_inline, unused))
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
)";

// A cast in front, with the operand in parentheses where it binds less.
CText cast(const std::string& type, const CText& v) {
  return {v.prec < Prec::Unary ? fmt::format("({})({})", type, v.text)
                               : fmt::format("({}){}", type, v.text),
          Prec::Unary};
}

int64_t bytes_of(const CArray& a) { return (a.elements * c_bytes(a.dtype) + 63) / 64 * 64; }

/// A parameter of the body, and what the entry passes for it.
struct Argument {
  std::string declaration;
  std::string value;
};

}  // namespace

const CDialect& gnu_c() {
  static const GnuC dialect;
  return dialect;
}

std::string_view GnuC::prologue() const { return kGnuPrologue; }

std::string_view GnuC::scalar(DType t) const {
  switch (t) {
    case DType::Void:
      return "void";
    case DType::Bool:
      return "_Bool";
    case DType::Int8:
      return "i8";
    case DType::UInt8:
    case DType::Fp8E4M3:
    case DType::Fp8E5M2:
    case DType::Fp8E4M3Fnuz:
    case DType::Fp8E5M2Fnuz:
      return "u8";
    case DType::Int16:
      return "i16";
    case DType::UInt16:
    case DType::Float16:
    case DType::BFloat16:
      return "u16";
    case DType::Int32:
      return "i32";
    case DType::UInt32:
      return "u32";
    case DType::Index:
    case DType::Int64:
      return "i64";
    case DType::UInt64:
      return "u64";
    case DType::Float32:
      return "f32";
    case DType::Float64:
      return "f64";
  }
  return "void";
}

std::string GnuC::vector(CUnit& u, DType t, int lanes) const {
  const std::string name = fmt::format("{}x{}", scalar(t), lanes);
  u.declare(name, [&] {
    return fmt::format("typedef {} {} __attribute__((vector_size({})));\n", scalar(t), name,
                       lanes * c_bytes(t));
  });
  return name;
}

std::string GnuC::place_type(CUnit& u, DType t, int lanes, bool aligned) const {
  const std::string base = u.vector(t, lanes), name = base + (aligned ? "_a" : "_u");
  u.declare(name, [&] {
    return fmt::format("typedef {} {} __attribute__((may_alias{}));\n", base, name,
                       aligned ? "" : ", aligned(1)");
  });
  return name;
}

std::string GnuC::nan(DType t) const {
  return fmt::format("__builtin_nan{}(\"\")", t == DType::Float32 ? "f" : "");
}
std::string GnuC::infinity(DType t) const {
  return fmt::format("__builtin_inf{}()", t == DType::Float32 ? "f" : "");
}

std::string GnuC::list(const std::string& type, const std::string& items) const {
  return fmt::format("({}){{{}}}", type, items);
}

std::string GnuC::lane(int64_t k) const { return fmt::format("[{}]", k); }

CText GnuC::splat(CUnit& u, DType t, int lanes, const std::string& x) const {
  const std::string v = u.vector(t, lanes);
  const std::string name = u.helper("splat_" + v, [&] {
    std::string all;
    for (int k = 0; k < lanes; ++k) all += k == 0 ? "x" : ", x";
    return fmt::format("FN {0} splat_{0}({1} x) {{ return ({0}){{{2}}}; }}\n", v, storage(t), all);
  });
  return {fmt::format("{}({})", name, x)};
}

CText GnuC::reinterpret(const std::string& type, const CText& v) const { return cast(type, v); }

CText GnuC::scalar_bits(CUnit& u, DType from, DType to, const std::string& x) const {
  const std::string a(storage(from)), r(storage(to));
  const std::string name = u.helper(r + "_bits_" + a, [&] {
    return fmt::format(
        "FN {0} {0}_bits_{1}({1} x) {{\n  union {{\n    {1} a;\n    {0} r;\n  }} u = {{x}};\n"
        "  return u.r;\n}}\n",
        r, a);
  });
  return {fmt::format("{}({})", name, x)};
}

std::string GnuC::convert(const std::string& type, const std::string& v) const {
  return fmt::format("__builtin_convertvector({}, {})", v, type);
}

CText GnuC::mask_of(const std::string& type, const std::string& comparison) const {
  return {fmt::format("({})({})", type, comparison), Prec::Unary};
}

std::string GnuC::select(CUnit& u, DType t, int lanes, const std::string& m, const std::string& a,
                         const std::string& b) const {
  const std::string v = u.vector(t, lanes), mask = u.vector(c_mask_dtype(c_bytes(t)), lanes);
  const std::string name = u.helper("select_" + v, [&] {
    return fmt::format(
        "FN {0} select_{0}({1} m, {0} a, {0} b) {{ return ({0})((m & ({1})a) | (~m & ({1})b)); "
        "}}\n",
        v, mask);
  });
  return fmt::format("{}({}, {}, {})", name, m, a, b);
}

CText GnuC::shuffle(const std::string&, int, const std::string& a, const std::string& b,
                    std::span<const int64_t> lanes) const {
  return {fmt::format("__builtin_shufflevector({}, {}, {})", a, b, fmt::join(lanes, ", "))};
}

// A loop of constant length, which disappears.
std::string GnuC::return_lanes(const std::string& type, int lanes,
                               FunctionRef<std::string(const std::string&)> item) const {
  return fmt::format("  {} r;\n  for (int k = 0; k < {}; ++k) r[k] = {};\n  return r;\n", type,
                     lanes, item("[k]"));
}

std::string GnuC::for_lanes(int lanes, FunctionRef<std::string(const std::string&)> item) const {
  return fmt::format("for (int k = 0; k < {}; ++k) {}", lanes, item("[k]"));
}

// ---- memory
CText GnuC::load(CUnit& u, const CPlace& at) const {
  return {
      fmt::format("*(const {}*)({})", place_type(u, at.dtype, at.lanes, at.aligned), at.address),
      Prec::Unary};
}

std::string GnuC::store(CUnit& u, const CPlace& at, const std::string& v) const {
  return fmt::format("*({}*)({}) = {}", place_type(u, at.dtype, at.lanes, at.aligned), at.address,
                     v);
}

std::string GnuC::loaded(const std::string& type, const std::string& v) const {
  return fmt::format("({}){}", type, v);
}

std::string GnuC::prefetch(const std::string& address) const {
  return fmt::format("__builtin_prefetch({});\n", address);
}

// ---- kernels
std::string GnuC::launch_loop(const std::string& name) const {
  return fmt::format("for (i64 {0} = begin; {0} < end; ++{0}) {{\n", name);
}

std::string GnuC::work_item() const {
  TG_CHECK(false, "a kernel in C has no work-items");
  return {};
}

std::string GnuC::barrier(const LinearKernel&) const {
  TG_CHECK(false, "a kernel in C has no work-items that could wait for each other");
  return {};
}

namespace {

bool on_stack(const CArray& a) { return a.space == Space::Reg || bytes_of(a) <= kMaxStackBytes; }

std::vector<Argument> arguments(const CFunction& f, const CDialect& d) {
  std::vector<Argument> all;
  for (const auto& [slot, p] : f.params) {
    all.push_back(
        {fmt::format("{}{}* restrict {}", p.written ? "" : "const ", d.storage(p.dtype), p.name),
         fmt::format("bufs[{}]", slot)});
  }
  for (const auto& [k, v] : f.vars) all.push_back({"i64 " + v.name, fmt::format("vars[{}]", k)});
  if (f.has_launch_loop) {
    all.push_back({"i64 begin", "begin"});
    all.push_back({"i64 end", "end"});
  }
  int64_t offset = 0;
  for (const CArray& a : f.arrays) {
    const std::string_view type = d.storage(a.dtype);
    if (!on_stack(a)) {
      all.push_back({fmt::format("{}* restrict {}", type, a.name),
                     fmt::format("({}*)(scratch + {})", type, offset)});
    }
    if (a.space != Space::Reg) offset += bytes_of(a);
  }
  return all;
}

}  // namespace

// The body, whose parameters are named, typed and restrict, and the entry that unpacks the launch's
// arguments.
std::string GnuC::function(CUnit&, const CFunction& f) const {
  const std::string& name = f.kernel->name;
  std::string declared, passed, stack, unused;
  for (const Argument& a : arguments(f, *this)) {
    const char* comma = declared.empty() ? "" : ", ";
    declared += comma + a.declaration;
    passed += comma + a.value;
  }
  bool uses_scratch = false;
  for (const CArray& a : f.arrays) {
    if (on_stack(a)) {
      stack += fmt::format("  {} {}[{}] __attribute__((aligned(64)));\n", storage(a.dtype), a.name,
                           std::max<int64_t>(a.elements, 1));
    }
    uses_scratch = uses_scratch || !on_stack(a);
  }
  if (f.params.empty()) unused += "  (void)bufs;\n";
  if (f.vars.empty()) unused += "  (void)vars;\n";
  if (!f.has_launch_loop) unused += "  (void)begin;\n  (void)end;\n";
  if (!uses_scratch) unused += "  (void)scratch;\n";
  return fmt::format(
      "static void {0}_body({1}) {{\n{2}{3}}}\n\n"
      "void {0}(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);\n"
      "void {0}(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {{\n{4}  "
      "{0}_body({5});\n}}\n",
      name, declared.empty() ? "void" : declared, stack, f.text, unused, passed);
}

}  // namespace tg
