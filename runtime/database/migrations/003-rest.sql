-- The TTL manager's: the user's word that stood when it put the workspace to STANDBY. A later word makes it void.
ALTER TABLE workspaces ADD COLUMN rested_version BIGINT;
