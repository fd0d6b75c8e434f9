"""The table of fields: a fact of a chunk that is added as one row is in every output."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec

from chunkana_core.fields import FieldReader, Output
from tests.corpora import REPOSITORY

# Adds a row before any other module reads the table, and prints where its name is found.
ADDED = """
import importlib.util, json, sys
import msgspec

spec = importlib.util.spec_from_file_location("chunkana_core.fields", sys.argv[1])
fields = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fields)
outputs = " ".join(fields.Output.__args__)
fields.FIELDS += (fields.Field("new", "string", outputs, "A new fact.", source="strategy"),)

from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument
from chunkana_batch import SCHEMA, spark_schema
from chunkana_batch.rows import DocumentFields
from chunkana_core import chunk_hierarchical
from chunkana_langchain import ChunkanaSplitter
from chunkana_llamaindex import ChunkanaNodeParser

text = "# A\\n\\n" + "Words. " * 300
result = chunk_hierarchical(text)
whole, schema = result.to_dict(), result.json_schema()["$defs"]
documents = ChunkanaSplitter().split_hierarchical([Document(text)])
print(json.dumps({
    "metadata": [chunk.metadata for chunk in result.chunks],
    "json": whole["chunks"],
    "json_metadata": [chunk["metadata"] for chunk in whole["chunks"]],
    "json_node": [*whole["hierarchy"]["nodes"].values()],
    "json_schemas": [schema[name]["properties"] for name in ("chunk", "metadata", "node")],
    "table": [*DocumentFields("1").rows(result)],
    "columns": [SCHEMA.names, spark_schema().replace("`", "").split()],
    "nodes": [node.metadata for node in ChunkanaNodeParser()([LlamaDocument(text=text)])],
    "documents": [one.metadata for one in documents.leaves],
    "parents": [one.metadata for _, one in documents.parents],
}))
"""


def test_a_new_row_is_in_every_output() -> None:
    fields = find_spec("chunkana_core.fields")
    assert fields
    arguments = [sys.executable, "-c", ADDED, str(fields.origin)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert len(found) == 10
    for output, all_keys in found.items():
        assert all_keys, output
        assert all("new" in keys for keys in all_keys), output


def test_the_fields_of_the_adapters_are_on_their_page() -> None:
    page = (REPOSITORY / "docs" / "splitters.md").read_text("utf-8")
    table = page.partition("| key | of the core |")[2].partition("\n\n")[0]
    short, full = (
        {key for cell in re.findall(r"^\| (`[^|]+) \|", part, re.MULTILINE)
         for key in re.findall(r"`([a-z_]+)`", cell) if not key.startswith("chunkana_")}
        for part in table.split('| with `metadata="full"`: |')
    )  # fmt: skip
    outputs: tuple[Output, ...] = ("node", "node_full", "document", "document_full", "notebook")
    documented = (short | full) - {"start_index"}  # an option of LangChain's
    assert documented == {name for output in outputs for name in FieldReader.of(output).names}
    always = {*FieldReader.of("node").names, *FieldReader.of("document").names}
    assert {key for key in short if not key.startswith("cell")} - {"start_index"} == always
