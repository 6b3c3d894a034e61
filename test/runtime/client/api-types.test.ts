import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { apiTypes } from '../../../package/client/api-types.ts';
import { apiFile, generatedApi } from '../../../package/client/generated-api.ts';
import type { EventGap, ExecEvent, ExecutionEvent } from '../../../runtime/contracts/agent-protocol.ts';
import type { execEvents } from '../../../runtime/http/routes/exec-schemas.ts';
import type { executionEvents } from '../../../runtime/http/routes/execution-schemas.ts';

type DataOf<Schemas extends Record<string, z.ZodType>> = {
  [Name in keyof Schemas]: { type: Name } & z.output<Schemas[Name]>;
}[keyof Schemas];
type Documented = DataOf<typeof executionEvents>;

describe("the client's types", () => {
  it('are those of the document that the runtime serves; npm run client mends them', async () => {
    expect(readFileSync(apiFile, 'utf8')).toBe(await generatedApi());
  });

  it('have of an event what the agent protocol says', () => {
    type Said = ExecutionEvent | EventGap;
    expectTypeOf<Exclude<Said['type'], Documented['type']>>().toEqualTypeOf<never>();
    expectTypeOf<Exclude<Documented['type'], Said['type']>>().toEqualTypeOf<
      'container' | 'container_recovered'
    >();
    expectTypeOf<Extract<Documented, { type: 'error' }>['error_type']>().toEqualTypeOf<
      Extract<Said, { type: 'error' }>['error_type']
    >();
    type Fields<Type> = Exclude<
      keyof Extract<Said, { type: Type }>,
      keyof Extract<Documented, { type: Type }>
    >;
    expectTypeOf<Fields<'done'> | Fields<'text_delta'> | Fields<'gap'>>().toEqualTypeOf<never>();
    expectTypeOf<Fields<'tool_use'> | Fields<'tool_result'> | Fields<'thinking'>>().toEqualTypeOf<never>();
    expectTypeOf<DataOf<typeof execEvents>['type']>().toEqualTypeOf<ExecEvent['type']>();
  });

  it('are made of every kind of schema that the document uses', () => {
    const schema = (description: string, more: object) => ({ description, ...more });
    const properties = {
      text: schema('Ends */ nothing', { type: 'string' }),
      either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      list: { type: 'array', items: { enum: ['a', 'b'] } },
      map: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Problem' } },
      several: { type: ['string', 'null'] },
      both: { allOf: [{ const: 1 }, {}] },
    };
    const text = apiTypes({
      paths: {},
      components: {
        schemas: {
          Problem: { type: 'object', properties: { code: { enum: ['X', 'Y'], 'x-retryable': ['Y'] } } },
          Thing: { type: 'object', required: ['text'], properties, additionalProperties: {} },
        },
      },
    }).replace(/\s+/g, ' ');
    expect(text).toContain(
      'export interface Thing { /** Ends * / nothing */ text: string; either?: number | null | undefined; ' +
        'list?: Array<"a" | "b"> | undefined; map?: Record<string, Problem> | undefined; ' +
        'several?: string | null | undefined; both?: (1) & (unknown) | undefined; [field: string]: unknown; }',
    );
    expect(text).toContain('= { X: false, Y: true, };');
  });

  it('are not made of a document without problems', () => {
    expect(() => apiTypes({ paths: {}, components: { schemas: {} } })).toThrow('no codes of problems');
  });
});
