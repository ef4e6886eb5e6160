{#- The column lies between two bounds, each a number or another column. -#}
{% test within(model, column_name, lower, upper) %}
select
    {{ column_name }} as tested_value,
    {{ lower }} as lower_bound,
    {{ upper }} as upper_bound
from {{ model }}
where
    {{ column_name }} is null
    or isnan({{ column_name }})
    or {{ column_name }} < {{ lower }}
    or {{ column_name }} > {{ upper }}
{% endtest %}
