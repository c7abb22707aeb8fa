"""The definition of a database's schema, from PostgreSQL's catalog, in a form that two databases can be compared by.

It has the shape that `gaji doctor` compares, and further properties, which can differ between PostgreSQL versions.
"""

import asyncpg

from gaji.db.database import SCHEMA
from gaji.db.schema_shape import SHAPE_QUERIES, SchemaObjects, granted_privileges, load_objects

FURTHER_QUERIES = {
    "schema": f"""
        SELECT nspname AS name, pg_get_userbyid(nspowner) AS owner,
               {granted_privileges("nspacl", "'n'", "nspowner")} AS privileges
        FROM pg_namespace WHERE oid = $1::regnamespace""",
    "storage of relation": """
        SELECT relname AS name, relkind, reloptions, relreplident, pg_get_userbyid(relowner) AS owner,
               relpartbound IS NOT NULL AS is_partition
        FROM pg_class WHERE relnamespace = $1::regnamespace""",
    "storage of column": """
        SELECT a.attrelid::regclass || '.' || a.attname AS name,
               row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS position,
               a.attstorage, a.attcompression, a.attoptions
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = $1::regnamespace AND a.attnum > 0 AND NOT a.attisdropped""",
    "numbers of sequence": """
        SELECT s.seqrelid::regclass::text AS name, s.seqstart, s.seqcache
        FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid WHERE c.relnamespace = $1::regnamespace""",
    "use of index": """
        SELECT i.indexrelid::regclass::text AS name, i.indisclustered, i.indisreplident
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = $1::regnamespace""",
    "constraint of column": """
        SELECT conrelid::regclass || '.' || conname AS name, convalidated, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype = 'n'""",
    "definition of function": """
        SELECT oid::regprocedure::text AS name, pg_get_userbyid(proowner) AS owner,
               CASE WHEN prokind <> 'a' THEN pg_get_functiondef(oid) END AS definition
        FROM pg_proc WHERE pronamespace = $1::regnamespace""",
    "owner of type": f"""
        SELECT t.typname AS name, t.typtype, pg_get_userbyid(t.typowner) AS owner,
               {granted_privileges("t.typacl", "'T'", "t.typowner")} AS privileges
        FROM pg_type t WHERE t.typnamespace = $1::regnamespace""",
    "statistics": """
        SELECT stxname AS name, pg_get_statisticsobjdef(oid) AS definition
        FROM pg_statistic_ext WHERE stxnamespace = $1::regnamespace""",
    "inheritance": """
        SELECT i.inhrelid::regclass || ' of ' || i.inhparent::regclass AS name,
               pg_get_expr(c.relpartbound, c.oid) AS bound
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relnamespace = $1::regnamespace""",
    "comment": """
        SELECT o.type || ' ' || o.identity AS name, d.description
        FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) o
        WHERE o.schema = $1 OR (o.schema IS NULL AND o.type = 'schema' AND o.name = $1)""",
    "default privileges": f"""
        SELECT pg_get_userbyid(defaclrole) || ' ' || defaclobjtype::text AS name,
               {granted_privileges("defaclacl", "defaclobjtype", "defaclrole")} AS privileges
        FROM pg_default_acl WHERE defaclnamespace = $1::regnamespace""",
    "extension": "SELECT extname AS name FROM pg_extension WHERE $1 <> ''",
    "migration": f"SELECT number::text, name AS title FROM {SCHEMA}.schema_migrations WHERE $1 <> ''",
}
"""By kind of object. The first column identifies the object within its kind; `oid`s and dates are left out."""


async def load_schema(connection: asyncpg.Connection) -> SchemaObjects:
    """Return every object of the schema."""
    await connection.execute(f"SET search_path TO {SCHEMA}")
    return await load_objects(connection, SHAPE_QUERIES | FURTHER_QUERIES)


def schema_differences(upgraded: SchemaObjects, fresh: SchemaObjects) -> dict[str, dict[str, object]]:
    """Return the objects that are missing in one of two schemas or defined differently, with both definitions."""
    differences: dict[str, dict[str, object]] = {}
    for key in sorted(upgraded.keys() | fresh.keys()):
        if upgraded.get(key) != fresh.get(key):
            differences[key] = {"upgraded": upgraded.get(key), "fresh": fresh.get(key)}
    return differences
