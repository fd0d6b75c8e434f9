"""Filters of leaves by metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, is_dataclass

import numpy as np

from chunkana_core import InputTypeError
from chunkana_retrieval.index.searching.leaves import LeafTable
from chunkana_retrieval.index.searching.query import Mask
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.tables import Connection

Where = Mapping[str, object] | Callable[[Mapping[str, object]], bool]
_BATCH = 256  # documents that are read together
_MOST = 16  # masks that are kept


@dataclass(frozen=True, slots=True)
class _EqualValues:
    """A filter for metadata that have all of some values, which are written as JSON."""

    wanted: str

    def __call__(self, metadata: Mapping[str, object]) -> bool:
        missing = object()
        given = json.loads(self.wanted).items()
        return all(metadata.get(key, missing) == value for key, value in given)


class LeafFilter:
    """Returns which leaves have metadata that pass a filter.

    The masks of mappings, and of callable dataclasses, which are equal by value, are kept until the
    index changes.
    """

    def __init__(self) -> None:
        self._version = 0
        self._masks: dict[Where, Mask] = {}

    def mask(
        self,
        connection: Connection,
        table: LeafTable,
        where: Where | None,
        documents: Collection[str] | None = None,
    ) -> Mask | None:
        """Return for each leaf whether it passes both filters, None without a filter.

        Args:
            connection: the database.
            table: the leaves.
            where: the filter by metadata, None for none.
            documents: the ids of the documents whose leaves pass, None for all.

        Raises:
            InputTypeError: for a filter that is neither a mapping nor callable.
        """
        passed = None if where is None else self._passed(connection, table, where)
        if documents is None:
            return passed
        wanted = {*documents}
        found = np.asarray([name in wanted for name in table.names], np.bool_)
        inside: Mask = np.repeat(found, np.diff(table.starts))
        return inside if passed is None else inside & passed

    def _passed(self, connection: Connection, table: LeafTable, where: Where) -> Mask:
        """Return for each leaf whether its metadata pass a filter."""
        if self._version != table.version:
            self._masks, self._version = {}, table.version
        if isinstance(where, Mapping):
            where = _EqualValues(json.dumps(dict(where), sort_keys=True))
        elif not callable(where):
            raise InputTypeError("where", where, "a dict of equal values, or a function")
        is_kept = is_dataclass(where)  # another function may use other values each time
        mask = self._masks.get(where) if is_kept else None
        if mask is None:
            mask = _mask(connection, table, where)
        if is_kept:
            others = [*self._masks.items()][-_MOST + 1 :]
            self._masks = dict(others) | {where: mask}
        return mask


def _mask(
    connection: Connection, table: LeafTable, where: Callable[[Mapping[str, object]], bool]
) -> Mask:
    """Return for each leaf whether its metadata pass a filter.

    The metadata are those of the document and of the leaf; the document's take precedence.
    """
    passed: list[bool] = []
    for start in range(0, len(table.names), _BATCH):
        names = table.names[start : start + _BATCH]
        records = tables.read_records(connection, names)
        passed += [
            bool(where({**leaf.metadata, **records[name].metadata}))
            for name in names
            for leaf in records[name].leaves
        ]
    return np.asarray(passed, np.bool_)
