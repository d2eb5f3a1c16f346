CREATE OR REPLACE VIEW bi.calendar AS
SELECT
  d.day,
  date_trunc('week', d.day::timestamp)::date AS week,
  date_trunc('month', d.day::timestamp)::date AS month,
  date_trunc('quarter', d.day::timestamp)::date AS quarter,
  extract(year FROM d.day)::integer AS year,
  extract(month FROM d.day)::integer AS month_of_year,
  extract(day FROM d.day)::integer AS day_of_month,
  extract(isodow FROM d.day)::integer AS weekday,
  extract(isodow FROM d.day) > 5 AS is_weekend,
  extract(isoyear FROM d.day)::integer AS iso_year,
  extract(week FROM d.day)::integer AS iso_week,
  (d.day - interval '1 year')::date AS same_day_last_year,
  to_char(d.day, 'FMMonth') AS month_name
FROM (
  SELECT generated::date AS day
  FROM (SELECT greatest(coalesce(min(created_on), current_date), '2000-01-01') AS first_day FROM core.orders) known
  CROSS JOIN LATERAL generate_series(
    date_trunc('year', known.first_day::timestamp), date_trunc('year', now()::timestamp) + interval '2 years - 1 day', interval '1 day'
  ) AS generated
) d;

COMMENT ON VIEW bi.calendar IS 'One row per day, from the year of the first order (2000 at the earliest) to the end of next year. Join it on order_date to show days without a sale.';
COMMENT ON COLUMN bi.calendar.day IS 'The day itself, the key.';
COMMENT ON COLUMN bi.calendar.week IS 'Monday of its week.';
COMMENT ON COLUMN bi.calendar.month IS 'First day of its month.';
COMMENT ON COLUMN bi.calendar.quarter IS 'First day of its quarter.';
COMMENT ON COLUMN bi.calendar.year IS 'Its calendar year.';
COMMENT ON COLUMN bi.calendar.month_of_year IS 'Number of its month, 1 to 12.';
COMMENT ON COLUMN bi.calendar.day_of_month IS 'Day of the month, 1 to 31.';
COMMENT ON COLUMN bi.calendar.weekday IS 'Day of the week, 1 for Monday to 7 for Sunday.';
COMMENT ON COLUMN bi.calendar.is_weekend IS 'True for Saturday and Sunday.';
COMMENT ON COLUMN bi.calendar.iso_year IS 'Year of its ISO week, which differs from year around New Year.';
COMMENT ON COLUMN bi.calendar.iso_week IS 'Number of its ISO week, 1 to 53.';
COMMENT ON COLUMN bi.calendar.same_day_last_year IS 'The same date a year before; of 29 February the 28th. The same weekday a year before is day - 364.';
COMMENT ON COLUMN bi.calendar.month_name IS 'Name of its month in English, January to December; sort by month_of_year.';
