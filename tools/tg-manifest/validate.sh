#!/bin/sh
# validate.sh MANIFEST SCHEMA: whether the manifest has the form that the schema describes; 77 where the validator is missing.
set -eu
python=/usr/bin/python3
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
  echo "skipped: python3-jsonschema is not installed"
  exit 77
fi
"$python" - "$1" "$2" <<'END'
import json, sys
import jsonschema

manifest, schema = (json.load(open(path)) for path in sys.argv[1:3])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(manifest, schema, cls=jsonschema.Draft202012Validator)
print(len(manifest["functions"]), "functions fit the schema")
END
