import { sqlStateOf } from '@trading-automation/persistence';

/**
 * Returns true if the failure is deterministic: caused by the input, not transient. SQLSTATE classes 22 and 23 are
 * invalid data and violated constraints.
 */
export function isDeterministicFailure(error: unknown): boolean {
  const isCodeError =
    error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError;
  return isCodeError || /^2[23]/.test(sqlStateOf(error) ?? '');
}
