import { Command } from '@pulumi/command/local/command.js';
import { all, type ComponentResource, type Output, type Resource } from '@pulumi/pulumi';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { destroyCommand } from '../destroy-command.ts';
import { WITH_DOCKER } from './docker-command.ts';
import { engineHost } from './engine-socket.ts';
import { HARDENING, type RuntimeProgram } from './runtime-program.ts';

/**
 * Runs a container to its end, where the installation has anything to end. What it is told are arguments, so that the
 * shell reads nothing in them: the engine, or nothing; the label of all that is the installation's; whether volumes are
 * to go, too, or nothing; a second network; and all that `docker create` takes.
 */
export const SCRIPT = `
engine=$1 label=$2 volumes=$3 network=$4
shift 4
${WITH_DOCKER}
left=$(docker ps --all --quiet --filter "label=$label") || exit
[ -z "$volumes" ] || left=$left$(docker volume ls --quiet --filter "label=$label") || exit
[ -n "$left" ] || exit 0
container=$(docker create --rm --pull never "$@") || exit
docker network connect "$network" "$container" && docker start --attach "$container" && exit
code=$?
docker rm --force "$container" >/dev/null 2>&1
echo "Something is left, so all that it needs stays. Run pulumi destroy again. To give up what could not be saved, \
first: docker rm --force \\$(docker ps --all --quiet --filter label=$label)\
\${volumes:+; docker volume rm \\$(docker volume ls --quiet --filter label=$label)}" >&2
exit $code
`;

interface Given {
  program: RuntimeProgram;
  destroyData: boolean;
  dependsOn: Resource[];
  parent: ComponentResource;
}

/**
 * What is made before the runtime, and so is deleted after it and before all that a runtime needs. Its deletion ends
 * every container of conversations and workspaces, files saved first. Nothing is done when it is made or changed, and no change makes
 * another of it: it has no triggers.
 */
export function dockerSweeper(name: string, { program, destroyData, dependsOn, parent }: Given): Command {
  const command = destroyCommand(destroyData);
  const { front } = program.networks;
  const whose = [engineHost() ?? '', `${LABEL.installation}=${name}`, destroyData ? 'volumes' : ''];
  const beginning = ['/bin/sh', '-c', SCRIPT, 'berth', ...whose];
  const words = all([front.name, createArguments(program)]).apply(([network, options]) => {
    return [...beginning, network, ...options, ...command.slice(0, -1)];
  });
  return new Command(
    `${name}-sweeper`,
    {
      interpreter: words,
      delete: command.at(-1) ?? '', // the provider adds it as the last word
      environment: Object.fromEntries(program.variables.map(({ name, value }) => [name, value])),
    },
    { parent, dependsOn, additionalSecretOutputs: ['environment'] },
  );
}

/** As `docker create` has it. Variables are passed on by their names: values are in the command's own environment. */
function createArguments(program: RuntimeProgram): Output<string[]> {
  const { image, variables, mounts, tmpfs, group, networks, labels } = program;
  const { capabilities, securityOpts } = HARDENING;
  return all([image, networks.stores.name, all(mounts.map((mount) => all(mount)))]).apply(
    ([ref, network, mounted]) => [
      ...['--network', network, '--no-healthcheck', '--group-add', group, '--read-only'],
      ...capabilities.drops.flatMap((drop) => ['--cap-drop', drop]),
      ...securityOpts.flatMap((option) => ['--security-opt', option]),
      ...Object.entries(tmpfs).flatMap(([path, options]) => ['--tmpfs', `${path}:${options}`]),
      ...mounted.flatMap((mount) => ['--mount', csv(mount)]),
      ...labels.flatMap(({ label, value }) => ['--label', `${label}=${value}`]),
      ...variables.flatMap(({ name }) => ['--env', name]),
      ref,
    ],
  );
}

/** As `--mount` reads it: a value may have a comma. */
function csv(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([key, value]) => `"${`${key}=${value}`.replaceAll('"', '""')}"`)
    .join(',');
}
