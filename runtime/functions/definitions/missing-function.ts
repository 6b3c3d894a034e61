import { BerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';

export function missingFunction({ name }: Pick<FunctionKey, 'name'>): BerthError {
  return new BerthError('FUNCTION_NOT_FOUND', `there is no function ${name}`);
}
