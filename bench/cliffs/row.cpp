// See row.h: reading extents and shapes, making inputs, unfolding the tables to rows.
#include "row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "support/check.h"
#include "support/text.h"

namespace tg::cliffs {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

int64_t size_of(const Extents& extents, char c) {
  const int64_t size = is_digit(c) ? c - '0' : extents[static_cast<size_t>(c)];
  TG_CHECK(size > 0, "no extent is called '{}'", c);
  return size;
}

// "2h+2": a product, and what is added to it.
int64_t size_of_text(const Extents& extents, std::string_view text) {
  int64_t product = 1, sum = 0;
  for (const char c : text) {
    if (c == '+') {
      sum += product;
      product = 1;
    } else {
      product *= size_of(extents, c);
    }
  }
  return sum + product;
}

Extents parse_extents(std::string_view text, int64_t most) {
  Extents extents{};
  for (const std::string_view word : split(text, ' ')) {
    int64_t size = 0;
    for (const char digit : word.substr(1)) size = 10 * size + (digit - '0');
    extents[static_cast<size_t>(word[0])] = std::min(size, most);
  }
  return extents;
}

// In which elements of this dtype are computed one by one.
DType elementwise(DType dtype) {
  if (dtype == f64 || dtype == f32) return dtype;
  return is_float(dtype) ? f32 : i32;
}

double points(const Extents& extents) {
  double product = 1;
  for (const int64_t size : extents) product *= size > 0 ? static_cast<double>(size) : 1;
  return product;
}

Tensor random_input(const Shape& shape, DType dtype) {
  if (is_int(dtype)) return Tensor::randint(shape, {.low = -8, .high = 8}).cast(dtype).realize();
  return Tensor::uniform(shape, {.low = -1.0, .high = 1.0}).cast(dtype).realize();
}

}  // namespace

template <typename F>
Tensor Inputs::next(F make) {
  if (next_ == tensors_.size()) tensors_.push_back(make());
  return tensors_[next_++];
}

Tensor Inputs::operator()(std::string_view shape, DType dtype) {
  return next([&] { return random_input((*this)[shape], dtype); });
}

Tensor Inputs::places(std::string_view shape, int64_t below) {
  return next([&] { return Tensor::randint((*this)[shape], {.low = 0, .high = below}).realize(); });
}

Tensor Inputs::einsum() {
  const std::string_view terms = formula_.substr(0, formula_.find("->"));
  std::vector<Tensor> operands;
  for (const std::string_view term : split(terms, ',')) operands.push_back(wide((*this)(term)));
  return Tensor::einsum(std::string(formula_), operands);
}

Shape Inputs::operator[](std::string_view shape) const {
  Shape sizes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t end = shape[i] == '(' ? shape.find(')', i) : i + 1;
    const size_t begin = shape[i] == '(' ? i + 1 : i;
    sizes.push_back(size_of_text(extents_, shape.substr(begin, end - begin)));
    if (shape[i] == '(') i = end;
  }
  return sizes;
}

int64_t Inputs::bytes() const {
  int64_t sum = 0;
  for (const Tensor& t : tensors_) sum += t.nbytes();
  return sum;
}

void Inputs::rewind(const std::vector<Tensor>& tensors) {
  tensors_ = tensors;
  next_ = 0;
}

std::vector<Row> all_rows(int64_t most) {
  std::vector<Row> rows;
  for (const Group& group : {contractions(), operands(), fused(), convolutions(), stencils(),
                             attention(), reductions(), scans(), gathers(), movement()}) {
    for (const Line& line : group.lines) {
      const Extents extents = parse_extents(line.extents, most);
      for (const DType dtype : line.dtypes) {
        rows.push_back({.name = fmt::format("{}, {}", line.name, dtype_name(dtype)),
                        .group = std::string(group.name),
                        .dtype = dtype,
                        .arithmetic = group.products ? dtype : elementwise(dtype),
                        .extents = extents,
                        .operations = line.work * points(extents),
                        .expression = line.expression,
                        .formula = line.name,
                        .read = line.read});
      }
    }
  }
  return rows;
}

Tensor wide(const Tensor& x) { return x.dtype() == DType::Int8 ? x.cast(DType::Int32) : x; }

}  // namespace tg::cliffs
