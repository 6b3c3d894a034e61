import { serveProvider } from '../provider.ts';
import { FUNCTIONS } from './functions.ts';
import { kindsOf } from './kinds.ts';
import { RECORDER, Recorder } from './recorder.ts';

// The provider `aws`: an account that is written down, with an ECS, an S3 and a Redis behind it that work.

const folder = process.env[RECORDER];
if (folder === undefined) throw new Error(`${RECORDER} names no folder for what this provider makes.`);
await serveProvider('aws', '7.48.0', kindsOf(new Recorder(folder)), FUNCTIONS);
