// Records of what arranges elements again: windows, repeats, grids, formulas, resampling.
#include "tensor/records/call.h"

namespace tg {
namespace {

using namespace phrases;

const FnParam kSizeOfEach = {"sizes", "Shape", "",
                             "new sizes; -1 keeps one, a smaller one than there is crops",
                             "elements"};

}  // namespace

FnFamily arrange_records() {
  return {
      "Arrangement and resampling",
      {
          {.name = "pad_to",
           .doc = "A border of one value at the ends of the axes, up to these sizes. Of an axis of "
                  "variable size what does not exist is border too.",
           .params = {kSizeOfEach, operand("value", "0", "a number")},
           .shapes = "the given sizes",
           .errors = "ArgumentError unless there is one size an axis, none below -1, and the value "
                     "is a number",
           .gradient = kFlows,
           .example = "Tensor{1, 2}.pad_to({4}, 9)",
           .result = "[1 2 9 9] int32[4]",
           .call = call<&Tensor::pad_to>()},
          {.name = "shrink_to",
           .doc = "The beginning of each axis.",
           .params = {{"sizes", "Sizes", "", "how many elements; -1 keeps all", "elements"}},
           .shapes = "the given sizes",
           .errors = "IndexError for more elements than there are; ArgumentError unless there is "
                     "one size an axis",
           .gradient = "0 outside the window",
           .example = "Tensor({{1, 2}, {3, 4}}).shrink_to({-1, 1})",
           .result = "[[1]\n [3]] int32[2,1]",
           .call = call<&Tensor::shrink_to>()},
          {.name = "repeat_interleave",
           .doc = "Each element several times, one after the other.",
           .params = {{"repeats", "int64_t", "", "how often"},
                      {"axis", "int64_t", "that of the flattened tensor",
                       "along which; negative: from the end"}},
           .shapes = "the axis, or the number of elements, times the count",
           .errors = "IndexError for an axis outside the shape; ArgumentError for a negative count",
           .gradient = "summed over the copies",
           .example = "Tensor{1, 2}.repeat_interleave(2)",
           .result = "[1 1 2 2] int32[4]",
           .call = call<&Tensor::repeat_interleave>()},
          {.name = "diag",
           .doc = "A vector on the diagonal of a matrix, 0 elsewhere.",
           .shapes = "[n] gives [n, n]",
           .errors = "ShapeError for anything but a vector; ArgumentError if its size is variable",
           .gradient = "that of the diagonal",
           .example = "Tensor{1, 2}.diag()",
           .result = "[[1 0]\n [0 2]] int32[2,2]",
           .call = call<&Tensor::diag>()},
          {.name = "unfold",
           .doc = "Windows of an axis: it counts them, and a new last axis goes through each.",
           .params = {{"axis", "int64_t", "", "which; negative: from the end"},
                      {"size", "int64_t", "", "of a window", "elements"},
                      {"step", "int64_t", "", "from one window to the next", "elements"}},
           .shapes = "[..., n, ...] gives [..., (n - size) / step + 1, ..., size]",
           .errors = "IndexError for an axis outside the shape; ArgumentError for windows larger "
                     "than the axis, a step below 1, or an axis of variable size",
           .gradient = "summed over the windows",
           .example = "Tensor{1, 2, 3, 4}.unfold(0, 2, 1)",
           .result = "[[1 2]\n [2 3]\n [3 4]] int32[3,2]",
           .call = call<&Tensor::unfold>()},
          {.name = "rearrange",
           .doc = "Axes split, reordered and merged, as einops says it.",
           .params = {{"formula", "std::string", "",
                       "names of axes before and after \"->\", parentheses for several in one, 1 for "
                       "an axis of size 1, \"...\" for any number; behind a comma the sizes that do "
                       "not follow from the shape: \"b (h w) c -> b c h w, h=4\""}},
           .shapes = "the axes that stand after \"->\"",
           .errors = "ArgumentError for a formula that does not fit the shape",
           .gradient = kFlows,
           .example = "Tensor({{1, 2, 3, 4}}).rearrange(\"a (b c) -> (c a) b, b=2\")",
           .result = "[[1 3]\n [2 4]] int32[2,2]",
           .call = call<&Tensor::rearrange>()},
          {.name = "meshgrid",
           .doc = "The coordinates of a grid along axes: for each tensor, which lists those of one "
                  "axis, one of the grid's shape. A single tensor stays as it is.",
           .params = {{"tensors", "std::vector<Tensor>", "", "at least one; flattened"},
                      {"indexing", "GridIndexing", "Ij",
                       "the order of the grid's axes: Ij that of the tensors, Xy with the first two "
                       "swapped"}},
           .shapes = "an axis for each tensor, as long as it",
           .errors = "ArgumentError for no tensor",
           .gradient = "summed over the other axes",
           .example = "Tensor::meshgrid({Tensor{1, 2}, Tensor{3, 4, 5}})[0]",
           .result = "[[1 1 1]\n [2 2 2]] int32[2,3]",
           .call = call<&Tensor::meshgrid>()},
          {.name = "interpolate",
           .doc = "The last axes in other sizes. Integers are rounded towards 0 at the end, uint8 "
                  "to the nearest after each axis.",
           .params = {{"size", "Shape", "", "of the last axes", "elements"},
                      {"mode", "InterpolateMode", "Linear",
                       "Linear weighs the two neighbours on each axis, Nearest takes the element "
                       "before the place, NearestExact the one that the place lies in"},
                      {"align_corners", "bool", "false",
                       "Linear: first and last elements stay at the ends, instead of all elements "
                       "having one width"}},
           .shapes = "the last axes as given",
           .errors = "ArgumentError for no size or more than axes, negative ones, align_corners "
                     "with another mode, or an axis of variable size; ShapeError for an axis "
                     "without elements",
           .gradient = "by the same weights",
           .example = "Tensor{1., 3.}.interpolate({4})",
           .result = "[1.0000 1.5000 2.5000 3.0000] float32[4]",
           .call = call<&Tensor::interpolate>()},
          {.name = "grid_sample",
           .doc = "What lies at the places of a grid, each spatial axis of this going from -1 to 1; "
                  "the grid lists them from the last one on. Places that are NaN read 0.",
           .params = {{"grid", "Tensor", "", "[batch, out..., axes], a float"},
                      field<&GridSampleOptions::mode>(
                          "mode", "Linear",
                          "Linear weighs the neighbours along each axis, Nearest takes the nearest "
                          "element (halves: the one with the even number)"),
                      field<&GridSampleOptions::padding>(
                          "padding", "Zeros",
                          "what lies outside: Zeros, Border (the edge), Reflection (the elements "
                          "mirrored at the edge)"),
                      field<&GridSampleOptions::align_corners>(
                          "align_corners", "false",
                          "-1 and 1 are the middles of the end elements, not their edges")},
           .shapes = "[batch, channels, spatial...] gives [batch, channels, out...]",
           .dtype = "that of this tensor (float32 for integers and bool) and the grid, promoted",
           .errors = "ShapeError if the shapes do not fit or a spatial axis has no elements; "
                     "DTypeError unless the grid is a float; ArgumentError for an axis of variable "
                     "size",
           .gradient = "by the same weights, and to the grid the slopes between the neighbours; 0 "
                       "to it for Nearest",
           .example = "Tensor{1., 3.}.reshape({1, 1, 2}).grid_sample(Tensor{-0.5, 0., "
                      "1.}.reshape({1, 3, 1}))",
           .result = "[[[1.0000 2.0000 1.5000]]] float32[1,1,3]",
           .call = call<&Tensor::grid_sample>()},
          {.name = "affine_grid",
           .doc = "The grid that affine maps make of the places of spatial sizes, each axis going "
                  "from -1 to 1: what grid_sample takes.",
           .params = {{"size", "Shape", "", "of the spatial axes", "elements"},
                      {"align_corners", "bool", "false", "as of grid_sample"}},
           .shapes = "[batch, axes, axes + 1] gives [batch, size..., axes]",
           .dtype = kFloatDtype,
           .errors = "ShapeError if maps and sizes do not fit, or for sizes below 1; ArgumentError "
                     "for an axis of variable size",
           .gradient = kSmooth,
           .example = "Tensor({{2., 1.}}).reshape({1, 1, 2}).affine_grid({2})",
           .result = "[[[0.]\n  [2.]]] float32[1,2,1]",
           .call = call<&Tensor::affine_grid>()},
      }};
}

FnFamily algebra_records() {
  return {
      "Decompositions and hashes",
      {
          {.name = "qr",
           .doc = "The pair Q, R of a matrix on the last two axes, Q orthogonal, R upper "
                  "triangular, whose product it is.",
           .shapes = "[..., m, n] gives [..., m, m] and [..., m, n]",
           .dtype = kFloatDtype,
           .errors = "ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size",
           .gradient = kSmooth,
           .example = "Tensor({{3., 0.}, {4., 5.}}).qr().second.shape()",
           .result = "[2,2]",
           .call = call<&Tensor::qr>()},
          {.name = "svd",
           .doc = "U, S and V^T of a matrix on the last two axes: U diag(S) V^T is the matrix, the "
                  "columns of U and V are orthonormal, S falls and is not negative.",
           .params = {{"full_matrices", "bool", "true",
                       "U and V^T square, else with as many columns and rows as there are values"}},
           .shapes = "[..., m, n] gives [..., m, m], [..., min(m, n)] and [..., n, n]",
           .dtype = kFloatDtype,
           .errors = "ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size",
           .gradient = kSmooth,
           .example = "Tensor({{0., 2.}, {3., 0.}}).svd()[1]",
           .result = "[3. 2.] float32[2]",
           .call = call<&Tensor::svd>()},
          {.name = "cholesky",
           .doc = "L, lower triangular with a positive diagonal, whose product with L^T is this "
                  "symmetric, positive definite matrix; NaN where it is not positive definite.",
           .params = {{"upper", "bool", "false",
                       "U, upper triangular, with U^T U = this; the upper triangle is read, not the "
                       "lower"}},
           .shapes = "[..., n, n], as this tensor",
           .dtype = kFloatDtype,
           .errors = "ShapeError for anything but square matrices; ArgumentError for an axis of "
                     "variable size",
           .gradient = "the derivative, to the triangle that is read",
           .example = "Tensor({{4., 2.}, {2., 10.}}).cholesky()",
           .result = "[[2. 0.]\n [1. 3.]] float32[2,2]",
           .call = call<&Tensor::cholesky>()},
          {.name = "solve_triangular",
           .doc = "X with this matrix times X = b, of which one triangle is read; infinities or NaN "
                  "where it is singular.",
           .params = {{"b", "Tensor", "", "[..., n, k]; without left [..., k, n]"},
                      field<&SolveTriangularOptions::upper>(
                          "upper", "false", "the upper triangle is read, not the lower"),
                      field<&SolveTriangularOptions::left>(
                          "left", "true", "this times X is b, not X times this"),
                      field<&SolveTriangularOptions::unitriangular>(
                          "unitriangular", "false",
                          "the diagonal counts as ones and is not read")},
           .shapes = "[..., n, n] and b give the shape of b; leading axes broadcast",
           .dtype = "that of both operands, promoted; integers and bool are float32",
           .errors = "ShapeError for anything but square matrices and sides that fit; ArgumentError "
                     "for an axis of variable size",
           .gradient = "the derivative, to the triangle that is read",
           .example = "Tensor({{2., 0.}, {1., 4.}}).solve_triangular(Tensor({{2.}, {9.}}))",
           .result = "[[1.]\n [2.]] float32[2,1]",
           .call = call<&Tensor::solve_triangular>()},
          {.name = "keccak",
           .doc = "SHA-3 of the bytes of each row of the last axis.",
           .params = {field<&KeccakOptions::variant>(
                          "variant", "Sha3_256",
                          "Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256"),
                      field<&KeccakOptions::capacity>(
                          "capacity", "that of the variant",
                          "of the state, which no input reaches; a multiple of 64 below 1600",
                          "bits"),
                      field<&KeccakOptions::size>("size", "that of the variant", "of the result",
                                                  "bytes")},
           .shapes = "[..., n] gives [..., size]",
           .dtype = "uint8",
           .errors = "ShapeError for a scalar; ArgumentError for a capacity or size out of bounds, "
                     "or an axis of variable size",
           .example = "Tensor{1, 2}.keccak().shape()",
           .result = "[32]",
           .call = call<&Tensor::keccak>()},
          {.name = "hash",
           .doc = "Bytes that tell tensors of different contents apart: a tree of Shake128 over "
                  "chunks of 4 KiB. Those of larger tensors are computed now.",
           .shapes = "[16]",
           .dtype = "uint8",
           .errors = "ArgumentError for an axis of variable size",
           .example = "Tensor{1, 2}.hash().shape()",
           .result = "[16]",
           .call = call<&Tensor::hash>()},
      }};
}

}  // namespace tg
