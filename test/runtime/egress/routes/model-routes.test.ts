import { describe, expect, it } from 'vitest';
import type { RouteRequest } from '../../../../runtime/egress/route-plan.ts';
import { routeRequest } from '../../../../runtime/egress/routes/route-request.ts';
import { egressState, planned, refused, routeRequestTo, signingRule } from './egress-state.ts';

const post = (path: string, headers: RouteRequest['headers'] = []): RouteRequest =>
  routeRequestTo(path, { method: 'POST', headers });

describe("a request to Anthropic's API", () => {
  const state = egressState({ anthropic: { base_url: 'https://api.anthropic.com', api_key: 'canary-key' } });

  it("goes with the operator's key in place of whatever the client shows", () => {
    const headers: RouteRequest['headers'] = [
      ['X-API-Key', 'mine'],
      ['Authorization', 'Bearer mine'],
      ['anthropic-version', '2023-06-01'],
    ];
    expect(planned(routeRequest(post('/anthropic/v1/messages?beta=true', headers), state))).toEqual({
      method: 'POST',
      target: { secure: true, host: 'api.anthropic.com', port: 443 },
      namedBy: 'operator',
      path: '/v1/messages?beta=true',
      headers: [
        ['anthropic-version', '2023-06-01'],
        ['x-api-key', 'canary-key'],
      ],
      secret: true,
    });
  });

  it('is unknown where the operator set no key, and told how to', () => {
    expect(refused(routeRequest(post('/anthropic/v1/messages'), egressState()))).toMatchObject({
      refused: 'unknown_route',
      status: 404,
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });

  it.each(['/anthropic/../x', '/anthropic/%2e%2e/x', '/anthropic//x', '/anthropic/a%2fb'])(
    '%s is refused',
    (path) => {
      expect(refused(routeRequest(post(path), state))).toMatchObject({
        refused: 'forbidden_path',
        status: 403,
      });
    },
  );
});

describe('a request to Bedrock', () => {
  const state = egressState({ signing: signingRule() });
  const profile =
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-v1:0';

  it.each([
    ['anthropic.claude-3-sonnet-20240229-v1:0', 'anthropic.claude-3-sonnet-20240229-v1%3A0'],
    ['us.amazon.nova-lite-v1%3A0', 'us.amazon.nova-lite-v1%3A0'],
    ['global.amazon.nova-2-lite-v1%3a0:300k', 'global.amazon.nova-2-lite-v1%3A0%3A300k'],
    [encodeURIComponent(profile), encodeURIComponent(profile)],
    [profile.replace('/', '%2f'), encodeURIComponent(profile)],
    [
      'arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model%2Fa.b',
      'arn%3Aaws-us-gov%3Abedrock%3Aus-gov-west-1%3A%3Afoundation-model%2Fa.b',
    ],
  ])('calls the model %s in one form of its name', (id, sent) => {
    for (const operation of ['invoke', 'invoke-with-response-stream', 'converse', 'converse-stream']) {
      const plan = planned(routeRequest(post(`/model/${id}/${operation}`), state));
      expect(plan.path).toBe(`/model/${sent}/${operation}`);
      expect(plan).toMatchObject({ namedBy: 'operator', secret: true, gather: { mostBytes: 33_554_432 } });
    }
  });

  it.each([
    '/',
    '/model/a.b/delete',
    '/model/a.b/invoke/',
    '/model/a.b/invoke/x',
    '/model/a.b/invoke?x=1',
    '/model/a.b/invoke?',
    '/model/a.b',
    '/model//invoke',
    '/model/../invoke',
    '/model/%2e%2e/invoke',
    '/model/a%2f..%2f..%2fb/invoke',
    '/model/arn:aws:bedrock:us-east-1:123456789012:inference-profile/a.b/invoke',
    '/model/arn%3Aaws%3As3%3A%3A%3Ab%2Fa/invoke',
    '/model/arn:aws:bedrock:us-east-1::foundation-model%2F..%2Fa/invoke',
    '/model/a%253A0/invoke',
    '/model/a%00/invoke',
    '/model/a%c0%ae/invoke',
    '/Model/a.b/invoke',
    '/guardrail/x/version/1/apply',
    '/async-invoke',
    '/x/../model/a.b/invoke',
    '//model/a.b/invoke',
    '/mcpx/a',
    '/anthropicx',
  ])('%s is refused', (path) => {
    expect(refused(routeRequest(post(path), state))).toMatchObject({
      refused: 'forbidden_path',
      status: 403,
    });
  });

  it('is refused with another method', () => {
    for (const method of ['GET', 'PUT', 'post', 'TRACE']) {
      const outcome = routeRequest(routeRequestTo('/model/a.b/invoke', { method }), state);
      expect(refused(outcome)).toMatchObject({ refused: 'forbidden_path', status: 403 });
    }
  });

  it('is unknown without credentials, and not signed with expired ones', async () => {
    const request = post('/model/a.b/invoke');
    expect(refused(routeRequest(request, egressState()))).toMatchObject({
      refused: 'unknown_route',
      status: 404,
      message: expect.stringContaining('BEDROCK_REGION'),
    });
    const expiry = Date.parse(signingRule().credentials.expires_at);
    expect(refused(routeRequest(request, state, () => new Date(expiry)))).toMatchObject({
      refused: 'unknown_route',
      status: 503,
      message: expect.stringContaining('expired'),
    });
    let now = expiry - 1;
    const plan = planned(routeRequest(request, state, () => new Date(now)));
    now = expiry;
    await expect(plan.gather?.finish(Buffer.from('{}'))).rejects.toThrow(/expired/);
  });

  it("keeps the call's own parameters and drops what AWS would read otherwise", () => {
    const dropped = [
      'Authorization',
      'X-Amz-Date',
      'x-amz-security-token',
      'X-AMZ-Target',
      'x_amz_date',
      'Date',
    ];
    const alsoDropped = ['Via', 'X-Forwarded-For', 'Expect', 'Cookie', 'X-Amzn-Trace-Id', 'TE'];
    const kept = ['Accept', 'Content-Type', 'X-Amzn-Bedrock-GuardrailIdentifier', 'X-Amzn-Bedrock-Trace'];
    const headers = [...dropped, ...alsoDropped, ...kept].map((name) => [name, 'x'] as const);
    const plan = planned(routeRequest(post('/model/a.b/invoke', headers), state));
    expect(plan.headers.map(([name]) => name)).toEqual(kept);
  });

  it('is told to go behind the path of the rule, and signs that', async () => {
    const behind = egressState({ signing: signingRule({ base_url: 'http://gateway.internal:9000/aws/' }) });
    const plan = planned(routeRequest(post('/model/a.b/invoke'), behind));
    expect(plan.target).toEqual({ secure: false, host: 'gateway.internal', port: 9000 });
    expect(plan.path).toBe('/aws/model/a.b/invoke');
  });
});
