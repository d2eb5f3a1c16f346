{% test points_to(model, columns, to, key) %}
SELECT {{ columns | join(', ') }} FROM {{ model }}
WHERE {% for column in columns %}{{ column }} IS NOT NULL{{ ' AND ' if not loop.last }}{% endfor %}

EXCEPT
SELECT {{ key | join(', ') }} FROM {{ to }}
{% endtest %}
