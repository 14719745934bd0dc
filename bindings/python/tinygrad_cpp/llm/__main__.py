"""python -m tinygrad_cpp.llm: the command line of cli.py."""
from tinygrad_cpp.llm.cli import main

if __name__ == "__main__":
  main()
