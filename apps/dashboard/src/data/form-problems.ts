/** What is wrong with a form: found by a schema of the contracts before sending, or by the API. */
import { ApiError } from '@trading-automation/sdk';
import type { z } from 'zod';

export interface Problem {
  /** Names of members, separated by dots, as the API names fields. */
  readonly field: string;
  readonly message: string;
}

/** Checks a request body. Returns nothing if the schema accepts it. */
export function problemsOf(schema: z.ZodType, body: unknown): Problem[] {
  const { error } = schema.safeParse(body);
  return (error?.issues ?? []).map((issue) => ({ field: issue.path.join('.'), message: explain(issue) }));
}

/** Returns the fields that an error of the API names. */
export function problemsOfError(error: unknown): Problem[] {
  if (!(error instanceof ApiError)) return [];
  return error.details.flatMap(({ field, message }) =>
    field === undefined || message === undefined ? [] : [{ field, message: plainer(message) }],
  );
}

/** The messages of the contracts are shown as they are; those of zod are replaced by plainer ones. */
function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Fill in this field.' : issue.message;
    case 'too_small':
      return issue.origin === 'string' ? 'Fill in this field.' : `Enter at least ${issue.minimum}.`;
    case 'too_big':
      return issue.origin === 'string'
        ? `Use at most ${issue.maximum} characters.`
        : `Enter at most ${issue.maximum}.`;
    case 'invalid_key':
      return issue.issues[0] === undefined ? issue.message : explain(issue.issues[0]);
    case 'invalid_value':
      return 'Choose one of the options.';
    default:
      return plainer(issue.message);
  }
}

/** The notation of JSON does not concern a person who types a number. */
const plainer = (message: string) =>
  message.startsWith('Expected a decimal number') ? 'Enter a number, such as 1250.5.' : message;

/** Returns the optional text of a field: undefined for an empty one. */
export const optionalText = (text: string): string | undefined => text.trim() || undefined;

/** Returns the whole number of a field; undefined for an empty one, and the text itself if it is no number. */
export function optionalInteger(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** Splits a list of symbols such as "BTC/USDT, eth/usdt". */
export function symbolsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split(/[\s,;]+/)
        .map((symbol) => symbol.toUpperCase())
        .filter(Boolean),
    ),
  ];
}
