export interface Statement {
  Sid?: string;
  Effect: 'Allow' | 'Deny';
  Principal?: '*' | { Service?: string; AWS?: string };
  Action: string | string[];
  Resource?: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** What IAM, S3 and endpoints take as JSON. */
export interface PolicyDocument {
  Version: '2012-10-17';
  Statement: Statement[];
}

export function policy(...statements: Statement[]): PolicyDocument {
  return { Version: '2012-10-17', Statement: statements };
}
