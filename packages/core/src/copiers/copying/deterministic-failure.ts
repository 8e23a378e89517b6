import { sqlStateOf } from '@trading-automation/persistence';

/** Whether what failed would fail again, for what it was given: nothing that passes, and nobody's death. */
export function isDeterministicFailure(error: unknown): boolean {
  const isOfCode = error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError;
  return isOfCode || /^2[23]/.test(sqlStateOf(error) ?? '');
}
