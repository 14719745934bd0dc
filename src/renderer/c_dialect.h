// What C-like languages spell differently: types, vectors and their lanes, reinterpretation,
// memory, and how a kernel becomes a function. One emitter (c_kernel.h, c_elementwise.cpp,
// c_memory.h, c_lanes.h) writes all of them and asks here. The dialects: gnu_c.cpp, opencl_c.cpp,
// cuda_c.cpp, metal_c.cpp.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/linear.h"
#include "target/matrix_unit.h"
#include "tg/ir/function_ref.h"

namespace tg {

class CUnit;
struct CudaMachine;
struct MetalMachine;
struct OpenClMachine;

/// How tightly a text binds; operands that bind less are put in parentheses. Shifts, comparisons,
/// bit operations and ?: share one level, for nobody remembers their order.
enum class Prec : uint8_t { Loose, Sum, Product, Unary, Atom };

/// An expression and how tightly it binds.
struct CText {
  std::string text;
  Prec prec = Prec::Atom;
};

/// Where a vector lies: `lanes` consecutive elements at `address`.
struct CPlace {
  std::string address;  ///< a pointer to the first element
  Space space = Space::Global;
  DType dtype = DType::Void;  ///< as stored: no bool
  int lanes = 1;
  bool aligned = false;  ///< to the size of the vector
};

/// An array or a value that a kernel is given.
struct CParam {
  std::string name;
  DType dtype = DType::Void;
  bool written = false;
};

/// An array that the kernel allocates.
struct CArray {
  std::string name;
  DType dtype = DType::Void;
  Space space = Space::Reg;
  int64_t elements = 0;
};

/// The parts of a kernel's function.
struct CFunction {
  const LinearKernel* kernel = nullptr;
  std::map<int, CParam> params;  ///< by slot
  std::map<int, CParam> vars;    ///< by place in the list of variables
  std::vector<CArray> arrays;
  std::string text;  ///< the statements, indented by one level
  bool has_launch_loop = false;
};

class CDialect {
 public:
  virtual ~CDialect() = default;

  // ---- types
  /// Name of one element; the small floats are their bits. An Index is one of the integers, see
  /// CUnit.
  virtual std::string_view scalar(DType t) const = 0;
  /// Type of `lanes` > 1 elements of storage(t); lanes are a power of two.
  virtual std::string vector(CUnit& u, DType t, int lanes) const = 0;
  /// What stands before all types and helpers; defines FN, with which helpers begin.
  virtual std::string_view prologue() const = 0;
  /// May integers of a signed type overflow? Where they may not, wrapping arithmetic goes by
  /// unsigned numbers.
  virtual bool signed_wraps() const = 0;
  /// Whether indices of 32 bits are cheaper, so that kernels whose indices fit are given them.
  virtual bool narrows_index() const { return false; }

  // ---- values
  virtual std::string nan(DType t) const = 0;
  virtual std::string infinity(DType t) const = 0;
  virtual std::string_view u64_suffix() const = 0;
  /// A vector of scalars; of one scalar, in every lane or at least in the first with zeros behind.
  virtual std::string list(const std::string& type, const std::string& items) const = 0;
  /// How lane `k` is named behind a vector: "[3]", ".s3".
  virtual std::string lane(int64_t k) const = 0;
  /// Scalar `x` in every lane.
  virtual CText splat(CUnit& u, DType t, int lanes, const std::string& x) const = 0;
  /// The bits of a vector as another vector type of the same size.
  virtual CText reinterpret(const std::string& type, const CText& v) const = 0;
  /// The bits of a scalar as another type of the same size, one of them a float.
  virtual CText scalar_bits(CUnit& u, DType from, DType to, const std::string& x) const = 0;
  /// The values of a vector converted to another vector type.
  virtual std::string convert(const std::string& type, const std::string& v) const = 0;
  /// A comparison of vectors as a mask of `type`.
  virtual CText mask_of(const std::string& type, const std::string& comparison) const = 0;
  /// `a` where `m` is set, else `b`; the mask has the width of the elements.
  virtual std::string select(CUnit& u, DType t, int lanes, const std::string& m,
                             const std::string& a, const std::string& b) const = 0;
  /// Whether mask `m` is set in all lanes; empty if that cannot be said in one expression.
  virtual std::string all_set(const std::string& m) const = 0;
  /// Lanes of the concatenation of `a` and `b`, atoms of `from` lanes each, as a vector of `type`.
  virtual CText shuffle(const std::string& type, int from, const std::string& a,
                        const std::string& b, std::span<const int64_t> lanes) const = 0;
  /// The end of a function that gives `item` of each lane as a vector; the item is asked for with
  /// the spelling of the lane, as lane() gives it.
  virtual std::string return_lanes(const std::string& type, int lanes,
                                   FunctionRef<std::string(const std::string&)> item) const = 0;
  /// Statement for each lane, in order.
  virtual std::string for_lanes(int lanes,
                                FunctionRef<std::string(const std::string&)> item) const = 0;
  /// Names of functions.
  virtual std::string trunc(CUnit& u, DType t, int lanes) const = 0;
  virtual std::string sqrt(CUnit& u, DType t, int lanes) const = 0;
  /// Of a product and sum rounded once; empty where the machine has none.
  virtual std::string fma(CUnit& u, DType t, int lanes) const = 0;
  virtual std::string half_to_float(CUnit& u, int lanes) const = 0;
  virtual std::string float_to_half(CUnit& u, int lanes) const = 0;

