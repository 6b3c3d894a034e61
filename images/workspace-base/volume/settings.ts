export interface VolumeSettings {
  /** What whoever started it knows, and nobody else. */
  token: string;
  port: number;
  /** All that it works on. */
  folder: string;
}

/** Throws an error that names what is missing. */
export function readSettings(env: NodeJS.ProcessEnv): VolumeSettings {
  const { VOLUME_TOKEN: token = '', VOLUME_PORT: text = '9000', VOLUME_FOLDER: folder = '/volume' } = env;
  if (token.length < 32) throw new Error('VOLUME_TOKEN is required: at least 32 characters');
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('VOLUME_PORT is a port, from 0 to 65535');
  return { token, port, folder };
}
