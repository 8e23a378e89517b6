/**
 * Converts the issues of a schema to the details of an error: the field, a code and how to fix the value.
 * Details never repeat values, which may be secrets.
 */
import { type DetailCode, type ErrorDetail, isDetailCode } from '@trading-automation/contracts';
import { z } from 'zod';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** The maximum number of details in one error. A request that fixes the first details gets the others. */
const DETAILS_MAX = 100;
const NAME_SHOWN_MAX = 100;

type Checked = { readonly data: unknown } | { readonly details: readonly ErrorDetail[] };

/** Parses `value`; returns the details of its errors if it is invalid. @param noun the word for a member of `value` */
export function checkInput(schema: z.ZodType, value: unknown, noun: 'field' | 'parameter'): Checked {
  const parsed = schema.safeParse(value, { error: messageOf, reportInput: true });
  if (parsed.success) return { data: parsed.data };
  const details = parsed.error.issues.flatMap((issue) => detailsOf(issue, noun));
  return { details: details.slice(0, DETAILS_MAX) };
}

function detailsOf(issue: Issue, noun: 'field' | 'parameter'): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldOf([...issue.path, key.slice(0, NAME_SHOWN_MAX)]),
      code: `unknown_${noun}` as const,
      message: `There is no such ${noun}; leave it out.`,
    }));
  }
  if (issue.code === 'invalid_key') {
    const path = issue.path.map((name) => String(name).slice(0, NAME_SHOWN_MAX));
    return issue.issues.flatMap((each) => detailsOf({ ...each, path }, noun));
  }
  const field = fieldOf(issue.path);
  return [{ ...(field === '' ? {} : { field }), ...codeAndMessage(issue) }];
}

const fieldOf = (path: readonly PropertyKey[]) => path.map(String).join('.');

function codeAndMessage(issue: Issue): { code: DetailCode; message: string } {
  if (issue.code === 'custom' && isDetailCode(issue.params?.code))
    return { code: issue.params.code, message: issue.message };
  if (issue.input === undefined) return { code: 'required', message: 'Required.' };
  return { code: CODES[issue.code] ?? 'invalid', message: issue.message };
}

const CODES: Partial<Record<Issue['code'], DetailCode>> = {
  invalid_type: 'invalid_type',
  invalid_value: 'invalid_value',
  invalid_format: 'invalid_format',
  too_small: 'too_small',
  too_big: 'too_big',
};

/** Returns the message for an issue whose schema defines none. */
function messageOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `Expected ${withArticle(issue.expected)}.`;
    case 'invalid_value':
      return `Expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}.`;
    case 'too_small':
      return `Expected at least ${amount(issue.origin, issue.minimum)}.`;
    case 'too_big':
      return `Expected at most ${amount(issue.origin, issue.maximum)}.`;
    case 'invalid_format':
      return issue.format === 'regex' ? 'The format is invalid.' : `Expected ${issue.format}.`;
    default:
      return undefined;
  }
}

const withArticle = (noun: string) => (/^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`);

function amount(origin: string, limit: number | bigint): string {
  const unit = { string: 'character', array: 'item', set: 'item', object: 'field' }[origin];
  if (unit === undefined) return String(limit);
  return `${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}
