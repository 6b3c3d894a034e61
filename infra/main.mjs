// What Pulumi starts, with the `node` of the path. An older one can't read the program itself, which is TypeScript.

const OLDEST = 24;
const { node } = process.versions;
if (Number.parseInt(node, 10) < OLDEST) {
  console.error(`Berth wants Node ${OLDEST} or later on the PATH, where ${process.execPath} is ${node}.`);
  process.exit(1); // on Node 20 Pulumi's own way of telling an error that is thrown here never ends
}

export const { url, apiKey, backend, version, vpcId } = await import('./index.ts');
