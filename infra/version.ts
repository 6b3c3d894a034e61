import manifest from '../package.json' with { type: 'json' };

/** The package's version: runtime, images and infrastructure share it. */
export const VERSION: string = manifest.version;
