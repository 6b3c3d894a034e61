import { type Arns, shortName } from '../api/arns.ts';
import { AwsError, invalidParameter } from '../api/aws-error.ts';
import type { Cluster } from '../cluster-store.ts';
import type { Task } from '../tasks/task.ts';
import type { Service, ServiceIdentity } from './service.ts';

export class ServiceStore {
  readonly #arns: Arns;
  readonly #services = new Map<string, Service>();

  constructor(arns: Arns) {
    this.#arns = arns;
  }

  /** Throws where there is one of this name. */
  add(cluster: Cluster, name: string, make: (identity: ServiceIdentity) => Service): Service {
    const arn = this.#arns.service(cluster.name, name);
    const before = this.#services.get(arn)?.status;
    if (before === 'ACTIVE') throw invalidParameter('Creation of service was not idempotent.');
    if (before === 'DRAINING') {
      throw invalidParameter('Unable to Start a service that is still Draining.');
    }
    const service = make({ name, arn, cluster });
    this.#services.set(arn, service);
    return service;
  }

  find(cluster: Cluster, nameOrArn: string): Service | undefined {
    const name = shortName('service', nameOrArn).split('/').at(-1) ?? '';
    return this.#services.get(this.#arns.service(cluster.name, name));
  }

  /** Throws `ServiceNotFoundException` or `ServiceNotActiveException`. */
  active(cluster: Cluster, nameOrArn: string): Service {
    const service = this.find(cluster, nameOrArn);
    if (service === undefined) throw new AwsError('ServiceNotFoundException', 'Service not found.');
    if (service.status !== 'ACTIVE')
      throw new AwsError('ServiceNotActiveException', 'Service was not ACTIVE.');
    return service;
  }

  /** Those of a cluster that have not gone. */
  of(cluster: Cluster): Service[] {
    return [...this.#services.values()].filter(
      ({ identity, status }) => identity.cluster === cluster && status !== 'INACTIVE',
    );
  }

  /** Nothing is brought back any more. */
  close(): void {
    for (const service of this.#services.values()) service.delete();
  }

  taskChanged(task: Task): void {
    for (const service of this.#services.values()) service.taskChanged(task);
  }
}
