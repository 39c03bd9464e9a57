-- Prompts that wait until their agent is idle. owner is the identity of the pane, place the order among those of one
-- owner. sent is the id in prompts of the delivery that is open, '' for none. outcome is that of the last try.
CREATE TABLE queue (
    id       TEXT PRIMARY KEY,
    server   TEXT NOT NULL,
    owner    TEXT NOT NULL,
    place    INTEGER NOT NULL,
    session  TEXT NOT NULL,
    ordinal  INTEGER NOT NULL,
    pane     TEXT NOT NULL,
    agent    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    origin   TEXT NOT NULL,
    text     TEXT NOT NULL,
    command  INTEGER NOT NULL,
    sent     TEXT NOT NULL,
    outcome  TEXT NOT NULL,
    why      TEXT NOT NULL,
    evidence TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX queue_by_owner ON queue (server, owner, place);
