import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { proseFiles } from './prose.mjs';

/**
 * Collects the log events of the services: the `event` and the message of each log call.
 *
 * `npm run log-events` writes docs/reference/log-events.md. `rules.spec.mjs` fails if the page is out of date, or if a
 * log call has no event.
 */

/** @typedef {{ event: string, level: string, message: string, file: string }} LogEvent */
/** @typedef {{ file: string, line: number }} LogCall */

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const EVENT_NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
/** The sources of log events. The SDK is excluded, because it passes messages to its caller's logger. */
const SERVICES =
  /^(?:apps\/[^/]+\/src|packages\/(?:core|persistence|exchanges|runtime)\/src)\/(?!.*\.spec\.ts$)(?!.*\/testing\/).+\.ts$/;
/** These files log messages of libraries, which are composed at run time. */
const ADAPTERS = ['packages/runtime/src/logger.ts'];
export const PAGE = 'docs/reference/log-events.md';

/**
 * Reads every log call of the services.
 * @param {string} root an absolute path
 * @returns {{ events: LogEvent[], unnamed: LogCall[] }} `unnamed`: calls whose event is not a literal of the form `noun.verb`
 */
export function readLogEvents(root) {
  const sources = proseFiles(root)
    .filter((file) => SERVICES.test(file) && !ADAPTERS.includes(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
    .filter(({ text }) => /logger|errorLogger/i.test(text))
    .map(({ file, text }) => ({ file, text, program: parseSync(file, text).program }));
  /** @type {LogEvent[]} */
  const events = [];
  /** @type {LogCall[]} */
  const unnamed = [];
  /** The log levels of functions that log their first parameter as the event, by the function's name. */
  const helpers = new Map();
  for (const { file, text, program } of sources) {
    for (const { call, enclosing } of logCalls(program)) {
      const [context, messageNode] = call.arguments;
      const eventNode = propertyOf(context, 'event');
      const level = call.callee.property.name;
      if (eventNode?.type === 'Identifier' && eventNode.name === 'event') {
        helpers.set(enclosing, level);
        continue;
      }
      const names = literals(program, eventNode);
      const line = text.slice(0, call.start).split('\n').length;
      if (names.length === 0 || !names.every((name) => EVENT_NAME.test(name))) unnamed.push({ file, line });
      for (const event of names)
        events.push({ event, level, message: messageOf(program, messageNode), file });
    }
  }
  for (const { file, program } of sources) {
    for (const { call } of calls(program)) {
      const name = call.callee.property?.name ?? call.callee.name;
      if (!helpers.has(name)) continue;
      const [event] = literals(program, call.arguments[0]);
      if (event === undefined || !EVENT_NAME.test(event)) continue;
      const messageNode = call.arguments
        .slice(1)
        .find((/** @type {any} */ each) => messageOf(program, each) !== '');
      events.push({ event, level: helpers.get(name), message: messageOf(program, messageNode), file });
    }
  }
  return { events, unnamed };
}

/**
 * Renders the reference page.
 * @param {readonly LogEvent[]} events
 * @returns {string}
 */
export function renderLogEvents(events) {
  const rows = [...events]
    .sort((a, b) => (a.event === b.event ? a.file.localeCompare(b.file) : a.event < b.event ? -1 : 1))
    .map(({ event, level, message, file }) => `| \`${event}\` | ${level} | ${message} | \`${file}\` |`);
  return [
    '# Log events',
    '',
    'Each log line of a service is one JSON object with a stable `event`, fields in snake_case and one sentence. Write alerts',
    'against `event`; sentences may change. A sentence composed at run time is empty here. `npm run log-events` generates this page.',
    '',
    '| Event | Level | Sentence | Where |',
    '| --- | --- | --- | --- |',
    ...new Set(rows),
    '',
  ].join('\n');
}

/** @typedef {{ call: any, enclosing: string }} EnclosedCall a call, and the name of the function around it */

/** @returns {Generator<EnclosedCall>} */
function* calls(/** @type {any} */ node, enclosing = '') {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* calls(child, enclosing);
    return;
  }
  if (node.type === 'CallExpression') yield { call: node, enclosing };
  const isNamed = ['FunctionDeclaration', 'MethodDefinition', 'VariableDeclarator'].includes(node.type);
  const holdsFunction = node.type !== 'VariableDeclarator' || node.init?.type === 'ArrowFunctionExpression';
  const name = isNamed && holdsFunction ? (node.id?.name ?? node.key?.name) : undefined;
  for (const child of Object.values(node)) yield* calls(child, name ?? enclosing);
}

/** @returns {Generator<EnclosedCall>} calls such as `logger.warn(…)` and `this.dependencies.logger.warn(…)` */
function* logCalls(/** @type {any} */ program) {
  for (const { call, enclosing } of calls(program)) {
    if (call.callee.type !== 'MemberExpression') continue;
    const { object, property } = call.callee;
    const owner = object.type === 'MemberExpression' ? object.property.name : object.name;
    if (LEVELS.includes(property.name) && /logger$/i.test(owner ?? '')) yield { call, enclosing };
  }
}

/** Returns the value of a property of an object literal; undefined if it does not exist. */
function propertyOf(/** @type {any} */ node, /** @type {string} */ name) {
  if (node?.type !== 'ObjectExpression') return undefined;
  return node.properties.find((/** @type {any} */ property) => property.key?.name === name)?.value;
}

/** @returns {string[]} the value of a string literal or of a constant in the file, or both values of a conditional expression */
function literals(/** @type {any} */ program, /** @type {any} */ node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node?.type === 'ConditionalExpression')
    return [...literals(program, node.consequent), ...literals(program, node.alternate)];
  if (node?.type !== 'Identifier') return [];
  const constants = program.body.flatMap((/** @type {any} */ statement) =>
    statement.type === 'VariableDeclaration' ? statement.declarations : [],
  );
  const found = constants.find((/** @type {any} */ each) => each.id.name === node.name);
  return found === undefined ? [] : literals(program, found.init);
}

function messageOf(/** @type {any} */ program, /** @type {any} */ node) {
  const [literal] = literals(program, node);
  if (literal !== undefined) return literal;
  if (node?.type === 'TemplateLiteral')
    return node.quasis.map((/** @type {any} */ part) => part.value.cooked).join('…');
  return '';
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..', '..');
  const { events, unnamed } = readLogEvents(root);
  for (const { file, line } of unnamed) console.error(`${file}:${line}: this log call has no event.`);
  writeFileSync(join(root, PAGE), renderLogEvents(events));
  console.log(`${new Set(events.map(({ event }) => event)).size} events`);
}
