import type { Service } from '@pulumi/aws/ecs/service.js';
import type { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import { all, type Output, runtime } from '@pulumi/pulumi';
import { toldError } from '../told-error.ts';

/** The revision that the service was told to run, once it does. In a preview there is nothing to look at. */
export function deployed(service: Service, task: TaskDefinition): Output<string> {
  if (runtime.isDryRun()) return task.arn;
  return all([service.name, service.cluster, service.taskDefinition, task.arn]).apply(
    ([name, cluster, runs = 'nothing', told]) => checkDeployed({ name, cluster, runs, told }),
  );
}

interface Deployment {
  name: string;
  cluster: string;
  /** A task definition's ARN, or its family and revision. */
  runs: string;
  told: string;
}

/** Throws where ECS rolled back: the service is steady then, and the provider calls that success. */
export function checkDeployed({ name, cluster, runs, told }: Deployment): string {
  const revision = (definition: string) => definition.slice(definition.lastIndexOf('/') + 1);
  if (revision(runs) === revision(told)) return told;
  throw toldError(
    `The service ${name} was to run ${revision(told)}, whose tasks failed: ECS has rolled it back, and it runs ` +
      `${revision(runs)}. Why is in its events (aws ecs describe-services --cluster ${cluster} --services ${name}) ` +
      'and in its log. Put that right and run pulumi up again.',
  );
}
