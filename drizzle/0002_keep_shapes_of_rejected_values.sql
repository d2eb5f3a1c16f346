-- What is stored already may be personal. Repeated rejections get the whole shape.
UPDATE ops.rejections SET value = 'text of ' || length(value) || ' characters' WHERE value IS NOT NULL;

COMMENT ON COLUMN ops.rejections.value IS 'The value if it is a code, number or date, otherwise its shape, such as "text of 17 characters, Cyrillic, one space". NULL: none was sent.';
