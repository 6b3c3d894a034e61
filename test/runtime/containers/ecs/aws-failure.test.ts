import { describe, expect, it } from 'vitest';
import { asBerthError, troubleOf } from '../../../../runtime/containers/ecs/aws-failure.ts';

/** An error as the SDK throws it. */
function sdkError(name: string, httpStatusCode?: number): Error {
  return Object.assign(new Error('what AWS said'), {
    name,
    $metadata: httpStatusCode === undefined ? {} : { httpStatusCode },
  });
}

describe('an error of AWS', () => {
  it.each([
    ['ThrottlingException', 400, 'throttled'],
    ['TooManyRequestsException', 400, 'throttled'],
    ['SomethingNew', 429, 'throttled'],
    ['ServerException', 500, 'unavailable'],
    ['ServiceUnavailable', 503, 'unavailable'],
    ['TimeoutError', undefined, 'unavailable'],
    ['Error', undefined, 'unavailable'],
    ['AccessDeniedException', 400, 'denied'],
    ['CredentialsProviderError', undefined, 'denied'],
    ['ClusterNotFoundException', 400, 'no-cluster'],
    ['InvalidParameterException', 400, 'refused'],
    ['ClientException', 400, 'refused'],
    ['ConflictException', 409, 'refused'],
  ])('%s with status %s is %s', (name, status, trouble) => {
    expect(troubleOf(sdkError(name, status))).toBe(trouble);
  });

  it.each([
    ['ThrottlingException', 'BACKEND_UNAVAILABLE', /no more calls of RunTask/],
    ['ServerException', 'BACKEND_UNAVAILABLE', /does not answer RunTask/],
    ['AccessDeniedException', 'BACKEND_UNAVAILABLE', /check its role and credentials/],
    ['ClusterNotFoundException', 'BACKEND_UNAVAILABLE', /check ECS_CLUSTER/],
    ['InvalidParameterException', 'CONTAINER_CREATE_FAILED', /ECS refuses RunTask/],
  ])('%s becomes %s, with what AWS said and itself as the cause', (name, code, words) => {
    const error = sdkError(name, name === 'ServerException' ? 500 : 400);
    const ours = asBerthError('ECS', 'RunTask', error);
    expect(ours).toMatchObject({ code, cause: error, detail: expect.stringMatching(words) });
    expect(ours.detail).toContain(`${name}: what AWS said`);
  });

  it('may be something that is no error at all', () => {
    expect(troubleOf('x')).toBe('unavailable');
    expect(asBerthError('ECS', 'RunTask', 'x').detail).toContain('x');
  });
});
