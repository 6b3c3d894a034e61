import { DeregisterTaskDefinitionCommand, ListTaskDefinitionsCommand } from '@aws-sdk/client-ecs';

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
 * @param {{ families: readonly string[], kept: readonly string[] }} of
 */
export async function deregister(ecs, { families, kept }) {
  const active = new Set();
  for (const family of families) for (const definition of await activeOf(ecs, family)) active.add(definition);
  const old = planRevisions([...active], families, kept);
  for (const taskDefinition of old) await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }));
  return old;
}

async function activeOf(ecs, familyPrefix) {
  const found = [];
  let nextToken;
  do {
    const page = await ecs.send(
      new ListTaskDefinitionsCommand({ familyPrefix, status: 'ACTIVE', nextToken }),
    );
    found.push(...(page.taskDefinitionArns ?? []));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return found;
}
