-- late is 1 for an event that nobody saw happen. Before, only its message said so.
ALTER TABLE events ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
UPDATE events SET late = 1 WHERE message LIKE '%found later: nobody was watching when it happened';
-- hidden is 1 for what happened in a session that hide_foreign leaves out. Of
-- events from before that is not known.
ALTER TABLE events ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
