-- The time until which a crew waits for the end of a usage limit; 0 while it waits for none.
ALTER TABLE crews ADD COLUMN waits_until INTEGER NOT NULL DEFAULT 0;
