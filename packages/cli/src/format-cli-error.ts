/**
 * Formats an error: what is wrong, in which field, how to fix it, and the request id for support.
 *
 * Keys and secrets in messages are hidden, even with `--debug`.
 */
import {
  ApiError,
  ConnectionError,
  type ErrorDetail,
  RateLimitError,
  TimeoutError,
} from '@trading-automation/sdk';
import { Failure, Interrupted, QuietExit } from './failures.js';
import { RESOLUTIONS } from './generated/resolutions.js';
import type { Colors } from './terminal/terminal.js';
import { safeLine, safeText } from './terminal/text-of.js';

export interface ErrorFormat {
  readonly isDebug: boolean;
  readonly colors: Colors;
}

export function formatCliError(error: unknown, { isDebug, colors }: ErrorFormat): string {
  if (error instanceof QuietExit || error instanceof Interrupted) return '';
  const lines = [`${colors.red('error:')} ${safeMessageOf(error)}`];
  if (error instanceof ApiError) lines.push(...error.details.flatMap(detailLineOf).map(safeLine));
  const resolution = resolutionOf(error);
  const advice = resolution === undefined ? undefined : safeLine(resolution);
  // The API may have repeated its advice in a detail.
  if (advice !== undefined && !lines.some((line) => line.includes(advice))) lines.push(`  ${advice}`);
  if (error instanceof ApiError && error.requestId !== undefined)
    lines.push(colors.dim(`  request id: ${safeLine(error.requestId)}`));
  if (isDebug) lines.push(colors.dim(safeText(stackOf(error))));
  return withoutSecrets(lines.join('\n'));
}

/** Returns the message on one line: a name within it, with a line break, must not look like a line of its own. */
function safeMessageOf(error: unknown): string {
  // The invalid fields are printed below, one per line.
  if (error instanceof ApiError) return safeLine(`${withoutAdvice(error)} (${error.code})`);
  return safeLine(error instanceof Error ? error.message : String(error));
}

/**
 * Removes the advice at the end of the API's message. The advice is printed on a line of its own, in words for the
 * command line.
 */
function withoutAdvice({ summary, code }: ApiError): string {
  const advice = RESOLUTIONS[code];
  const isRepeated = advice !== undefined && summary.endsWith(` ${advice}`);
  return isRepeated ? summary.slice(0, -advice.length - 1) : summary;
}

function detailLineOf({ field, message }: ErrorDetail): string[] {
  if (message === undefined) return [];
  return [field === undefined ? `  ${message}` : `  ${field}: ${message}`];
}

/** Replace resolutions of the API that mention headers, which users of the command line do not set. */
const CLI_RESOLUTIONS: Readonly<Record<string, string>> = {
  authentication_required: 'Log in with `svc auth login`, or set SVC_API_KEY.',
  invalid_api_key: 'Check the credential with `svc auth status`, or log in again with `svc auth login`.',
  unknown_public_key:
    'This key pair is not linked to an account or was revoked. Log in again with `svc auth login`.',
  invalid_signature: 'Print the canonical string with --debug-signature, and run `svc doctor`.',
  timestamp_out_of_window: "Set this machine's clock. `svc doctor` shows the difference.",
  permission_denied: 'List the permissions of the credential with `svc auth status`.',
  internal_error: 'Try again. If the error persists, contact support with the request id.',
};

function resolutionOf(error: unknown): string | undefined {
  if (error instanceof Failure) return error.resolution;
  if (error instanceof RateLimitError) {
    const seconds = error.headers.get('retry-after');
    return seconds === null ? 'Wait a moment and try again.' : `Wait ${seconds} s and try again.`;
  }
  if (error instanceof ApiError) return CLI_RESOLUTIONS[error.code] ?? RESOLUTIONS[error.code];
  if (error instanceof TimeoutError) return 'Increase --timeout, or run `svc doctor`.';
  if (error instanceof ConnectionError)
    return 'Check the address and whether the API is running: `svc doctor`.';
  return undefined;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause) || String(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Hides API keys, webhook secrets, and every 64-digit hex string, which may be a private key. */
function withoutSecrets(text: string): string {
  return text
    .replace(/\bsvc_(live|test)_[0-9A-Za-z]+/g, 'svc_$1_(hidden)')
    .replace(/\bwhsec_[0-9A-Za-z+/=]+/g, 'whsec_(hidden)')
    .replace(/\b[0-9a-f]{64}\b/gi, '(hidden)');
}
