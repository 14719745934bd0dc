"""The programs in docs/python.md run."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT.parent / "shared" / "datasets"


class Docs(unittest.TestCase):
  def test_programs_run(self):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
    self.assertEqual(len(blocks), 3)
    for block in blocks:
      if "mnist()" in block and not DATA.is_dir():
        continue  # would be downloaded
      with self.subTest(block.splitlines()[0]), tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([sys.executable, "-c", block], cwd=folder, capture_output=True, text=True,
                             env={**os.environ, "TG_DATASETS": str(DATA)})
        self.assertEqual(run.returncode, 0, run.stderr)
        for expected in re.findall(r"# (\[.*\])$", block, re.M):
          self.assertIn(expected, run.stdout)


if __name__ == "__main__":
  unittest.main()
