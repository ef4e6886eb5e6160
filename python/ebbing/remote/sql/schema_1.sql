-- The shared journal. Every row is there once and never changes, but by an erasure.
create schema if not exists ebbing;

create table if not exists ebbing.about (
    only_one boolean primary key default true check (only_one),
    identity uuid not null default gen_random_uuid(),
    schema_version integer not null,
    model_id text,
    dimension integer
);

create table if not exists ebbing.events (
    event_id uuid primary key,
    kind text not null,
    -- Null: of no namespace that could be told; seen by those alone who see all.
    namespaces text[],
    -- SHA-256 of the ids of the memories that it is about, as tombstones name them.
    memory_hashes text[] not null,
    content_hash text,
    natural_key text,
    body text not null,
    -- 32-bit floats, little-endian.
    vector bytea,
    xid xid8 not null default pg_current_xact_id()
);
create unique index if not exists events_natural_key on ebbing.events (kind, natural_key)
where natural_key is not null;
create index if not exists events_xid on ebbing.events (xid);
create index if not exists events_memory_hashes on ebbing.events using gin (memory_hashes);
create index if not exists events_content_hash on ebbing.events (content_hash)
where content_hash is not null;

create table if not exists ebbing.vectors (
    content_hash text not null,
    model_id text not null,
    event_id uuid not null,
    body text not null,
    vector bytea not null,
    xid xid8 not null default pg_current_xact_id(),
    primary key (content_hash, model_id)
);
create index if not exists vectors_xid on ebbing.vectors (xid);
create index if not exists vectors_event_id on ebbing.vectors (event_id);

create table if not exists ebbing.tombstones (
    event_id uuid primary key,
    namespace text not null,
    content_hash text not null,
    memory_id_hash text not null,
    body text not null,
    xid xid8 not null default pg_current_xact_id()
);
create index if not exists tombstones_content_hash on ebbing.tombstones (content_hash);
create index if not exists tombstones_memory_id_hash on ebbing.tombstones (memory_id_hash);

-- Which namespaces a role may see and write; a role without a row sees none, the owner all.
create table if not exists ebbing.scopes (
    role_name name not null,
    namespace text not null,
    primary key (role_name, namespace)
);

create or replace function ebbing.scope() returns text[]
language sql stable security definer set search_path = pg_catalog
as $$
    select coalesce(array_agg(namespace order by namespace), '{}')
    from ebbing.scopes
    where role_name = session_user
$$;

-- What was written before its erasure stays out, whoever sends it.
create or replace function ebbing.keep_out_erased() returns trigger
language plpgsql security definer set search_path = pg_catalog
as $$
begin
    if exists (
        select from ebbing.tombstones
        where tombstones.content_hash = new.content_hash
            and tombstones.namespace = any(new.namespaces)
            and new.event_id < tombstones.event_id
    ) or exists (
        select from ebbing.tombstones
        where tombstones.memory_id_hash = any(new.memory_hashes)
            and new.event_id < tombstones.event_id
    ) then
        return null;
    end if;
    return new;
end
$$;

create or replace function ebbing.keep_out_erased_vectors() returns trigger
language plpgsql security definer set search_path = pg_catalog
as $$
begin
    if exists (
        select from ebbing.tombstones
        where tombstones.content_hash = new.content_hash
            and new.event_id < tombstones.event_id
    ) then
        return null;
    end if;
    return new;
end
$$;

create or replace trigger keep_out_erased before insert on ebbing.events
for each row execute function ebbing.keep_out_erased();
create or replace trigger keep_out_erased before insert on ebbing.vectors
for each row execute function ebbing.keep_out_erased_vectors();

alter table ebbing.events enable row level security;
alter table ebbing.vectors enable row level security;
alter table ebbing.tombstones enable row level security;
alter table ebbing.scopes enable row level security;

drop policy if exists own_namespaces on ebbing.events;
create policy own_namespaces on ebbing.events
using (namespaces <@ (select ebbing.scope()) and namespaces <> '{}')
with check (namespaces <@ (select ebbing.scope()) and namespaces <> '{}');

drop policy if exists own_namespaces on ebbing.tombstones;
create policy own_namespaces on ebbing.tombstones
using (array[namespace] <@ (select ebbing.scope()))
with check (array[namespace] <@ (select ebbing.scope()));

-- A vector says much of its text: it is for who sees a memory of that text.
drop policy if exists of_own_texts on ebbing.vectors;
create policy of_own_texts on ebbing.vectors
using (exists (select from ebbing.events where events.content_hash = vectors.content_hash));
drop policy if exists any_text on ebbing.vectors;
create policy any_text on ebbing.vectors for insert with check (true);

insert into ebbing.about (schema_version) values (1) on conflict do nothing;
