module tinygrad.cpp/go

go 1.19
