"""The definition of a database's schema, from PostgreSQL's catalog, in a form that two databases can be compared by."""

import asyncpg

from gaji.db.database import SCHEMA

SchemaObjects = dict[str, dict[str, object]]
"""The properties of each object, by its kind and name."""

QUERIES = {
    "schema": """
        SELECT nspname AS name, pg_get_userbyid(nspowner) AS owner, pg_temp.acl(nspacl, 'n', nspowner) AS privileges
        FROM pg_namespace WHERE oid = $1::regnamespace""",
    "relation": """
        SELECT relname AS name, relkind, relpersistence, reloptions, relrowsecurity, relforcerowsecurity, relreplident,
               pg_get_userbyid(relowner) AS owner, relpartbound IS NOT NULL AS is_partition,
               CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) END AS view,
               pg_temp.acl(relacl, CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner) AS privileges
        FROM pg_class WHERE relnamespace = $1::regnamespace""",
    "column": """
        SELECT a.attrelid::regclass || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
               row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS position,
               a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::regcollation::text AS collation,
               a.attstorage, a.attcompression, a.attoptions, pg_get_expr(d.adbin, d.adrelid) AS default_value,
               pg_temp.acl(a.attacl, 'c', c.relowner) AS privileges
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE c.relnamespace = $1::regnamespace AND a.attnum > 0 AND NOT a.attisdropped""",
    "sequence": """
        SELECT s.seqrelid::regclass::text AS name, s.seqtypid::regtype::text AS type, s.seqstart, s.seqincrement,
               s.seqmax, s.seqmin, s.seqcache, s.seqcycle, d.refobjid::regclass || '.' || a.attname AS owned_by
        FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
        LEFT JOIN pg_depend d ON d.objid = s.seqrelid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
        LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE c.relnamespace = $1::regnamespace""",
    "index": """
        SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition, i.indisvalid,
               i.indisclustered, i.indisreplident
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = $1::regnamespace""",
    "constraint": """
        SELECT conrelid::regclass || '.' || conname AS name, contype, convalidated,
               pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE connamespace = $1::regnamespace""",
    "trigger": """
        SELECT t.tgrelid::regclass || '.' || t.tgname AS name, t.tgenabled, pg_get_triggerdef(t.oid) AS definition
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal""",
    "rule": """
        SELECT r.ev_class::regclass || '.' || r.rulename AS name, r.ev_enabled, pg_get_ruledef(r.oid) AS definition
        FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace = $1::regnamespace""",
    "policy": """
        SELECT p.polrelid::regclass || '.' || p.polname AS name, p.polcmd, p.polpermissive,
               ARRAY(SELECT role::regrole::text FROM unnest(p.polroles) role ORDER BY 1) AS roles,
               pg_get_expr(p.polqual, p.polrelid) AS using_expression,
               pg_get_expr(p.polwithcheck, p.polrelid) AS check_expression
        FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = $1::regnamespace""",
    "function": """
        SELECT oid::regprocedure::text AS name, pg_get_userbyid(proowner) AS owner,
               CASE WHEN prokind <> 'a' THEN pg_get_functiondef(oid) END AS definition,
               pg_temp.acl(proacl, 'f', proowner) AS privileges
        FROM pg_proc WHERE pronamespace = $1::regnamespace""",
    "type": """
        SELECT t.typname AS name, t.typtype, pg_get_userbyid(t.typowner) AS owner, t.typnotnull, t.typdefault,
               format_type(t.typbasetype, t.typtypmod) AS base_type,
               ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder) AS labels,
               ARRAY(SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contypid = t.oid ORDER BY 1) AS checks,
               pg_temp.acl(t.typacl, 'T', t.typowner) AS privileges
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
    "default privileges": """
        SELECT pg_get_userbyid(defaclrole) || ' ' || defaclobjtype::text AS name,
               pg_temp.acl(defaclacl, defaclobjtype, defaclrole) AS privileges
        FROM pg_default_acl WHERE defaclnamespace = $1::regnamespace""",
    "extension": "SELECT extname AS name FROM pg_extension WHERE $1 <> ''",
    "migration": f"SELECT number::text, name AS title FROM {SCHEMA}.schema_migrations WHERE $1 <> ''",
}
"""By kind of object. The first column identifies the object within its kind; `oid`s and dates are left out."""

# Absent privileges mean the default ones. Grants are compared as a set: their order depends on how they were issued.
ACL = """
    CREATE FUNCTION pg_temp.acl(privileges aclitem[], kind "char", owner oid) RETURNS text[] LANGUAGE sql AS $$
        SELECT array_agg(entry ORDER BY entry) FROM (
            SELECT format('%s may %s%s', CASE grantee WHEN 0 THEN 'public' ELSE grantee::regrole::text END,
                          privilege_type, CASE WHEN is_grantable THEN ' with grant option' ELSE '' END) AS entry
            FROM aclexplode(coalesce(privileges, acldefault(kind, owner)))) entries
    $$
"""


async def load_schema(connection: asyncpg.Connection) -> SchemaObjects:
    """Return every object of the schema.

    The connection needs a role that may create temporary functions.
    """
    await connection.execute(f"SET search_path TO {SCHEMA}")
    await connection.execute(ACL)
    objects: SchemaObjects = {}
    for kind, query in QUERIES.items():
        rows = await connection.fetch(query, SCHEMA)
        for name, *definition in rows:
            key = f"{kind} {name}"
            assert key not in objects, f"{key} appears twice"
            objects[key] = dict(zip(list(rows[0].keys())[1:], definition, strict=True))
    await connection.execute("DROP FUNCTION pg_temp.acl")
    return objects


def schema_differences(upgraded: SchemaObjects, fresh: SchemaObjects) -> dict[str, dict[str, object]]:
    """Return the objects that are missing in one of two schemas or defined differently, with both definitions."""
    differences: dict[str, dict[str, object]] = {}
    for key in sorted(upgraded.keys() | fresh.keys()):
        if upgraded.get(key) != fresh.get(key):
            differences[key] = {"upgraded": upgraded.get(key), "fresh": fresh.get(key)}
    return differences
