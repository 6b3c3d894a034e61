import type { SigningRule } from '../../contracts/egress.ts';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../route-plan.ts';
import { signRequest } from '../signing/sign-request.ts';
import { baseOf, hostHeader } from './base-url.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import type { RequestPath } from './request-path.ts';

const MOST_BODY_BYTES = 32 * 1024 * 1024;
const OPERATION = /^\/model\/([^/]{1,4096})\/(invoke|invoke-with-response-stream|converse|converse-stream)$/;
const NAME = '[A-Za-z0-9][A-Za-z0-9._:-]{0,255}';
/** A model's or a profile's id, or the ARN of a model, profile, prompt, router or endpoint. */
const MODEL = new RegExp(
  `^(?:arn:aws[a-z-]{0,20}:(?:bedrock|sagemaker):[a-z0-9-]{1,32}:(?:[0-9]{12})?:[a-z-]{1,64}/)?${NAME}$`,
);
const DROPPED = new Set(['authorization', 'cookie', 'date']);

/** A call of a model on Bedrock, signed with the operator's credentials for the operator's region. */
export function routeBedrock(
  request: RouteRequest,
  { path, query }: RequestPath,
  rule: SigningRule | null,
  now: () => Date,
): RoutePlan | RouteRefusal {
  const [, segment = '', operation = ''] = OPERATION.exec(path) ?? [];
  const model = modelOf(segment);
  if (request.method !== 'POST' || query !== '' || model === undefined) {
    const message =
      'This path is not forwarded. There are /mcp/{server}/…, /anthropic/… and, for Bedrock, POST /model/{id}/ with invoke, invoke-with-response-stream, converse or converse-stream.';
    return { refused: 'forbidden_path', status: 403, message };
  }
  if (rule === null) {
    const message = 'There are no credentials for Bedrock here. The operator sets BEDROCK_REGION for them.';
    return { refused: 'unknown_route', status: 404, message };
  }
  if (expired(rule, now())) {
    const message = 'The credentials for Bedrock have expired and no newer ones have come. Try again soon.';
    return { refused: 'unknown_route', status: 503, message };
  }
  const base = baseOf(rule.base_url);
  // Encoded anew, so that what is signed is what is sent, whatever form the client chose.
  const signedPath = `${base.path.replace(/\/+$/, '')}/model/${encodeURIComponent(model)}/${operation}`;
  const headers = forwardedHeaders(request.headers, isDropped);
  const host = hostHeader(base.target);
  return {
    method: 'POST',
    target: base.target,
    namedBy: 'operator',
    path: signedPath,
    headers,
    secret: true,
    gather: {
      mostBytes: MOST_BODY_BYTES,
      finish: async (body) => {
        const at = now();
        if (expired(rule, at)) throw new Error('the credentials for Bedrock expired while the body came');
        return signRequest({ method: 'POST', host, path: signedPath, headers, body }, rule, at);
      },
    },
  };
}

const expired = ({ credentials }: SigningRule, now: Date): boolean =>
  now.getTime() >= Date.parse(credentials.expires_at);

/** All that AWS gives a meaning to but the parameters of the call itself. */
const isDropped = (name: string): boolean =>
  DROPPED.has(name) || (/^x-amzn?-/.test(name) && !name.startsWith('x-amzn-bedrock-'));

function modelOf(segment: string): string | undefined {
  try {
    const model = decodeURIComponent(segment);
    return MODEL.test(model) ? model : undefined;
  } catch {
    return undefined;
  }
}
