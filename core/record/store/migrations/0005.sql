-- Crews: agents that work on one task and talk to each other. limits is JSON. control is what a
-- user asked of the process that runs the crew: '', 'pause' or 'stop'.
CREATE TABLE crews (
    id         TEXT PRIMARY KEY,
    recipe     TEXT NOT NULL,
    prompt     TEXT NOT NULL,
    dir        TEXT NOT NULL,
    sandbox    TEXT NOT NULL,
    stage      TEXT NOT NULL,
    session    TEXT NOT NULL,
    worktrees  INTEGER NOT NULL,
    state      TEXT NOT NULL,
    reason     TEXT NOT NULL,
    turn       INTEGER NOT NULL,
    limits     TEXT NOT NULL,
    started    INTEGER NOT NULL,
    ended      INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    error      TEXT NOT NULL,
    error_code TEXT NOT NULL,
    control    TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX crews_by_time ON crews (started);

-- The members of a crew, in the order in which they were named. used is JSON, or empty.
CREATE TABLE crew_members (
    crew            TEXT NOT NULL REFERENCES crews ON DELETE CASCADE,
    place           INTEGER NOT NULL,
    name            TEXT NOT NULL,
    backend         TEXT NOT NULL,
    model           TEXT NOT NULL,
    model_used      TEXT NOT NULL,
    brief           TEXT NOT NULL,
    dir             TEXT NOT NULL,
    backend_session TEXT NOT NULL,
    status          TEXT NOT NULL,
    turns           INTEGER NOT NULL,
    messages        INTEGER NOT NULL,
    used            TEXT NOT NULL,
    cost_usd        REAL NOT NULL,
    cost_known      INTEGER NOT NULL,
    error           TEXT NOT NULL,
    error_code      TEXT NOT NULL,
    PRIMARY KEY (crew, name)
) WITHOUT ROWID;

-- What happened in a crew, messages and notes too. seq is also the number of a message.
CREATE TABLE crew_events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    crew       TEXT NOT NULL REFERENCES crews ON DELETE CASCADE,
    type       TEXT NOT NULL,
    turn       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    sender     TEXT NOT NULL,
    recipient  TEXT NOT NULL,
    text       TEXT NOT NULL,
    status     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    pending    INTEGER NOT NULL,
    error_code TEXT NOT NULL
);
CREATE INDEX crew_events_by_crew ON crew_events (crew, seq);

-- The members that a message is for. turn is the one in which it was delivered, -1 while it waits,
-- -2 if it was returned to its sender.
CREATE TABLE crew_deliveries (
    message INTEGER NOT NULL REFERENCES crew_events ON DELETE CASCADE,
    crew    TEXT NOT NULL REFERENCES crews ON DELETE CASCADE,
    member  TEXT NOT NULL,
    turn    INTEGER NOT NULL,
    PRIMARY KEY (message, member)
) WITHOUT ROWID;
CREATE INDEX crew_deliveries_by_turn ON crew_deliveries (crew, turn);

-- The turns of the members: what each was given and what it answered. state is open, answered,
-- routed (its messages are on record) or failed.
CREATE TABLE crew_asks (
    crew    TEXT NOT NULL REFERENCES crews ON DELETE CASCADE,
    turn    INTEGER NOT NULL,
    member  TEXT NOT NULL,
    prompt  TEXT NOT NULL,
    answer  TEXT NOT NULL,
    state   TEXT NOT NULL,
    relay   TEXT NOT NULL,
    started INTEGER NOT NULL,
    ended   INTEGER NOT NULL,
    PRIMARY KEY (crew, turn, member)
) WITHOUT ROWID;
