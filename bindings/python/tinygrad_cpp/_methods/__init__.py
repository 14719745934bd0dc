"""The methods of Tensor that are written in Python, a class a family; tensor.py puts them together
with the functions of the library."""
