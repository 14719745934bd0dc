// Records of what orders elements: sort and its relatives.
#include "tensor/records/call.h"

namespace tg {
namespace {

using namespace phrases;

const FnParam kAlong = {"axis", "int64_t", "-1", "axis to go along"};
const FnParam kDescending = {"descending", "bool", "false", "from the largest on"};

}  // namespace

FnFamily order_records() {
  return {
      "Order",
      {
          {.name = "sort",
           .doc = "The pair of the elements in order along an axis and their places, int32. NaN is "
                  "the largest number; equal elements keep their order, as -0 and 0.",
           .params = {kAlong, kDescending},
           .errors = kAxisError,
           .gradient = kFlows,
           .example = "Tensor{3, 1, 2}.sort().first",
           .result = "[1 2 3] int32[3]",
           .call = call<&Tensor::sort>()},
          {.name = "argsort",
           .doc = "The places of the elements in order along an axis, those of sort.",
           .params = {kAlong, kDescending},
           .dtype = "int32",
           .errors = kAxisError,
           .example = "Tensor{3, 1, 2}.argsort()",
           .result = "[1 2 0] int32[3]",
           .call = call<&Tensor::argsort>()},
          {.name = "topk",
           .doc =
               "The pair of the first k elements in order along an axis, from the largest or the "
               "smallest on, and their places, int32; those of sort.",
           .params = {{"k", "int64_t", "", "how many", "elements"},
                      kAlong,
                      {"largest", "bool", "true", "from the largest on, else from the smallest"}},
           .shapes = "k along the axis",
           .errors =
               "IndexError for an axis outside the shape; ArgumentError unless k lies between "
               "0 and the axis, or for an axis of variable size",
           .gradient = kFlows,
           .example = "Tensor{3, 1, 2}.topk(2).first",
           .result = "[3 2] int32[2]",
           .call = call<&Tensor::topk>()},
          {.name = "unique",
           .doc = "The elements that differ, in order; of equal ones the first. Each NaN differs.",
           .params = {field<&MaskedSelectOptions::size>(
                          "size", "as many as differ",
                          "length of the result; left out, the tensor is sorted now", "elements"),
                      field<&MaskedSelectOptions::fill_value>("fill_value", "0",
                                                              "of places left over")},
           .shapes = "[size]",
           .errors = "ArgumentError for a negative size",
           .example = "Tensor{3, 1, 3}.unique()",
           .result = "[1 3] int32[2]",
           .call = call<&Tensor::unique>()},
      }};
}

}  // namespace tg
