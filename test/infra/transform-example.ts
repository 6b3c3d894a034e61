import { WorkspacePlatform } from '../../infra/workspace-platform.ts';

/** The example of docs/guides/deploying.md, as it stands there. */
export function transformExample(certificateArn: string): WorkspacePlatform {
  const agents = new WorkspacePlatform(
    'agents',
    { platform: 'ecs', certificateArn },
    {
      transform: {
        redis: (args) => ({ ...args, nodeType: 'cache.r7g.xlarge' }),
        runtimeTask: (args) => ({ ...args, cpu: '2048', memory: '4096' }),
        alarm: (args, name) => (name.endsWith('-capacity') ? { ...args, threshold: 500 } : args),
      },
    },
  );
  return agents;
}
