/** What the stack prod is to be given: it is committed without one. */
export const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/0abc1234';
