-- The same text serves SQLite and PostgreSQL. Times are RFC 3339 in UTC and sort as text.
CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tenant TEXT NOT NULL,
    scopes TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT
);

-- One row a run. `record` is the whole of it as JSON; the columns beside it are there to look for it.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    created_at TEXT NOT NULL,
    status TEXT NOT NULL,
    session TEXT,
    environment TEXT NOT NULL,
    cpu_time_us BIGINT NOT NULL,
    record TEXT NOT NULL,
    code TEXT,
    outcome TEXT
);
CREATE INDEX runs_by_tenant ON runs (tenant, id);
CREATE INDEX runs_by_time ON runs (created_at);

-- The audit trail: each entry's hash covers the hash before it.
CREATE TABLE audit (
    seq BIGINT PRIMARY KEY,
    at TEXT NOT NULL,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX audit_by_subject ON audit (subject);

-- Runs that were accepted to be carried out later. One without an outcome is still to be done.
CREATE TABLE background (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    caller TEXT NOT NULL,
    request TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    finished_at TEXT,
    status TEXT,
    outcome TEXT,
    events BIGINT NOT NULL DEFAULT 0,
    webhook TEXT,
    webhook_due BIGINT,
    webhook_tries BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX background_open ON background (finished_at);

-- Answers that are given again when a client asks again with the same key.
CREATE TABLE idempotency (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    status BIGINT,
    body TEXT,
    PRIMARY KEY (tenant, key)
);
