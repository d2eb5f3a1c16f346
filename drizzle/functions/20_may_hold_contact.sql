-- An e-mail address, however its sign is written, or seven digits that belong together, as in a phone number. The digits of other
-- scripts are written as 0 first: those that Unicode takes for compatible ones, and all others of its first plane.
CREATE OR REPLACE FUNCTION ops.may_hold_contact(shown text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  -- Most names are such, and cost no more than this.
  WHEN shown ~ '^[a-zA-Zа-яА-ЯёЁ ,.-]*$' THEN false
  ELSE regexp_replace(normalize(shown, NFKC), '[\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0de6-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u1090-\u1099\u17e0-\u17e9\u1810-\u1819\u1946-\u194f\u19d0-\u19d9\u1a80-\u1a89\u1a90-\u1a99\u1b50-\u1b59\u1bb0-\u1bb9\u1c40-\u1c49\u1c50-\u1c59\ua620-\ua629\ua8d0-\ua8d9\ua900-\ua909\ua9d0-\ua9d9\ua9f0-\ua9f9\uaa50-\uaa59\uabf0-\uabf9]', '0', 'g')
    ~ '@|[([{<]\s*(at|At|AT|ат|Ат|АТ|собака|Собака|СОБАКА)\s*[)\]}>]|[0-9](([^0-9]{0,3}|[\s._()/*+:;,\u2010-\u2015-]{0,12})[0-9]){6}'
END;
