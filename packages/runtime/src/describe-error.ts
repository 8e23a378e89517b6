/**
 * Describes an error for a log line: its type, code, text, the functions of its stack and its causes.
 *
 * Errors of drivers and clients carry requests, parameters and credentials in their members. Those are never written, and
 * the values in their texts are removed.
 */
import { removeSecrets } from './remove-secrets.js';

const CODE = /^[\w.-]{1,60}$/;
const CAUSES_MAX = 5;
/** Members of a Postgres error that name parts of the schema. Its other members, and its message, may contain values. */
const SCHEMA_NAMES = ['schema', 'table', 'column', 'constraint', 'routine'] as const;

export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: nameOf(error),
    message: messageOf(error),
    ...(typeof code === 'string' && CODE.test(code) ? { code } : {}),
    ...schemaNames(error),
    ...(error.stack === undefined ? {} : { stack: framesOf(error.stack) }),
    ...(cause === undefined || depth === CAUSES_MAX ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

const nameOf = ({ name }: Error) => (CODE.test(name) ? name : 'Error');

function messageOf(error: Error): string {
  return isPostgresError(error) ? 'Postgres rejected the statement.' : removeSecrets(error.message);
}

/** An error of Postgres itself, or of the library that passes it on. */
function isPostgresError(error: Error): boolean {
  return 'driverError' in error || ('severity' in error && 'routine' in error);
}

function schemaNames(error: Error): Record<string, string> {
  if (!isPostgresError(error)) return {};
  const members = { ...(error as { driverError?: object }).driverError, ...error } as Record<string, unknown>;
  const names: Record<string, string> = {};
  for (const name of ['code', ...SCHEMA_NAMES]) {
    const value = members[name];
    if (typeof value === 'string' && CODE.test(value)) names[name] = value;
  }
  return names;
}

/** A stack starts with the message, which can have several lines. Only the lines of functions are kept. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
