{#-
    Whether a claim speaks of an attribute and subject of which `claims` has one
    too; what has no subject is of any. By keys, as a join of all with all that
    claim one thing is as large as the square of them.

    claims: a relation of namespace, attribute (its family, where it has one)
            and subject_key; the row itself has the same columns
-#}
{% macro is_claimed_alike(claims) -%}
    (
        (namespace, attribute, subject_key) in (
            select (c.namespace, c.attribute, c.subject_key)
            from {{ claims }} as c
        )
        or (
            subject_key = ''
            and (namespace, attribute) in (
                select (c.namespace, c.attribute) from {{ claims }} as c
            )
        )
        or (namespace, attribute) in (
            select (c.namespace, c.attribute)
            from {{ claims }} as c
            where c.subject_key = ''
        )
    )
{%- endmacro %}
