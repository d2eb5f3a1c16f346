-- Which days are not known to be the shop's, so that figures of them may be incomplete?
SELECT u.shop, coalesce(lower(span)::text, 'before') AS from_day, coalesce((upper(span) - 1)::text, 'today') AS to_day
FROM bi.unverified_days u
CROSS JOIN unnest(u.days) AS span
ORDER BY u.shop, span;
