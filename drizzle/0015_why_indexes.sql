COMMENT ON INDEX ops.days_verified_soon_idx IS 'Among these are the days that were verified before they ended.';
COMMENT ON INDEX core.orders_shop_customer_created_idx IS 'With what else the place of a sale among its customer''s depends on, so that no order is read for it.';
COMMENT ON INDEX core.orders_buyer_idx IS 'The buyer first: an index of few pages that began with the shop would look better to a check of an order''s key than the primary key does, as long as the table was never analyzed.';
COMMENT ON INDEX core.orders_unconfirmed_idx IS 'For what tells which days are verified, whatever the shop has deleted.';
COMMENT ON INDEX core.orders_counts_idx IS 'Holds all that is compared with what a shop counts, every minute, so that no order is read for it.';
COMMENT ON INDEX core.orders_changed_idx IS 'For reports that ask for what changed since.';
