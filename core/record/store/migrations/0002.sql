-- usage_files says how far each transcript was read. mark is a hash of what was
-- there, by which one that was replaced is told; modified is Unix nanoseconds.
-- session is the agent's own id, owner and agent are the names that Cupola gave.
CREATE TABLE usage_files (
    id       INTEGER PRIMARY KEY,
    kind     TEXT NOT NULL,
    path     TEXT NOT NULL UNIQUE,
    size     INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    position INTEGER NOT NULL,
    mark     INTEGER NOT NULL,
    state    TEXT NOT NULL,
    session  TEXT NOT NULL,
    folder   TEXT NOT NULL,
    owner    TEXT NOT NULL DEFAULT '',
    agent    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX usage_files_by_session ON usage_files (kind, session);

-- A request is one question to a model. Its key is a hash of what the agent calls
-- it, so that copies in other transcripts are the same request. input is what was
-- neither read from a cache nor written to one. cost is USD, null where the agent
-- gives none.
CREATE TABLE usage_requests (
    key         INTEGER PRIMARY KEY,
    file        INTEGER NOT NULL REFERENCES usage_files (id) ON DELETE CASCADE,
    at          INTEGER NOT NULL,
    model       TEXT NOT NULL,
    input       INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_long  INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    cost        REAL
);
CREATE INDEX usage_requests_by_time ON usage_requests (at);
CREATE INDEX usage_requests_by_file ON usage_requests (file);

-- What an agent says that a session has cost with a model so far.
CREATE TABLE usage_costs (
    kind        TEXT NOT NULL,
    session     TEXT NOT NULL,
    model       TEXT NOT NULL,
    until       INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_long  INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cost        REAL NOT NULL,
    PRIMARY KEY (kind, session, model)
) WITHOUT ROWID;

-- The newest that transcripts say of each limit of a provider. used is percent.
CREATE TABLE usage_limits (
    kind      TEXT NOT NULL,
    name      TEXT NOT NULL,
    used      REAL NOT NULL,
    minutes   INTEGER NOT NULL,
    resets_at INTEGER NOT NULL,
    seen_at   INTEGER NOT NULL,
    message   TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;

CREATE TABLE ceilings (
    scope   TEXT NOT NULL,
    session TEXT NOT NULL,
    unit    TEXT NOT NULL,
    ceiling REAL NOT NULL,
    since   INTEGER NOT NULL,
    set_at  INTEGER NOT NULL,
    PRIMARY KEY (scope, session, unit)
) WITHOUT ROWID;

-- When a share of a ceiling, in percent, was first passed in a period.
CREATE TABLE ceilings_passed (
    scope   TEXT NOT NULL,
    session TEXT NOT NULL,
    unit    TEXT NOT NULL,
    period  TEXT NOT NULL,
    percent INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (scope, session, unit, period, percent)
) WITHOUT ROWID;
