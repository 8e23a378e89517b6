/** Parses option values of the form `name=value`. */
import { UsageError } from '../failures.js';
import { safeLine } from '../terminal/text-of.js';
import { parseKeepingDigits } from './json-text.js';

/** Splits `name=value`. @throws {UsageError} if the value has another form */
export function namedText(option: string, assignment: string): readonly [name: string, text: string] {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError(`${option} must be name=value; got ${safeLine(assignment)}.`);
  return [assignment.slice(0, equals), assignment.slice(equals + 1)];
}

/** Parses JSON such as `1.5`, `true`, `null` and `{"a":1}`; returns other text unchanged. */
export function jsonOrText(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}

/**
 * Sets a value at a path such as `data.fee.amount`.
 *
 * @param canCreate whether missing objects on the path are created
 * @throws {UsageError} if the path leads through a missing object or through a value that is not an object
 */
export function setAtPath(
  record: Record<string, unknown>,
  path: string,
  value: unknown,
  canCreate: boolean,
): void {
  const steps = path.split('.');
  const last = steps.pop() as string;
  let parent: unknown = record;
  for (const step of [...steps]) {
    const members = membersOf(parent, step, path);
    if (canCreate && !Object.hasOwn(members, step)) members[step] = {};
    parent = Object.hasOwn(members, step) ? members[step] : undefined;
  }
  membersOf(parent, last, path)[last] = value;
}

function membersOf(parent: unknown, name: string, path: string): Record<string, unknown> {
  const isForbidden = ['', '__proto__', 'constructor', 'prototype'].includes(name);
  if (isForbidden || typeof parent !== 'object' || parent === null)
    throw new UsageError(`The path ${safeLine(path)} does not exist.`);
  return parent as Record<string, unknown>;
}
