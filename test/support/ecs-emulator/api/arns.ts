/** The names that ECS gives in one region of one account. */
export class Arns {
  readonly region: string;
  readonly account: string;

  constructor(region: string, account: string) {
    this.region = region;
    this.account = account;
  }

  cluster(name: string): string {
    return this.#ecs(`cluster/${name}`);
  }

  task(cluster: string, id: string): string {
    return this.#ecs(`task/${cluster}/${id}`);
  }

  container(cluster: string, task: string, id: string): string {
    return this.#ecs(`container/${cluster}/${task}/${id}`);
  }

  /** Those that a list of tasks is about. */
  containerInstances(cluster: string): string {
    return this.#ecs(`container-instance/${cluster}/*`);
  }

  service(cluster: string, name: string): string {
    return this.#ecs(`service/${cluster}/${name}`);
  }

  taskDefinition(family: string, revision: number | string): string {
    return this.#ecs(`task-definition/${family}:${revision}`);
  }

  logGroup(name: string): string {
    return `arn:aws:logs:${this.region}:${this.account}:log-group:${name}`;
  }

  fileSystem(id: string): string {
    return `arn:aws:elasticfilesystem:${this.region}:${this.account}:file-system/${id}`;
  }

  accessPoint(id: string): string {
    return `arn:aws:elasticfilesystem:${this.region}:${this.account}:access-point/${id}`;
  }

  #ecs(resource: string): string {
    return `arn:aws:ecs:${this.region}:${this.account}:${resource}`;
  }
}

/** What follows `<type>/` in an ARN of ECS, or the whole of what is no ARN. */
export function shortName(
  type: 'cluster' | 'task' | 'task-definition' | 'service',
  nameOrArn: string,
): string {
  return new RegExp(`^arn:aws[\\w-]*:ecs:[^:]*:[^:]*:${type}/(.+)$`).exec(nameOrArn)?.[1] ?? nameOrArn;
}
