import { ECSClient, ListTaskDefinitionsCommand } from '@aws-sdk/client-ecs';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { connectEngine } from '../../images/builder/engine.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { docker, objectStore } from '../support/services/provided.ts';

// What a platform on AWS is seen by from outside: its containers and images on the engine, its objects.

/** By variable: what each running container of this name has, beyond what its image says. */
export async function environmentsOf(
  emulator: EcsEmulator,
  container: string,
): Promise<Record<string, string>[]> {
  const engine = connectEngine(docker().host);
  const running = emulator.tasks.filter(({ status }) => status === 'RUNNING');
  const names = running
    .filter(({ containers }) => containers.some(({ name }) => name === container))
    .map(({ identity }) => `berth-ecs-${identity.id}-${container}`);
  return Promise.all(
    names.map(async (name) => {
      const { Config, Image } = await engine.getContainer(name).inspect();
      const { Config: ofImage } = await engine.getImage(Image).inspect();
      const own = Config.Env.filter((line) => !ofImage.Env?.includes(line));
      return Object.fromEntries(
        own.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
    }),
  );
}

/** Of task definitions, those that tasks can be made of: `family:revision`. */
export async function activeRevisions(emulator: EcsEmulator): Promise<string[]> {
  const credentials = { accessKeyId: 'deployer', secretAccessKey: 'not-checked' };
  const client = new ECSClient({ endpoint: emulator.url, region: emulator.region, credentials });
  const { taskDefinitionArns = [] } = await client.send(new ListTaskDefinitionsCommand({}));
  client.destroy();
  return taskDefinitionArns.map((arn) => arn.slice(arn.lastIndexOf('/') + 1));
}

/** Of all that is in a bucket. */
export async function keysIn(Bucket: string): Promise<string[]> {
  const { endpoint, env } = objectStore();
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = env;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
  return Contents.map(({ Key = '' }) => Key);
}

/** Removes those that were pushed under a project's name. */
export async function removeImages(project: string): Promise<void> {
  const engine = connectEngine(docker().host);
  const images = await engine.listImages();
  const tags = images.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.includes(`/${project}/`));
  for (const tag of tags) await engine.getImage(tag).remove();
}
