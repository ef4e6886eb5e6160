"""The SQL that lets a role see and write some namespaces of a remote, and no others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ebbing.errors import InputError
from ebbing.safety.text import clean_namespace

_ROLE = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_GRANT = """\
-- {role} sees and writes {scope}, and nothing else.
-- Run by the owner of the schema: psql --set ON_ERROR_STOP=1 DATABASE < this
-- A password is set apart, so that no file holds it: psql --command '\\password {role}'
begin;

do $$
begin
    if not exists (select from pg_roles where rolname = '{role}') then
        create role {role} login;
    end if;
end
$$;

grant usage on schema ebbing to {role};
grant select on ebbing.about to {role};
grant select, insert, update, delete on ebbing.events, ebbing.vectors, ebbing.tombstones
to {role};
grant execute on function ebbing.scope() to {role};

delete from ebbing.scopes where role_name = '{role}';
insert into ebbing.scopes (role_name, namespace)
values
{values};

commit;
"""


def grant_statements(role: str, namespaces: Sequence[str]) -> str:
    """Return what the owner of a remote runs, so that a role sees these namespaces alone."""
    if not _ROLE.fullmatch(role):
        raise InputError(
            f"{role!r} is no name for a role; nothing was granted; use lower-case letters, digits "
            "and underscores"
        )
    if not namespaces:
        raise InputError("no namespace is named; nothing was granted; name one: --namespace NAME")
    names = [clean_namespace(one) for one in dict.fromkeys(namespaces)]
    quoted = ["'" + name.replace("'", "''") + "'" for name in names]
    return _GRANT.format(
        role=role,
        # A comment ends with its line.
        scope=" ".join(", ".join(quoted).split()),
        values=",\n".join(f"    ('{role}', {name})" for name in quoted),
    )
