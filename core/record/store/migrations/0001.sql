-- Times are Unix milliseconds, 0 for none. server is the path of a terminal
-- server's socket.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE prompts (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    at      INTEGER NOT NULL,
    server  TEXT NOT NULL,
    session TEXT NOT NULL,
    origin  TEXT NOT NULL,
    tracked INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    text    TEXT NOT NULL
);
CREATE INDEX prompts_by_time ON prompts (at);
CREATE INDEX prompts_by_session ON prompts (session);

CREATE TABLE deliveries (
    prompt     INTEGER NOT NULL REFERENCES prompts (seq) ON DELETE CASCADE,
    place      INTEGER NOT NULL,
    session    TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    pane       TEXT NOT NULL,
    agent      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    why        TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    enters     INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (prompt, place)
) WITHOUT ROWID;

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY,
    server    TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    type      TEXT NOT NULL,
    session   TEXT NOT NULL,
    pane      TEXT NOT NULL,
    pane_id   TEXT NOT NULL,
    agent     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    from_what TEXT NOT NULL,
    to_what   TEXT NOT NULL,
    reason    TEXT NOT NULL,
    message   TEXT NOT NULL,
    alert     TEXT NOT NULL, -- JSON, empty for none
    UNIQUE (server, revision, at, type, pane_id)
);
CREATE INDEX events_by_time ON events (at);

CREATE TABLE alerts (
    server       TEXT NOT NULL,
    id           TEXT NOT NULL,
    type         TEXT NOT NULL,
    severity     TEXT NOT NULL,
    subject      TEXT NOT NULL,
    session      TEXT NOT NULL,
    pane         TEXT NOT NULL,
    state        TEXT NOT NULL,
    reason       TEXT NOT NULL,
    message      TEXT NOT NULL,
    first_seen   INTEGER NOT NULL,
    last_seen    INTEGER NOT NULL,
    count        INTEGER NOT NULL,
    resolved_at  INTEGER NOT NULL,
    dismissed_at INTEGER NOT NULL,
    PRIMARY KEY (server, id)
) WITHOUT ROWID;
