import { ApiError, ConnectionError } from '@trading-automation/sdk';

export interface Failure {
  readonly kind:
    | 'approval'
    | 'permission'
    | 'session'
    | 'missing'
    | 'limit'
    | 'unavailable'
    | 'offline'
    | 'rejected';
  /** What happened, in one sentence. */
  readonly title: string;
  /** What was not lost, and what to do. */
  readonly advice: string;
  readonly requestId?: string | undefined;
}

/** Describes an error of a request for a person. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, summary, requestId, retryAfterMs } = error;
    if (status === 401)
      return {
        kind: 'session',
        title: 'Your session has ended.',
        advice: 'Sign in again to continue.',
        requestId,
      };
    if (error.details.some(({ code }) => code === 'approval_too_old'))
      return {
        kind: 'approval',
        title: 'This session was approved more than 15 minutes ago.',
        advice: 'Sign in again to create, rotate or link credentials. Nothing was changed.',
        requestId,
      };
    if (status === 403) {
      const { permission } = error.details[0] ?? {};
      return {
        kind: 'permission',
        title: 'This session may not do this.',
        advice:
          typeof permission === 'string'
            ? `It has no ${permission} permission. Sign in with a key that has it.`
            : summary,
        requestId,
      };
    }
    if (status === 404)
      return {
        kind: 'missing',
        title: 'This record does not exist.',
        advice: 'It may have been deleted, or it belongs to another account.',
        requestId,
      };
    if (status === 429) {
      const seconds = Math.ceil((retryAfterMs ?? 10_000) / 1000);
      return {
        kind: 'limit',
        title: 'Too many requests.',
        advice: `Nothing was lost. Try again in ${seconds} s.`,
        requestId,
      };
    }
    if (status >= 500)
      return {
        kind: 'unavailable',
        title: 'The service does not respond right now.',
        advice: `Nothing was lost. ${summary}`,
        requestId,
      };
    return { kind: 'rejected', title: 'The request was not accepted.', advice: error.message, requestId };
  }
  if (error instanceof ConnectionError || error instanceof TypeError)
    return {
      kind: 'offline',
      title: 'The dashboard does not respond.',
      advice: 'Check your connection. This page recovers without a reload.',
    };
  return { kind: 'unavailable', title: 'Something went wrong.', advice: 'Try again.' };
}
