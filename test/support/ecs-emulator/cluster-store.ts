import { type Arns, shortName } from './api/arns.ts';
import { AwsError } from './api/aws-error.ts';

export interface CapacityStrategyItem {
  readonly capacityProvider: string;
  readonly weight?: number | undefined;
  readonly base?: number | undefined;
}

export interface Cluster {
  readonly name: string;
  readonly arn: string;
  capacityProviders: readonly string[];
  defaultStrategy: readonly CapacityStrategyItem[];
  readonly tags: ReadonlyMap<string, string>;
}

export class ClusterStore {
  readonly #arns: Arns;
  readonly #clusters = new Map<string, Cluster>();

  constructor(arns: Arns) {
    this.#arns = arns;
  }

  /** One that is there already stays as it is. */
  create(name: string, settings: Partial<Omit<Cluster, 'name' | 'arn'>> = {}): Cluster {
    const cluster = this.#clusters.get(name) ?? {
      name,
      arn: this.#arns.cluster(name),
      capacityProviders: settings.capacityProviders ?? [],
      defaultStrategy: settings.defaultStrategy ?? [],
      tags: settings.tags ?? new Map(),
    };
    this.#clusters.set(name, cluster);
    return cluster;
  }

  find(nameOrArn = 'default'): Cluster | undefined {
    return this.#clusters.get(shortName('cluster', nameOrArn));
  }

  /** Throws `ClusterNotFoundException`. */
  get(nameOrArn?: string): Cluster {
    const cluster = this.find(nameOrArn);
    if (cluster === undefined) throw new AwsError('ClusterNotFoundException', 'Cluster not found.');
    return cluster;
  }

  delete(cluster: Cluster): void {
    this.#clusters.delete(cluster.name);
  }
}
