import type { PolicyDocument, Statement } from '../../../infra/ecs/policy-document.ts';
import { conditionHolds } from './condition.ts';
import { matches, matchesArn } from './wildcards.ts';

/** One thing that a caller wants to do, as IAM is asked. */
export interface Access {
  /** `service:Action`. */
  readonly action: string;
  /** The ARN of what it is done to; `*` where the action knows no resource. */
  readonly resource: string;
  /** Condition keys, such as `ecs:cluster`, that the service sets. */
  readonly context?: Readonly<Record<string, string>>;
}

export type Verdict = 'allowed' | 'denied' | 'not allowed';

const ELEMENTS = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

/** What a policy of an identity says. Throws for anything in it that this knows no meaning of. */
export function evaluatePolicy({ Version, Statement }: PolicyDocument, access: Access): Verdict {
  if (Version !== '2012-10-17') throw new Error(`A policy of the version ${Version} is not understood.`);
  const applying = Statement.filter((statement) => applies(statement, access));
  if (applying.some(({ Effect }) => Effect === 'Deny')) return 'denied';
  return applying.length > 0 ? 'allowed' : 'not allowed';
}

function applies(statement: Statement, { action, resource, context = {} }: Access): boolean {
  const unknown = Object.keys(statement).filter((element) => !ELEMENTS.includes(element));
  if (unknown.length > 0) throw new Error(`A statement with ${unknown.join(', ')} is not understood.`);
  if (!['Allow', 'Deny'].includes(statement.Effect))
    throw new Error(`The effect ${statement.Effect} is not understood.`);
  if (/\$\{/.test(JSON.stringify(statement))) throw new Error('A variable is not understood.');
  if (statement.Resource === undefined) throw new Error('A statement of an identity wants a Resource.');
  // All of it is looked at, so that what is not understood is found whatever is asked.
  const holds = conditionHolds(statement.Condition ?? {}, context);
  return (
    list(statement.Action).some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    list(statement.Resource).some((pattern) => pattern === '*' || matchesArn(pattern, resource)) &&
    holds
  );
}

function list(value: string | string[]): string[] {
  return Array.isArray(value) ? value : [value];
}
