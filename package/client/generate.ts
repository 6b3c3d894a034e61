import { writeFileSync } from 'node:fs';
import { apiFile, generatedApi } from './generated-api.ts';

// `npm run client`: the types of the client, from the document that the runtime serves.

writeFileSync(apiFile, await generatedApi());
console.log('runtime/client/api.ts');
