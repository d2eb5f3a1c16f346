-- Each sync writes the row anew. PostgreSQL removes its last versions from a page once that is filled to here, so there must be
-- more room left than a version takes, or the next one goes to another page.
ALTER TABLE ops.shop_state SET (fillfactor = 70);
