// The dialect of gcc and clang: C11 with GNU vector types and builtins. Internal to src/renderer.
#pragma once

#include "renderer/c_dialect.h"
#include "renderer/c_unit.h"

namespace tg {

class GnuC final : public CDialect {
 public:
  std::string_view scalar(DType t) const override;
  std::string vector(CUnit& u, DType t, int lanes) const override;
  std::string_view prologue() const override;
  bool signed_wraps() const override { return true; }

  std::string nan(DType t) const override;
  std::string infinity(DType t) const override;
  std::string_view u64_suffix() const override { return "ull"; }
  std::string list(const std::string& type, const std::string& items) const override;
  std::string lane(int64_t k) const override;
  CText splat(CUnit& u, DType t, int lanes, const std::string& x) const override;
  CText reinterpret(const std::string& type, const CText& v) const override;
  CText scalar_bits(CUnit& u, DType from, DType to, const std::string& x) const override;
  std::string convert(const std::string& type, const std::string& v) const override;
  CText mask_of(const std::string& type, const std::string& comparison) const override;
  std::string select(CUnit& u, DType t, int lanes, const std::string& m, const std::string& a,
                     const std::string& b) const override;
  std::string all_set(const std::string&) const override { return {}; }
  CText shuffle(const std::string& type, int from, const std::string& a, const std::string& b,
                std::span<const int64_t> lanes) const override;
  std::string return_lanes(const std::string& type, int lanes,
                           FunctionRef<std::string(const std::string&)> item) const override;
  std::string for_lanes(int lanes,
                        FunctionRef<std::string(const std::string&)> item) const override;
  std::string trunc(CUnit& u, DType t, int lanes) const override;
  std::string sqrt(CUnit& u, DType t, int lanes) const override;
  std::string fma(CUnit& u, DType t, int lanes) const override;
  std::string half_to_float(CUnit& u, int lanes) const override;
  std::string float_to_half(CUnit& u, int lanes) const override;

  std::string_view qualifier(Space) const override { return {}; }
  CText load(CUnit& u, const CPlace& at) const override;
  std::string store(CUnit& u, const CPlace& at, const std::string& v) const override;
  std::string loaded(const std::string& type, const std::string& v) const override;
  std::string load_mask(CUnit& u, Space space, DType t, int lanes) const override;
  std::string store_mask(CUnit& u, Space space, DType t, int lanes) const override;
  std::string stream(CUnit& u, DType t, int lanes) const override;
  std::string streams_end(CUnit& u) const override;
  std::string prefetch(const std::string& address) const override;

  Space place_of(const LinearKernel&, Space space) const override { return space; }
  std::string launch_loop(const std::string& name) const override;
  std::string work_item() const override;
  std::string barrier(const LinearKernel& kernel) const override;
  std::string function(CUnit& u, const CFunction& f) const override;

 private:
  std::string fma_pieces(CUnit& u, DType t, int lanes) const;
  /// The vector type of a place in memory, which may alias and, if not `aligned`, lie anywhere.
  std::string place_type(CUnit& u, DType t, int lanes, bool aligned) const;
};

}  // namespace tg
