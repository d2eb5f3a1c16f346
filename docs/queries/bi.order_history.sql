-- How often each status was seen to follow another.
SELECT before.status AS from_status, after.status AS to_status, count(*) AS changes
FROM bi.order_history after
JOIN bi.order_history before
  ON before.shop_id = after.shop_id AND before.order_id = after.order_id AND before.seq = after.seq - 1
WHERE after.status_code <> before.status_code
GROUP BY before.status, after.status
ORDER BY changes DESC, from_status, to_status;
