import {
  DeregisterTaskDefinitionCommand,
  ListTaskDefinitionFamiliesCommand,
  ListTaskDefinitionsCommand,
} from '@aws-sdk/client-ecs';

/** `family:revision` of an ARN, or of what is none. */
const revisionOf = (definition) => definition.slice(definition.lastIndexOf('/') + 1);
const familyOf = (definition) => revisionOf(definition).split(':')[0];

/**
 * Of the active revisions, those of these families that nobody is to be made of any more.
 *
 * @param {readonly string[]} active
 * @param {readonly string[]} families
 * @param {readonly string[]} kept
 */
export function planRevisions(active, families, kept) {
  const staying = new Set(kept.map(revisionOf));
  return active.filter(
    (definition) => families.includes(familyOf(definition)) && !staying.has(revisionOf(definition)),
  );
}

/**
 * Deregisters them. What runs of them goes on, and a repeated call goes on where the last one ended.
 *
 * @param {import('@aws-sdk/client-ecs').ECSClient} ecs
 * @param {{ families: readonly string[], kept: readonly string[], giveUpMs?: number }} of
 */
export async function deregister(ecs, { families, kept, giveUpMs = Number.POSITIVE_INFINITY }) {
  const giveUp = performance.now() + giveUpMs;
  const active = new Set();
  for (const family of families) for (const definition of await activeOf(ecs, family)) active.add(definition);
  const old = planRevisions([...active], families, kept);
  for (const [done, taskDefinition] of old.entries()) {
    if (performance.now() > giveUp)
      throw new Error(
        `${old.length - done} task definitions are still active: AWS deregisters about one in a second. Run pulumi destroy again.`,
      );
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }));
  }
  return old;
}

/**
 * @param {import('@aws-sdk/client-ecs').ECSClient} ecs
 * @param {string} familyPrefix
 */
export async function activeFamilies(ecs, familyPrefix) {
  if (!familyPrefix)
    throw new Error('Families are looked for by their beginning: all would be those of others.');
  return pages(async (nextToken) => {
    const query = { familyPrefix, status: 'ACTIVE', nextToken };
    const page = await ecs.send(new ListTaskDefinitionFamiliesCommand(query));
    return { found: page.families, nextToken: page.nextToken };
  });
}

/** AWS calls it a prefix, and takes it for the whole name. */
async function activeOf(ecs, familyPrefix) {
  return pages(async (nextToken) => {
    const query = { familyPrefix, status: 'ACTIVE', nextToken };
    const page = await ecs.send(new ListTaskDefinitionsCommand(query));
    return { found: page.taskDefinitionArns, nextToken: page.nextToken };
  });
}

async function pages(read) {
  const all = [];
  let from;
  do {
    const { found = [], nextToken } = await read(from);
    all.push(...found);
    from = nextToken;
  } while (from !== undefined);
  return all;
}
