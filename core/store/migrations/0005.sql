-- hidden is 1 for what happened in a session that hide_foreign leaves out. Of
-- events from before that is not known.
ALTER TABLE events ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
