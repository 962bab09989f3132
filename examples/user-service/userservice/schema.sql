CREATE TABLE users (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_login_at timestamptz,
    disabled_at timestamptz
);
CREATE INDEX users_last_seen ON users ((coalesce(last_login_at, created_at))) WHERE disabled_at IS NULL;

CREATE TABLE secrets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users,
    hash text,  -- NULL once it is revoked
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX secrets_expiry ON secrets (expires_at) WHERE revoked_at IS NULL;

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    user_id bigint NOT NULL REFERENCES users,
    action text NOT NULL
);
CREATE INDEX audit_at ON audit (at);
