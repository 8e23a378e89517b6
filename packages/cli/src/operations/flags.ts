/** Builds flags from the fields of an operation, and a query or body from parsed flags. */
import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../failures.js';
import { jsonOrText, setAtPath } from '../json/named-values.js';
import type { Field, OperationInfo } from './operation-info.js';

/** Represents null, which commander would treat as a missing value. */
const NULL = Symbol('null');

export type OptionValues = Readonly<Record<string, unknown>>;

/** `exchange_account_id` is `--exchange-account-id`, `sizing.mode` is `--sizing.mode`. */
export const flagOf = ({ path }: Pick<Field, 'path'>): string => `--${path.replaceAll('_', '-')}`;

export function optionOf(field: Field): Option {
  const { isList, choices } = field;
  const flag = flagOf(field);
  if (isSwitch(field)) return new Option(flag, describeField(field));
  const option = new Option(`${flag} <${placeholderOf(field)}>`, describeField(field));
  // `choices` is set only for the help: below, `argParser` sets a case-insensitive parser.
  if (choices !== undefined && choices.length <= CHOICES_SHOWN_MAX) option.choices(choices);
  const parse = (text: string) => (field.isNullable && text === 'null' ? NULL : parseValue(field, text));
  return isList
    ? option.argParser((text: string, before: readonly unknown[] | typeof NULL | undefined) =>
        field.isNullable && text === 'null'
          ? NULL
          : [...(Array.isArray(before) ? before : []), ...text.split(',').filter(Boolean).map(parse)],
      )
    : option.argParser(parse);
}

/** Returns an additional flag for each object whose members are flags. Its value is the whole object as JSON. */
export function objectOptions(fields: readonly Field[]): readonly Option[] {
  return objectsIn(fields).map((path) =>
    new Option(`${flagOf({ path })} <json>`, `the whole ${path} object as JSON`).argParser((text: string) => {
      const value = jsonOrText(text);
      if (!isObject(value)) throw new InvalidArgumentError('It must be a JSON object.');
      return value;
    }),
  );
}

const objectsIn = (fields: readonly Field[]) => [
  ...new Set(fields.filter(({ path }) => path.includes('.')).map(({ path }) => path.split('.')[0]!)),
];

/** Returns whether a field is a boolean that is false by default: its flag needs no value. */
const isSwitch = ({ type, default: fallback }: Field) => type === 'boolean' && fallback === 'false';

/** The help omits longer lists of choices, such as the event types, which `svc events types` lists. */
const CHOICES_SHOWN_MAX = 8;

function placeholderOf({ type, path, isList }: Field): string {
  if (type === 'boolean') return 'true|false';
  if (type === 'decimal') return 'decimal';
  if (type === 'integer') return 'number';
  if (type === 'json') return 'json';
  const name = path.split('.').at(-1)!;
  if (/_ids?$/.test(name)) return isList ? 'ids' : 'id';
  if (name === 'from' || name === 'to' || name.endsWith('_at')) return 'instant';
  return isList ? 'list' : name.replaceAll('_', '-');
}

function describeField({
  description,
  default: fallback,
  isRequired,
  isNullable,
  isList,
  type,
}: Field): string {
  const hints = [
    isRequired ? 'required' : '',
    isList ? 'repeatable or comma-separated' : '',
    isNullable && !/null/i.test(description ?? '') ? 'null removes it' : '',
    fallback !== undefined && type !== 'boolean' ? `default: ${fallback}` : '',
  ].filter(Boolean);
  return [description ?? '', hints.length > 0 ? `(${hints.join('; ')})` : ''].filter(Boolean).join(' ');
}

function parseValue({ type, choices }: Field, text: string): unknown {
  if (choices !== undefined) return choiceOf(choices, text);
  switch (type) {
    case 'integer':
      if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
        throw new InvalidArgumentError('It must be an integer.');
      return Number(text);
    case 'boolean':
      return choiceOf(['true', 'false'], text) === 'true';
    case 'json':
      return jsonOrText(text);
    default:
      // A decimal stays a string: a JavaScript number would lose digits.
      return text;
  }
}

function choiceOf(choices: readonly string[], text: string): string {
  const matching = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (matching === undefined) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
  return matching;
}

/** Builds a query or a body from the parsed flags, each value at the path of its field. */
export function bodyOf(fields: readonly Field[], options: OptionValues): OptionValues {
  const body: Record<string, unknown> = {};
  for (const path of objectsIn(fields)) {
    const wholeObject = options[new Option(`${flagOf({ path })} <json>`).attributeName()];
    if (isObject(wholeObject)) body[path] = { ...wholeObject };
  }
  for (const field of fields) {
    const value = options[optionOf(field).attributeName()];
    if (value !== undefined) setAtPath(body, field.path, value === NULL ? null : value, true);
  }
  return body;
}

/** Merges two objects deeply; values of `overrides` take precedence. */
export function merged(base: OptionValues, overrides: OptionValues): OptionValues {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(overrides)) {
    const baseValue = result[name];
    result[name] = isObject(baseValue) && isObject(value) ? merged(baseValue, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is OptionValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks that all required fields are present. @throws {UsageError} listing the missing ones */
export function assertRequired({ body }: Pick<OperationInfo, 'body'>, input: OptionValues): void {
  const missing = body.filter(({ path, isRequired }) => isRequired && !has(input, path.split('.')));
  if (missing.length === 0) return;
  const flags = missing.map((field) => flagOf(field)).join(', ');
  throw new UsageError(`${flags} ${missing.length === 1 ? 'is' : 'are'} missing.`, 'See --help.');
}

function has(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  return isObject(value) && value[name] !== undefined && has(value[name], rest);
}