  // ---- memory
  /// Whether an aligned access is so much cheaper that alignment is proven for it. All arrays are
  /// aligned to 64 bytes then.
  virtual bool proves_alignment() const { return false; }
  /// What stands before the type of what a pointer points to: "__global ".
  virtual std::string_view qualifier(Space space) const = 0;
  virtual CText load(CUnit& u, const CPlace& at) const = 0;
  /// Statement without its line end.
  virtual std::string store(CUnit& u, const CPlace& at, const std::string& v) const = 0;
  /// What load() gave as a value of `type`, where that is not the same.
  virtual std::string loaded(const std::string& type, const std::string& v) const = 0;
  /// Names of functions: lanes whose mask is clear are 0 and not touched.
  virtual std::string load_mask(CUnit& u, Space space, DType t, int lanes) const = 0;
  virtual std::string store_mask(CUnit& u, Space space, DType t, int lanes) const = 0;
  /// Name of a function that stores a cache line past the caches, and of one that ends such
  /// stores; empty if there is no way to say so.
  virtual std::string stream(CUnit& u, DType t, int lanes) const = 0;
  virtual std::string streams_end(CUnit& u) const = 0;
  /// Statement that prefetches a cache line ahead of its use; empty if there is none.
  virtual std::string prefetch(const std::string& address) const = 0;

  // ---- kernels
  /// Where an array of the kernel is placed.
  virtual Space place_of(const LinearKernel& kernel, Space space) const = 0;
  /// Head of the loop over the launch range, with its brace.
  virtual std::string launch_loop(const std::string& name) const = 0;
  /// Number of the work-item in its group.
  virtual std::string work_item() const = 0;
  /// Statement at which the work-items of a group wait for each other.
  virtual std::string barrier(const LinearKernel& kernel) const = 0;
  /// The value, of four bytes, that the work-item has whose number is this one's xor `distance`;
  /// empty if the language has no way to ask.
  virtual std::string subgroup_shuffle(const std::string& value, int64_t distance) const;
  /// Name of a function (to, from, whether) that begins to copy `bytes` from global memory to
  /// Scratch, both aligned to them, or zeros; empty if there is none.
  virtual std::string async_copy(CUnit& u, int64_t bytes) const;
  /// Statement that ends a batch of asynchronous copies and waits until all but so many have
  /// arrived; empty if there are none.
  virtual std::string async_wait(CUnit& u, int64_t on_their_way) const;
  /// Name of a function of three fragments that multiplies and adds by a matrix unit; empty if the
  /// language knows none.
  virtual std::string multiply(CUnit& u, const MatrixUnit& unit) const;
  /// Name of a function (a, block, b, block, sum) that begins a product by a unit that reads both
  /// factors from Scratch; `block`: bytes from one block of a factor to the next. Empty if the
  /// language knows none.
  virtual std::string multiply_async(CUnit& u, const MatrixUnit& unit, bool across_a,
                                     bool across_b) const;
  /// Statements before the first such product of a batch, and behind the last; and that waits until
  /// all but so many batches are done, which completes the variables `sums`.
  virtual std::string mma_begin() const;
  virtual std::string mma_commit() const;
  virtual std::string mma_wait(int64_t under_way, std::span<const std::string> sums) const;
  /// The whole kernel.
  virtual std::string function(CUnit& u, const CFunction& f) const = 0;

  /// scalar(t) as it lies in memory: a bool is a byte.
  std::string_view storage(DType t) const { return scalar(is_bool(t) ? DType::UInt8 : t); }
};

/// C11 with GNU vector types, for gcc and clang.
const CDialect& gnu_c();
/// OpenCL C 1.2.
std::unique_ptr<const CDialect> opencl_c(const OpenClMachine& machine);
/// CUDA C (C++17) as NVRTC reads it.
std::unique_ptr<const CDialect> cuda_c(const CudaMachine& machine);
/// The Metal shading language, 2.3 and later.
std::unique_ptr<const CDialect> metal_c(const MetalMachine& machine);

}  // namespace tg
