CREATE TABLE entries (key text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
CREATE TABLE accounts (credits bigint NOT NULL);
INSERT INTO accounts VALUES (0);
