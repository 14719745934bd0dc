// What stands between the brackets of x[...] as items of the C interface: integers, slices, None,
// Ellipsis, expressions of variables, integer tensors. Lists and arrays become tensors in Python.
#include "core.h"

namespace tg_python {
namespace {

bool end_value(PyObject* object, tg_value* value, Arena& arena) {
  *value = tg_value{};
  return to_value(object, Kind::Int, value, arena);
}

bool slice_item(PyObject* object, tg_index_item* item, Arena& arena) {
  const auto* slice = reinterpret_cast<const PySliceObject*>(object);
  item->kind = TG_INDEX_SLICE;
  return end_value(slice->start, &item->start, arena) &&
         end_value(slice->stop, &item->stop, arena) && end_value(slice->step, &item->step, arena);
}

bool other_item(PyObject* object, tg_index_item* item, Arena& arena) {
  PyObject* made = object;
  if (!is_tensor(object)) {
    made = arena.keep(PyObject_CallFunctionObjArgs(
        registry.to_index, object, arena.subject == nullptr ? Py_None : arena.subject, nullptr));
    if (made == nullptr) return false;
    if (!is_tensor(made)) {
      item->kind = TG_INDEX_AT;
      return to_value(made, Kind::Int, &item->at, arena);
    }
  }
  item->kind = TG_INDEX_GATHER;
  item->at = tensor_value(handle_of(made));
  return true;
}

bool one_item(PyObject* object, tg_index_item* item, Arena& arena) {
  *item = tg_index_item{};
  if (PySlice_Check(object)) return slice_item(object, item, arena);
  if (object == Py_None || object == Py_Ellipsis) {
    item->kind = object == Py_None ? TG_INDEX_NEW_AXIS : TG_INDEX_ELLIPSIS;
    return true;
  }
  if (PyBool_Check(object)) {
    PyErr_SetString(PyExc_IndexError, "a bool is no index: use masked_select or where");
    return false;
  }
  if (PyLong_Check(object) || is_size(object)) {
    item->kind = TG_INDEX_AT;
    if (to_value(object, Kind::Int, &item->at, arena)) return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0)
      PyErr_Format(PyExc_IndexError, "%R is outside of every axis", object);
    return false;
  }
  return other_item(object, item, arena);
}

// A list of other things than integers stands for its items, one of integers for what they name.
bool is_list_of_items(PyObject* object) {
  if (!PyList_Check(object)) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
    PyObject* item = PyList_GET_ITEM(object, i);
    if (PyIndex_Check(item) == 0) return true;
  }
  return false;
}

}  // namespace

bool to_index(PyObject* object, tg_value* value, Arena& arena) {
  PyObject** objects = &object;
  size_t count = 1;
  if (is_list_of_items(object)) object = arena.keep(PyList_AsTuple(object));
  if (object == nullptr) return false;
  if (PyTuple_Check(object)) {
    count = static_cast<size_t>(PyTuple_GET_SIZE(object));
    objects = count == 0 ? nullptr : &PyTuple_GET_ITEM(object, 0);
  }
  auto* items = arena.array<tg_index_item>(count);
  for (size_t i = 0; i < count; ++i) {
    if (!one_item(objects[i], &items[i], arena)) return false;
  }
  value->kind = TG_INDEX;
  value->count = count;
  value->as.items = items;
  return true;
}

}  // namespace tg_python
