import { sqlStateOf } from '@trading-automation/persistence';

/**
 * Returns whether the failure is deterministic, that is, caused by the input. Transient failures and crashes are not.
 */
export function isDeterministicFailure(error: unknown): boolean {
  const isOfCode = error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError;
  return isOfCode || /^2[23]/.test(sqlStateOf(error) ?? '');
}
