"""The programs in docs/python.md, docs/from-pytorch.md and docs/multi-device.md run."""
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
    pages = [(ROOT / "docs" / name).read_text() for name in ("python.md", "from-pytorch.md", "multi-device.md")]
    blocks = [block for page in pages for block in re.findall(r"```python\n(.*?)```", page, re.S)]
    self.assertEqual(len(blocks), 6)
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
