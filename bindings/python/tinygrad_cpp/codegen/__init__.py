"""What a program may say about its kernels: codegen.opt."""


def to_program(ast, renderer):
  """Not there: a kernel is compiled when it first runs, for the device that it runs on."""
  raise NotImplementedError("to_program: a kernel is compiled when it first runs; DEBUG=4 shows its source")
