import type { z } from 'zod';
import { type AwsError, invalidParameter } from '../api/aws-error.ts';
import type { World } from '../world.ts';

/** What is known of a call besides its input. */
export interface CallContext {
  /** RunTask is to answer so, and to start nothing. */
  readonly failures?: { readonly reason: string; readonly detail?: string | undefined };
}

export interface Operation {
  /** Throws `AwsError`. */
  answer(world: World, input: unknown, context: CallContext): unknown;
}

/** An operation of the API whose input has been checked against its shape. */
export function operation<T>(
  shape: z.ZodType<T>,
  act: (world: World, input: T, context: CallContext) => unknown,
  wrong: (message: string) => AwsError = invalidParameter,
): Operation {
  return {
    answer(world, input, context) {
      const parsed = shape.safeParse(input);
      if (!parsed.success) throw wrong(describe(parsed.error));
      return act(world, parsed.data, context);
    },
  };
}

function describe(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const path = issue.path.join('.');
      if (issue.code !== 'unrecognized_keys')
        return path === '' ? issue.message : `${path}: ${issue.message}`;
      const members = issue.keys.map((key) => (path === '' ? key : `${path}.${key}`));
      return `The emulator does not emulate ${members.join(', ')}.`;
    })
    .join('; ');
}
