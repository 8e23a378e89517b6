/** What is looked at, and what was found: each finding that is not good says how to mend it. */

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly found: string;
  /** What to do about it. */
  readonly mend: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found, mend: null });
export const warn = (check: string, found: string, mend: string): Finding => ({
  check,
  status: 'warn',
  found,
  mend,
});
export const fail = (check: string, found: string, mend: string): Finding => ({
  check,
  status: 'fail',
  found,
  mend,
});
