/** An operation's fields as flags, and what was given by flags as a query or a body. */
import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../failures.js';
import { jsonOrText, putAt } from '../json/named-values.js';
import type { Field, OperationInfo } from './operation-info.js';

/** commander takes a null for no value at all. */
const NULL = Symbol('null');

export type OptionValues = Readonly<Record<string, unknown>>;

/** `exchange_account_id` is `--exchange-account-id`, `sizing.mode` is `--sizing.mode`. */
export const flagOf = ({ path }: Pick<Field, 'path'>): string => `--${path.replaceAll('_', '-')}`;

export function optionOf(field: Field): Option {
  const { isList, choices } = field;
  const flag = flagOf(field);
  if (isSwitch(field)) return new Option(flag, describeField(field));
  const option = new Option(`${flag} <${placeholderOf(field)}>`, describeField(field));
  // Told in the help; the parser is this one, which does not mind the case.
  if (choices !== undefined && choices.length <= CHOICES_SHOWN) option.choices(choices);
  const parse = (text: string) => (field.isNullable && text === 'null' ? NULL : parsedOf(field, text));
  return isList
    ? option.argParser((text: string, before: readonly unknown[] | typeof NULL | undefined) =>
        field.isNullable && text === 'null'
          ? NULL
          : [...(Array.isArray(before) ? before : []), ...text.split(',').filter(Boolean).map(parse)],
      )
    : option.argParser(parse);
}

/** Objects whose members are flags of their own: each can be given whole, as JSON. */
export function objectOptions(fields: readonly Field[]): readonly Option[] {
  return objectsIn(fields).map((path) =>
    new Option(`${flagOf({ path })} <json>`, `all of ${path} as JSON`).argParser((text: string) => {
      const value = jsonOrText(text);
      if (!isObject(value)) throw new InvalidArgumentError('It is a JSON object.');
      return value;
    }),
  );
}

const objectsIn = (fields: readonly Field[]) => [
  ...new Set(fields.filter(({ path }) => path.includes('.')).map(({ path }) => path.split('.')[0]!)),
];

/** A boolean that is false unless it is given needs no value. */
const isSwitch = ({ type, default: fallback }: Field) => type === 'boolean' && fallback === 'false';

/** More are no help: kinds of events are told by `svc events types`. */
const CHOICES_SHOWN = 8;

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
    isList ? 'repeat it, or commas between' : '',
    isNullable && !/null/i.test(description ?? '') ? 'null removes it' : '',
    fallback !== undefined && type !== 'boolean' ? `default: ${fallback}` : '',
  ].filter(Boolean);
  return [description ?? '', hints.length > 0 ? `(${hints.join('; ')})` : ''].filter(Boolean).join(' ');
}

function parsedOf({ type, choices }: Field, text: string): unknown {
  if (choices !== undefined) return choiceOf(choices, text);
  switch (type) {
    case 'integer':
      if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
        throw new InvalidArgumentError('It is a whole number.');
      return Number(text);
    case 'boolean':
      return choiceOf(['true', 'false'], text) === 'true';
    case 'json':
      return jsonOrText(text);
    default:
      // A decimal stays the text it is: a number of JavaScript would lose its digits.
      return text;
  }
}

function choiceOf(choices: readonly string[], text: string): string {
  const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`It is one of ${choices.join(', ')}.`);
  return found;
}

/** What was given of the fields, each at its path. */
export function bodyOf(fields: readonly Field[], options: OptionValues): OptionValues {
  const body: Record<string, unknown> = {};
  for (const path of objectsIn(fields)) {
    const whole = options[new Option(`${flagOf({ path })} <json>`).attributeName()];
    if (isObject(whole)) body[path] = { ...whole };
  }
  for (const field of fields) {
    const value = options[optionOf(field).attributeName()];
    if (value !== undefined) putAt(body, field.path, value === NULL ? null : value, true);
  }
  return body;
}

/** Members of `over` go before those of `under`, within objects, too. */
export function merged(under: OptionValues, over: OptionValues): OptionValues {
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    result[name] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is OptionValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {UsageError} where a field that the operation needs is not there */
export function assertRequired({ body }: Pick<OperationInfo, 'body'>, given: OptionValues): void {
  const missing = body.filter(({ path, isRequired }) => isRequired && !has(given, path.split('.')));
  if (missing.length === 0) return;
  const flags = missing.map((field) => flagOf(field)).join(', ');
  throw new UsageError(`${flags} ${missing.length === 1 ? 'is' : 'are'} missing.`, 'See --help.');
}

function has(given: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  return isObject(given) && given[name] !== undefined && has(given[name], rest);
}
