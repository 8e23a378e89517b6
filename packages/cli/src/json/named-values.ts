/** Values that an option names: `name=value`. */
import { UsageError } from '../failures.js';
import { safeLine } from '../terminal/text-of.js';
import { parseKeepingDigits } from './json-text.js';

/** @throws {UsageError} where it is of another form */
export function namedText(option: string, given: string): readonly [name: string, text: string] {
  const equals = given.indexOf('=');
  if (equals < 1) throw new UsageError(`${option} is name=value, and is ${safeLine(given)}.`);
  return [given.slice(0, equals), given.slice(equals + 1)];
}

/** `1.5`, `true`, `null` and `{"a":1}` are what they look like; all else is text. */
export function jsonOrText(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}

/** Puts a value at a path like `data.fee.amount`. @throws {UsageError} where nothing there can have members */
export function putAt(record: Record<string, unknown>, path: string, value: unknown, canMake: boolean): void {
  const steps = path.split('.');
  const last = steps.pop() as string;
  let holder: unknown = record;
  for (const step of [...steps]) {
    const members = membersOf(holder, step, path);
    if (canMake && !Object.hasOwn(members, step)) members[step] = {};
    holder = Object.hasOwn(members, step) ? members[step] : undefined;
  }
  membersOf(holder, last, path)[last] = value;
}

function membersOf(holder: unknown, name: string, path: string): Record<string, unknown> {
  const isForbidden = ['', '__proto__', 'constructor', 'prototype'].includes(name);
  if (isForbidden || typeof holder !== 'object' || holder === null)
    throw new UsageError(`There is no place ${safeLine(path)}.`);
  return holder as Record<string, unknown>;
}
