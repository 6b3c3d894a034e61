CREATE TABLE functions (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  image TEXT NOT NULL,
  -- Sealed: its values may be secrets.
  env TEXT NOT NULL,
  port BIGINT NOT NULL,
  path TEXT NOT NULL,
  timeout_seconds DOUBLE PRECISION NOT NULL,
  cpus DOUBLE PRECISION NOT NULL,
  memory_mb BIGINT NOT NULL,
  pids BIGINT NOT NULL,
  min_capacity BIGINT NOT NULL,
  max_capacity BIGINT NOT NULL,
  idle_timeout_seconds DOUBLE PRECISION NOT NULL,
  acquire_timeout_seconds DOUBLE PRECISION NOT NULL,
  queue BIGINT NOT NULL,
  revision TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, name)
);
