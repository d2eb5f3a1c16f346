-- What a shop usually takes is counted when it is silent.
ALTER TABLE ops.shop_figures DROP COLUMN rhythm;
