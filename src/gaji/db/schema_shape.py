"""The shape of the database: the definition of each object of the schema, compared with that of a new installation.

`schema_shape.txt` has a line with a hash for each object. Owners, storage, comments and objects outside of the schema
are not compared, nor are the tables of the job queue, which belong to its library.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

import asyncpg

from gaji.db.database import APPLICATION, SCHEMA

SHAPE_FILE = "schema_shape.txt"
SchemaObjects = dict[str, dict[str, object]]
"""The properties of each object, by its kind and name."""
_RELATION_KIND = """CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char\""""
"""SQL for the kind of a relation as PostgreSQL names it for default privileges."""
_HASH_LENGTH = 16
_QUEUE = "pgqueuer"


def granted_privileges(privileges: str, kind: str, owner: str) -> str:
    """Return SQL for the privileges of the application and of everyone. They are sorted: grants have no order.

    Without grants there are the default privileges of the kind. MAINTAIN is left out: PostgreSQL 15 does not have it.
    """
    return f"""ARRAY(
        SELECT format('%s may %s%s', CASE grantee WHEN 0 THEN 'public' ELSE grantee::regrole::text END,
                      privilege_type, CASE WHEN is_grantable THEN ' with grant option' ELSE '' END)
        FROM aclexplode(coalesce({privileges}, acldefault({kind}, {owner})))
        WHERE privilege_type <> 'MAINTAIN' AND (grantee = 0 OR grantee::regrole::text = '{APPLICATION}')
        ORDER BY 1)"""


# PostgreSQL 18 has constraints of the type n for columns that are NOT NULL. They are compared as columns.
SHAPE_QUERIES = {
    "relation": f"""
        SELECT relname AS name, relkind::text, relpersistence::text, relrowsecurity, relforcerowsecurity,
               CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) END AS view,
               {granted_privileges("relacl", _RELATION_KIND, "relowner")} AS privileges
        FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind NOT IN ('i', 'I')""",
    "column": f"""
        SELECT a.attrelid::regclass || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
               a.attnotnull, a.attidentity::text, a.attgenerated::text,
               a.attcollation::regcollation::text AS collation, pg_get_expr(d.adbin, d.adrelid) AS default_value,
               {granted_privileges("a.attacl", "'c'", "c.relowner")} AS privileges
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE c.relnamespace = $1::regnamespace AND c.relkind NOT IN ('i', 'I', 'S')
          AND a.attnum > 0 AND NOT a.attisdropped""",
    "sequence": """
        SELECT s.seqrelid::regclass::text AS name, s.seqtypid::regtype::text AS type, s.seqincrement,
               s.seqmax, s.seqmin, s.seqcycle, d.refobjid::regclass || '.' || a.attname AS owned_by
        FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
        LEFT JOIN pg_depend d ON d.objid = s.seqrelid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
        LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE c.relnamespace = $1::regnamespace""",
    "index": """
        SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition, i.indisvalid
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = $1::regnamespace""",
    "constraint": """
        SELECT CASE conrelid WHEN 0 THEN contypid::regtype::text ELSE conrelid::regclass::text END || '.' || conname
               AS name, contype::text, convalidated, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype <> 'n'""",
    "trigger": """
        SELECT t.tgrelid::regclass || '.' || t.tgname AS name, t.tgenabled::text, pg_get_triggerdef(t.oid) AS definition
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal""",
    "rule": """
        SELECT r.ev_class::regclass || '.' || r.rulename AS name, r.ev_enabled::text,
               pg_get_ruledef(r.oid) AS definition
        FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace = $1::regnamespace""",
    "policy": """
        SELECT p.polrelid::regclass || '.' || p.polname AS name, p.polcmd::text, p.polpermissive,
               ARRAY(SELECT role::regrole::text FROM unnest(p.polroles) role ORDER BY 1) AS roles,
               pg_get_expr(p.polqual, p.polrelid) AS using_expression,
               pg_get_expr(p.polwithcheck, p.polrelid) AS check_expression
        FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = $1::regnamespace""",
    "function": f"""
        SELECT p.oid::regprocedure::text AS name, p.prokind::text, l.lanname AS language, p.prosecdef,
               p.provolatile::text, p.proisstrict, p.proleakproof, p.proparallel::text, p.proconfig,
               pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
               p.prosrc, pg_get_function_sqlbody(p.oid) AS body,
               {granted_privileges("p.proacl", "'f'", "p.proowner")} AS privileges
        FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = $1::regnamespace""",
    "type": """
        SELECT t.typname AS name, t.typtype::text, t.typnotnull, t.typdefault,
               format_type(t.typbasetype, t.typtypmod) AS base_type,
               ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder) AS labels
        FROM pg_type t WHERE t.typnamespace = $1::regnamespace AND t.typtype IN ('d', 'e')""",
}
"""By kind of object. The first column identifies the object within its kind. The rest is equal in all PostgreSQL
versions from 15 on, and does not change by use."""


@dataclass(frozen=True)
class ShapeDifference:
    """An object that is missing, additional or defined differently."""

    name: str
    """With its kind, for example `index clients_name`."""
    state: str

    @property
    def is_additional_index(self) -> bool:
        """Whether it is only an index that this version does not have, as operators create them."""
        return self.state == "additional" and self.name.startswith("index ")

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"


async def load_objects(connection: asyncpg.Connection, queries: Mapping[str, str] = SHAPE_QUERIES) -> SchemaObjects:
    """Return the objects of the schema with their properties. It must be first in the search path."""
    objects: SchemaObjects = {}
    for kind, query in queries.items():
        for row in await connection.fetch(query, SCHEMA):
            name, *_ = row.values()
            objects[f"{kind} {name}"] = dict(list(row.items())[1:])
    return objects


async def load_shape(connection: asyncpg.Connection) -> dict[str, str]:
    """Return the hash of the definition of each object of the schema."""
    objects = await load_objects(connection)
    return {key: _hash(properties) for key, properties in objects.items() if _QUEUE not in key}


def expected_shape() -> dict[str, str]:
    """Return the shape of a new installation of this version."""
    lines = resources.files("gaji.db").joinpath(SHAPE_FILE).read_text().splitlines()
    return {name: digest for digest, _, name in (line.partition(" ") for line in lines)}


def format_shape(shape: Mapping[str, str]) -> str:
    """Return the text of the file for a shape."""
    return "".join(f"{digest} {name}\n" for name, digest in sorted(shape.items()))


def shape_differences(shape: Mapping[str, str], expected: Mapping[str, str]) -> list[ShapeDifference]:
    """Return the objects of which a shape differs from the expected one, by name."""
    return [
        ShapeDifference(
            name, "missing" if name not in shape else "additional" if name not in expected else "different definition"
        )
        for name in sorted(shape.keys() | expected.keys())
        if shape.get(name) != expected.get(name)
    ]


def _hash(properties: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(properties, sort_keys=True).encode()).hexdigest()[:_HASH_LENGTH]
