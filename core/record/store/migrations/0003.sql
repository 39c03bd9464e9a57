-- An answer that was given to a dialog of an agent. act is what was asked for,
-- chosen the label of the option that was taken, given_by who ran Cupola.
CREATE TABLE answers (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    server   TEXT NOT NULL,
    session  TEXT NOT NULL,
    ordinal  INTEGER NOT NULL,
    pane     TEXT NOT NULL,
    agent    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    origin   TEXT NOT NULL,
    given_by TEXT NOT NULL,
    reason   TEXT NOT NULL,
    asks     TEXT NOT NULL,
    act      TEXT NOT NULL,
    chosen   TEXT NOT NULL,
    text     TEXT NOT NULL,
    outcome  TEXT NOT NULL
);
CREATE INDEX answers_by_time ON answers (at);
