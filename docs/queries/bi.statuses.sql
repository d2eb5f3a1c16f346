-- What each status means here.
SELECT shop, status_code, status, stage, is_sale FROM bi.statuses ORDER BY shop, stage_order NULLS LAST, status_code;
