// Records of the leaves: constants, variables, index patterns, storage, arguments, loop ranges.
#include "support/check.h"
#include "tg/ir/uop.h"
#include "uop/ops/records.h"
#include "uop/shape.h"
#include "uop/type_rules.h"

namespace tg::ops {
namespace {

void extents_from(std::span<const int64_t> dims, DerivedType& out) {
  out.shape->assign(dims.begin(), dims.end());
  numel(*out.shape);
}

void iota_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.dtype;
  extents_from(in.arg.subspan(1), out);
  TG_CHECK(in.arg[0] >= 0 && in.arg[0] < static_cast<int64_t>(out.shape->size()), "iota axis {} of {}",
           in.arg[0], format_shape(*out.shape));
}

void storage_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.dtype;
  out.space = Space::Global;
  extents_from(in.arg.subspan(1), out);
}

void range_type(const NodeSpec& in, DerivedType& out) { out.dtype = in.src[0]->dtype; }

Interval var_interval(std::span<const Interval>, std::span<const int64_t> arg) { return {arg[1], arg[2]}; }

void bind_type(const NodeSpec& in, DerivedType& out) {
  const Node* v = in.src[0];
  TG_CHECK(v->op == Op::Var && in.arg[0] >= v->arg()[1] && in.arg[0] <= v->arg()[2], "bind {} to {}", op_name(v->op),
           in.arg[0]);
  out.dtype = v->dtype;
}

Interval bind_interval(std::span<const Interval> src, std::span<const int64_t>) { return src[0]; }

Interval range_interval(std::span<const Interval> src, std::span<const int64_t>) {
  return {0, src[0].hi == Interval::kMax ? Interval::kMax : src[0].hi - 1};
}

}  // namespace

constinit const OpRecord kConst = {
    .op = Op::Const, .name = "const", .arity = 0, .arg = ArgKind::Scalar, .groups = kLeaf | kStatesType,
    .doc = "A literal. Shape []; the dtype is stated.",
    .type = type_rule::scalar_leaf, .grad = kZeroGrad};

constinit const OpRecord kVar = {
    .op = Op::Var, .name = "var", .arity = 0, .arg = ArgKind::Symbol, .groups = kLeaf | kStatesType,
    .doc = "A named integer that is bound when a kernel is launched; argument: name, lowest, highest value.",
    .type = type_rule::scalar_leaf, .interval = var_interval, .grad = kZeroGrad};

constinit const OpRecord kBind = {
    .op = Op::Bind, .name = "bind", .arity = 1, .arg = ArgKind::Ints, .groups = kLeaf,
    .doc = "A variable with its value. Plans are made for the variable: the value is no part of them. Argument: the value.",
    .type = bind_type, .interval = bind_interval, .grad = kZeroGrad};

constinit const OpRecord kIota = {
    .op = Op::Iota, .name = "iota", .arity = 0, .arg = ArgKind::Ints, .groups = kLeaf | kStatesType,
    .doc = "out[i0,...] = the index along one axis. Argument: axis, then the extents.",
    .type = iota_type, .grad = kZeroGrad};

constinit const OpRecord kBuffer = {
    .op = Op::Buffer, .name = "buffer", .arity = 0, .arg = ArgKind::Storage, .groups = kLeaf | kStatesType,
    .doc = "Storage on a device, row-major. Argument: unique id, then the extents.",
    .type = storage_type, .grad = kZeroGrad};

constinit const OpRecord kParam = {
    .op = Op::Param, .name = "param", .arity = 0, .arg = ArgKind::Ints, .groups = kLeaf | kStatesType,
    .doc = "A kernel's argument: pointer to storage. Argument: slot, then the extents.",
    .type = storage_type, .grad = kZeroGrad};

constinit const OpRecord kRange = {
    .op = Op::Range, .name = "range", .arity = 1, .arg = ArgKind::Ints, .groups = kLeaf,
    .doc = "A loop index: 0 ... extent-1. Source: the extent. Argument: id, unique in the kernel.",
    .type = range_type, .interval = range_interval, .grad = kZeroGrad};

}  // namespace tg::ops
