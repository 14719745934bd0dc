// Numbers from a CSV file: a line of column names, then lines of numbers whose last column is a
// class. Knows nothing of tensors; the training is in main.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Table {
  std::vector<float> features;   ///< row-major, [rows, columns]
  std::vector<int32_t> classes;  ///< [rows]
  int64_t columns = 0;           ///< without the class
};

/// Reads the file. Throws std::runtime_error with file and line for a file that cannot be read,
/// another number of columns, and a field that is no number or, in the last column, no class.
Table read_table(const std::string& file);
