{#
  Rows in which an incremental model and its view differ, in any column of the model. What changed while dbt ran is for the next run.
#}
{% test shows_all(model, view, part=none) %}
{% set columns = adapter.get_columns_in_relation(model) | map(attribute='quoted') | join(', ') if execute else '*' %}
WITH settled AS (
  SELECT c.shop_id, c.order_id
  FROM {{ source('order_sync', 'orders') }} AS c
  JOIN (SELECT shop_id, max(changed_at) AS changed_at FROM {{ model }} GROUP BY shop_id) AS held ON held.shop_id = c.shop_id
  WHERE c.changed_at <= held.changed_at
),
held AS (
  SELECT {{ columns }} FROM {{ model }} JOIN settled USING (shop_id, order_id)
  {%- if part is not none %} WHERE {{ part }} IS NOT NULL{% endif %}
),
shown AS (SELECT {{ columns }} FROM {{ view }} JOIN settled USING (shop_id, order_id))
(SELECT 'missing' AS problem, * FROM (SELECT * FROM shown EXCEPT ALL SELECT * FROM held) AS missing)
UNION ALL
(SELECT 'not shown', * FROM (SELECT * FROM held EXCEPT ALL SELECT * FROM shown) AS wrong)
UNION ALL
(SELECT 'of a shop that is gone', {{ columns }} FROM {{ model }} WHERE shop_id NOT IN (SELECT shop_id FROM {{ source('order_sync', 'shops') }}))
{% endtest %}
