import { object, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';

/** What an instance says of itself, its role's credentials included: only itself may ask. */
const openMetadata: Check = ({ metadataOptions }) => {
  const { httpEndpoint, httpTokens, httpPutResponseHopLimit } = object(metadataOptions);
  if (httpEndpoint === 'disabled') return [];
  if (httpTokens !== 'required') return ['Instances give their credentials to whoever asks without a token'];
  return httpPutResponseHopLimit === 1 ? [] : ['Instances answer containers that ask for their credentials'];
};

/** The agent of ECS has this off unless it is told. */
const openToTasks = (userData: string): string[] =>
  /\bECS_CLUSTER=/.test(userData) && !/^(?!\s*#)(.*[\s"'])?ECS_AWSVPC_BLOCK_IMDS=["']?true\b/m.test(userData)
    ? ['Tasks on its instances may ask for the credentials of the instance']
    : [];

const decoded = (base64: unknown) => Buffer.from(text(base64), 'base64').toString();

export const noInstanceCredentials: ResourceRule = {
  name: 'no-instance-credentials',
  description: 'Containers on an instance have no way to the credentials of its role.',
  level: 'mandatory',
  fix: 'Set metadataOptions to httpTokens required and httpPutResponseHopLimit 1, and ECS_AWSVPC_BLOCK_IMDS=true in user data',
  checks: {
    'aws:ec2/launchTemplate:LaunchTemplate': (props) => [
      ...openMetadata(props),
      ...openToTasks(decoded(props.userData)),
    ],
    'aws:ec2/launchConfiguration:LaunchConfiguration': (props) => [
      ...openMetadata(props),
      ...openToTasks(text(props.userData) + decoded(props.userDataBase64)),
    ],
    'aws:ec2/instance:Instance': (props) => [
      ...openMetadata(props),
      ...openToTasks(text(props.userData) + decoded(props.userDataBase64)),
    ],
  },
};
