-- The one rule of which days are to be verified, for all that reports on them: one that was never verified, or by a clock that ran
-- ahead, too long ago for its age, or before it ended, or with an order whose deletion is to be confirmed. `plan/days/due-days.ts` plans
-- sweeps by the same rule, for the settings that it is given.
CREATE OR REPLACE FUNCTION ops.is_due(
  day date, verified_at timestamptz, confirmed_at timestamptz, target_seconds double precision, timezone text, at timestamptz
) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN verified_at IS NULL OR verified_at > at OR verified_at <= at - make_interval(secs => target_seconds)
  OR coalesce(confirmed_at <= at, false)
  OR (day < (at AT TIME ZONE timezone)::date AND verified_at < (day + 1)::timestamp AT TIME ZONE timezone);
