-- Problems by number of orders, and of sales among them.
SELECT problem, count(*) AS orders, count(*) FILTER (WHERE is_sale) AS sales
FROM bi.data_quality, string_to_table(problems, ', ') AS problem
WHERE has_problem
GROUP BY problem
ORDER BY orders DESC, problem;
