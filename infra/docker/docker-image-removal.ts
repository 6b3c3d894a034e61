import { Command } from '@pulumi/command/local/command.js';
import type { ComponentResource } from '@pulumi/pulumi';
import { WITH_DOCKER } from './docker-command.ts';
import { engineHost } from './engine-socket.ts';

/** The tag of an image of ours that a platform has for itself: an image goes with the last of its tags. */
export function imageTag(platform: string, image: string): string {
  return `${image}.${platform}`; // no platform's name has a dot
}

/**
 * Takes images away as far as the engine lets it: those that were built for a platform, whenever that was, and those
 * that it pulled. It is told the engine, or nothing; which tags are the platform's; what it pulled; and whether to.
 */
export const SCRIPT = `
engine=$1 built=$2 pulled=$3
[ "$4" = remove ] || exit 0
${WITH_DOCKER}
built=$(docker image ls --filter "reference=$built" --format '{{.Repository}}:{{.Tag}}') || exit
for image in $built $pulled; do
  docker image inspect "$image" >/dev/null 2>&1 || continue
  docker image rm "$image" || echo "$image stays: something else is made of it."
done
exit 0
`;

interface Given {
  /** Names of images that are not built here. */
  pulled: readonly string[];
  destroyData: boolean;
  parent: ComponentResource;
}

/**
 * What is made before every image, and so is deleted once no container is made of them any more. It is there in any
 * case: to leave it out where images stay would delete it, and so them.
 */
export function dockerImageRemoval(name: string, { pulled, destroyData, parent }: Given): Command {
  const words = [engineHost() ?? '', imageTag(name, '*:*'), pulled.join(' ')];
  return new Command(
    `${name}-images`,
    {
      interpreter: ['/bin/sh', '-c', SCRIPT, 'berth', ...words],
      delete: destroyData ? 'remove' : 'keep', // the provider adds it as the last word
    },
    { parent },
  );
}
