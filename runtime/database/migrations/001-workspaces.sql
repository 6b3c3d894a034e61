-- Times are milliseconds since 1970, by the database's own clock.

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  key_name TEXT NOT NULL,
  created_at BIGINT NOT NULL,

  -- The API's.
  name TEXT,
  image_ref TEXT NOT NULL,
  standby_ttl_seconds BIGINT,
  archive_ttl_seconds BIGINT,
  archive_never INTEGER NOT NULL DEFAULT 0,
  delete_requested_at BIGINT,

  -- The user's word, and that of the TTL manager where the user said nothing since.
  desired_state TEXT NOT NULL,
  desired_version BIGINT NOT NULL DEFAULT 1,

  -- The monitor's.
  observed_status TEXT NOT NULL DEFAULT 'PENDING',
  observed_at BIGINT,
  -- The engine's own id of the container that was seen.
  observed_incarnation TEXT,

  -- The proxy's, the API's at a word of the user, and the reconciler's when it stops a container: the later wins.
  last_access_at BIGINT NOT NULL,

  -- The reconciler's.
  operation TEXT NOT NULL DEFAULT 'NONE',
  op_id TEXT,
  op_owner TEXT,
  op_incarnation TEXT,
  op_started_at BIGINT,
  op_heartbeat_at BIGINT,
  op_progress TEXT,
  previous_status TEXT,
  pending_archive_key TEXT,
  archive_key TEXT,
  -- What its volume was filled with: an archive's key, or 'nothing'. None: there is no whole volume.
  home_from TEXT,
  error_code TEXT,
  error_message TEXT,
  error_count BIGINT NOT NULL DEFAULT 0,
  error_terminal INTEGER NOT NULL DEFAULT 0,
  error_at BIGINT,
  error_version BIGINT,
  retry_at BIGINT,
  deleted_at BIGINT
);

CREATE INDEX workspaces_of_tenant ON workspaces (tenant, id) WHERE deleted_at IS NULL;
CREATE INDEX workspaces_wanted_running ON workspaces (key_name) WHERE deleted_at IS NULL AND desired_state = 'RUNNING';
CREATE INDEX workspaces_in_operation ON workspaces (op_heartbeat_at) WHERE operation <> 'NONE';
CREATE INDEX workspaces_apart ON workspaces (id) WHERE deleted_at IS NULL AND observed_status <> desired_state;
CREATE INDEX workspaces_half_made ON workspaces (id) WHERE deleted_at IS NULL AND observed_status = 'STANDBY' AND home_from IS NULL;
CREATE INDEX workspaces_to_delete ON workspaces (id) WHERE deleted_at IS NULL AND delete_requested_at IS NOT NULL;
CREATE INDEX workspaces_by_access ON workspaces (observed_status, last_access_at) WHERE deleted_at IS NULL;

CREATE TABLE workspace_archives (
  archive_key TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  begun_at BIGINT NOT NULL,
  -- Since when nobody needs it: superseded, given up, or its workspace is deleted.
  unwanted_at BIGINT
);

CREATE INDEX workspace_archives_of ON workspace_archives (workspace_id);
CREATE INDEX workspace_archives_unwanted ON workspace_archives (unwanted_at) WHERE unwanted_at IS NOT NULL;

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until BIGINT NOT NULL
);
