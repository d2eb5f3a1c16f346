-- The one rule of which days are to be verified, for the plan of a sweep and for all that reports on days: one that was never verified,
-- or by a clock that ran ahead, too long ago for its age, or before it ended, or with an order whose deletion is to be confirmed. A time
-- of confirmation that is further away than any can be was written by such a clock too. Without a target, it may be verified long ago.
CREATE OR REPLACE FUNCTION ops.is_due(
  day date, verified_at timestamptz, confirmed_at timestamptz, target_seconds double precision, timezone text, at timestamptz
) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN verified_at IS NULL OR verified_at > at
  OR coalesce(verified_at <= at - make_interval(secs => target_seconds), false)
  OR coalesce(confirmed_at <= at OR confirmed_at > at + interval '5 minutes', false)
  OR (day < (at AT TIME ZONE timezone)::date AND verified_at < (day + 1)::timestamp AT TIME ZONE timezone);
