/**
 * Describes an error for a log line: its type, code, text, the functions of its stack and its causes.
 *
 * Errors of drivers and clients carry requests, parameters and credentials in their members. Those are never written, and
 * the values in their texts are removed.
 */
import { removeSecrets } from './remove-secrets.js';

const CODE = /^[\w.-]{1,60}$/;
const CAUSES_MAX = 5;
/** How many errors of an `AggregateError` are described, for example one for each address of a host. */
const ERRORS_MAX = 5;
/** A line of a stack that names a function and its place. */
const FRAME = /^\s+at .*(?::\d+:\d+\)?|\(index \d+\)|\(native\)|\(<anonymous>\))$/;
/** Members of a Postgres error that name parts of the schema. Its other members, and its message, may contain values. */
const SCHEMA_NAMES = ['schema', 'table', 'column', 'constraint', 'routine'] as const;

export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  return {
    type: nameOf(error),
    message: messageOf(error),
    ...(typeof code === 'string' && CODE.test(code) ? { code } : {}),
    ...schemaNames(error),
    ...(error.stack === undefined ? {} : { stack: framesOf(error) }),
    ...(cause === undefined || depth === CAUSES_MAX ? {} : { cause: describeError(cause, depth + 1) }),
    ...(!(error instanceof AggregateError) || !Array.isArray(errors) || depth === CAUSES_MAX
      ? {}
      : { errors: errors.slice(0, ERRORS_MAX).map((each) => describeError(each, CAUSES_MAX)) }),
  };
}

const nameOf = ({ name }: Error) => (CODE.test(name) ? name : 'Error');

function messageOf(error: Error): string {
  return isPostgresError(error) ? 'Postgres rejected the statement.' : removeSecrets(String(error.message));
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

/** A stack starts with the message, whose lines can look like those of functions. Only the lines of functions are kept. */
function framesOf({ message, stack }: Error): string {
  const ofMessage = new Set(String(message).split('\n'));
  return String(stack)
    .split('\n')
    .filter((line) => FRAME.test(line) && !ofMessage.has(line))
    .join('\n');
}
