/** Results of the checks of `svc doctor`. Each problem has a resolution. */

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What the check found, in words. */
  readonly found: string;
  /** How to fix the problem; null if the check passed. */
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
