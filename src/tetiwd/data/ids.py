"""Ids: which object is which, given as lists or as the labels of a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Place, located
from tetiwd.data.labels import as_list, check_values, kind_of
from tetiwd.errors import DataError, Where


def check_ids(
    ids: Sequence[list[Any]], shown: Sequence[str], positions: Sequence[Sequence[int]]
) -> tuple[NDArray[Any], ...]:
    """Ids of every epoch as arrays: none missing, none twice, one kind over all epochs.

    ``positions`` are where the user put them: within the epoch, or in one list of all rows.
    """
    places = [Where(matrix=f"epoch {t}{label}", epoch=t) for t, label in enumerate(shown)]
    for labels, place, at in zip(ids, places, positions, strict=True):
        with located(epoch=place.epoch):
            check_values(labels, f"the id of {place.matrix} at position", f"the ids of {place.matrix}", at)
        _check_distinct(labels, place, at)
    kinds = [(kind_of(labels[0]), place.matrix) for labels, place in zip(ids, places, strict=True) if labels]
    for kind, name in kinds:
        first_kind, first_name = kinds[0]
        if kind != first_kind:
            raise DataError(
                f"ids are {first_kind} at {first_name} and {kind} at {name}", "convert them all, for example with str"
            )
    return tuple(_as_array(labels) for labels in ids)


def table_labels(matrix: Any, place: Place) -> list[Any] | None:
    """Row labels of a DataFrame, None for an array; columns must be the same objects in the same order."""
    index, columns = getattr(matrix, "index", None), getattr(matrix, "columns", None)
    if index is None or columns is None:
        return None
    rows = as_list(index, "index", "labels")
    check_same_labels(rows, as_list(columns, "columns", "labels"), place)
    return rows


def check_same_labels(rows: list[Any], others: list[Any], place: Place) -> None:
    """Rows and columns are the same objects in the same order."""
    if len(rows) == len(others) and rows != others:
        i = next(i for i, (row, column) in enumerate(zip(rows, others, strict=True)) if row != column)
        at = f"row {i} is {rows[i]!r} and column {i} is {others[i]!r}"
        if set(rows) == set(others):
            place.fail(f"has rows and columns in a different order: {at}", "sort the columns like the rows")
        place.fail(
            f"has different labels on rows and columns: {at}",
            "label both with the objects, or leave out both",
        )


def check_labels_agree(matrix: Any, ids: list[Any], place: Place) -> None:
    """Ids that were given are the labels of the table, if it has any."""
    labels = table_labels(matrix, place)
    if labels is None or is_plain_range(labels) or len(labels) != len(ids):
        return
    for i, (label, given) in enumerate(zip(labels, ids, strict=True)):
        if label != given:
            place.fail(
                f"has the label {label!r} at row {i}, where ids has {given!r}",
                "give ids in the order of the rows, or leave them out to use the labels",
            )


def ids_of_tables(matrices: Sequence[Any], places: Sequence[Place]) -> list[list[Any]] | None:
    """Labels of the tables of all epochs, if anybody labelled them.

    A table that nobody labelled counts 0 … n−1; where the tables of other epochs have labels, these are ids too.
    """
    tables = [table_labels(matrix, place) for matrix, place in zip(matrices, places, strict=True)]
    labelled = [table is not None and not is_plain_range(table) for table in tables]
    if not any(labelled):
        return None
    if None in tables:
        raise DataError(
            f"{places[labelled.index(True)].name} has labelled rows but {places[tables.index(None)].name} has none",
            "label the rows of every epoch, or pass ids",
        )
    return [table for table in tables if table is not None]


def is_plain_range(labels: list[Any]) -> bool:
    """0, 1, …, n−1: what a table has when nobody labelled it."""
    return labels == list(range(len(labels)))


def _check_distinct(ids: list[Any], place: Where, positions: Sequence[int]) -> None:
    seen: dict[Any, int] = {}
    for label, position in zip(ids, positions, strict=True):
        if label in seen:
            raise DataError(
                f"has the id {label!r} twice, at positions {seen[label]} and {position}",
                "an object appears once per epoch, so merge or rename its copies",
                where=place,
            )
        seen[label] = position


def _as_array(values: list[Any]) -> NDArray[Any]:
    """Integers as int64, anything else as the objects they are: conversion could make two ids one."""
    if all(type(value) is int and abs(value) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    return np.fromiter(values, dtype=object, count=len(values))
