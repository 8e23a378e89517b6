/** What is looked at, and what was found: each finding that is not good says how to fix it. */

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly found: string;
  /** What to do about it. */
  readonly resolution: string | null;
}

export const ok = (check: string, found: string): Finding => ({
  check,
  status: 'ok',
  found,
  resolution: null,
});
export const warn = (check: string, found: string, resolution: string): Finding => ({
  check,
  status: 'warn',
  found,
  resolution,
});
export const fail = (check: string, found: string, resolution: string): Finding => ({
  check,
  status: 'fail',
  found,
  resolution,
});
