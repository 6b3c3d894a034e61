import { SECRET_VARIABLES } from '../../runtime/contracts/secret-variables.ts';
import { list, object, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';
import { DOCKER_CONTAINER, eachContainer, TASK_DEFINITION } from './task-containers.ts';

const SECRET_NAME =
  /(^|_)(SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN|CREDENTIALS?|(API|ACCESS|ADMIN|PRIVATE|SIGNING|ENCRYPTION)_?KEYS?)$/i;
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*:[^/?#@\s]+@/i;

/** Whether a variable holds what only some may know: by its name, or because its value carries a password. */
export function isSecretVariable(name: string, value: string): boolean {
  const known: readonly string[] = SECRET_VARIABLES;
  return known.includes(name) || SECRET_NAME.test(name) || URL_WITH_PASSWORD.test(value);
}

const ofTask = eachContainer(({ environment }) =>
  list(environment)
    .map(object)
    .filter(({ name, value }) => isSecretVariable(text(name), text(value)))
    .map(({ name }) => `has ${text(name)} in the clear`),
);

/** An engine has no secret store: what is secret is at least so in the state of the stack. */
const ofDocker: Check = (props, secrets) => {
  if (secrets === undefined || secrets.has('envs')) return [];
  return list(props.envs)
    .map((line) => /^([^=]*)=?(.*)$/s.exec(text(line)) ?? [])
    .filter(([, name = '', value = '']) => isSecretVariable(name, value))
    .map(([, name]) => `The environment has ${name} and is no secret`);
};

const named =
  (property: string, what: string): Check =>
  (props) =>
    Object.keys(object(props[property]))
      .filter((name) => isSecretVariable(name, ''))
      .map((name) => `${what} ${name} in the clear`);

export const noSecretInEnvironment: ResourceRule = {
  name: 'no-secret-in-environment',
  description: 'Secrets come from a secret store: an environment is read by whoever may describe it.',
  level: 'mandatory',
  fix: "Put the value into Secrets Manager and name it in the container's secrets (on Docker: wrap it in pulumi.secret)",
  checks: {
    [TASK_DEFINITION]: ofTask,
    [DOCKER_CONTAINER]: ofDocker,
    'aws:lambda/function:Function': ({ environment }) =>
      named('variables', 'The function has')(object(environment)),
    // They stay in the image's history.
    'docker-build:index:Image': named('buildArgs', 'The build has the argument'),
  },
};
