{% test unique_key(model, key) %}
{# GROUP BY takes NULLs for equal, as the keys of the data dictionary do. #}
SELECT {{ key | join(', ') }}, count(*) AS rows
FROM {{ model }}
GROUP BY {{ key | join(', ') }}
HAVING count(*) > 1
{% endtest %}
