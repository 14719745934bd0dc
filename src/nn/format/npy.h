// Files of NumPy: .npy, one array behind a header that Python can read, and its parts that other
// formats use. An .npz is a zip archive of them (zip.h). Arrays of objects are refused: they are
// pickles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/file.h"
#include "tg/dtype.h"

namespace tg::nn {

/// An element type, and whether its bytes stand the other way round.
struct NpyType {
  DType dtype = DType::Float32;
  bool swapped = false;
};
/// The type that NumPy calls "<f4"; empty if there is none here.
std::optional<NpyType> npy_type(std::string_view name);
/// The name of a dtype, empty if NumPy has none.
std::string_view npy_type_name(DType t);

/// What a header says of the array behind it.
struct NpyArray {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  bool swapped = false;  ///< bytes of elements stand the other way round
  bool fortran = false;  ///< the first axis runs fastest
  uint64_t begin = 0;    ///< where the elements begin
  uint64_t bytes = 0;    ///< as many as they take
};

/// Reads the header of a file. Throws FileError naming file and the broken rule, also if the
/// elements are not all there, or more follows.
NpyArray read_npy(const ByteSource& source);
/// Its elements' bytes, those of each in this machine's order, row-major or, of a Fortran array, of
/// the array with its axes reversed.
std::string read_npy_data(const ByteSource& source, const NpyArray& array);

/// The bytes of a file of row-major elements. Throws DTypeError for a dtype that NumPy lacks.
std::string npy_bytes(std::string_view elements, DType dtype, const std::vector<int64_t>& shape);

/// Turns the bytes of each element round.
void swap_bytes(std::string& bytes, size_t element);
/// One element as a whole number, or as a float where the dtype is one.
std::pair<int64_t, double> number_of(std::string_view element, DType dtype);

}  // namespace tg::nn
