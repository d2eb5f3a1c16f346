-- How many customers came back, registered ones and guests, by their main currency.
SELECT
  currency,
  is_guest,
  count(*) AS customers,
  count(*) FILTER (WHERE is_repeat) AS came_back,
  round(100.0 * count(*) FILTER (WHERE is_repeat) / count(*), 1) AS came_back_percent,
  round(avg(lifetime_revenue), 2) AS avg_lifetime_revenue
FROM bi.customers
GROUP BY currency, is_guest
ORDER BY currency, is_guest;
