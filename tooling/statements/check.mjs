/**
 * Prepares every statement of the product and compares the columns of its rows with the row type that the code declares
 * (its claim). Prints a report as JSON. Usage: node --import ./register.mjs check.mjs <database URL> <absolute file>…
 */
import { basename, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Describer } from './describe.mjs';
import { statementsOf } from './find-statements.mjs';
import { listTexts } from './list-texts.mjs';
import { claimOf, entitiesOf, OPTIONAL } from './row-types.mjs';
import { HYDRATED_BY_CALLERS, samplesOf } from './samples.mjs';

/** @typedef {import('./row-types.mjs').Claim} Claim */
/** @typedef {{ statement: string, problem: string }} Finding */

const ROOT = new URL('../../', import.meta.url).pathname;
const [, , url = '', ...files] = process.argv;

const { openDatabase } = await import(`${ROOT}packages/core/src/database/data-source.ts`);
const { StatementNames } = await import(`${ROOT}packages/persistence/src/statement-names.ts`);
const database = await openDatabase({ url, applicationName: 'statements' });
const describer = await Describer.connect(url);
const { TradesService } = await import(`${ROOT}packages/core/src/trades/trades.service.ts`);
const { selections } = new TradesService({ platform: { database } });
/** The `this` of methods, with the properties that their SQL reads. */
const self = {
  selections,
  platform: { database },
  parts: { platform: { database } },
  dependencies: { platform: { database } },
};

/** The columns that a list adds for its cursors. */
const POSITION = /^__sort_/;
/** The OID of the Postgres type `void`: the result of a function that is called only for its effect. */
const VOID = 2278;

/**
 * `statements`: prepared statements; `variants`: their distinct SQL; `typed`: statements whose row type was compared.
 */
const counts = { statements: 0, variants: 0, typed: 0 };
/** Statements that return rows without a claim. @type {string[]} */
const unclaimed = [];
/** Statements of `queryPrepared` and the like that are too long to get a name, so that each use plans them. @type {string[]} */
const planned = [];
/** @type {Finding[]} */
const uncovered = [];
/** @type {Finding[]} */
const defects = [];
for (const file of files) {
  const statements = statementsOf(file);
  if (statements.length === 0) continue;
  const { __statements } = await import(pathToFileURL(file).href);
  const thunks = __statements(database, self, (/** @type {string} */ parameter) =>
    parameter.endsWith('.selections') ? [selections] : samplesOf(parameter),
  );
  for (const [index, statement] of statements.entries()) {
    const name = `${basename(file)}: ${statement.name}`;
    const place = `${relative(ROOT, file)}:${statement.line}`;
    /** @type {string[]} */
    let texts;
    try {
      const values = [...thunks[index]()];
      texts = [...new Set(statement.isList ? await listTexts(values) : values)];
      if (texts.some((text) => /^FETCH\b/.test(text))) throw new Error('its columns are those of a cursor');
      if (texts.length === 0 || texts.some((text) => typeof text !== 'string'))
        throw new Error('its SQL is not a string');
    } catch (error) {
      uncovered.push({ statement: name, problem: /** @type {Error} */ (error).message });
      continue;
    }
    counts.statements++;
    counts.variants += texts.length;
    if (!statement.isTypeOrm && texts.some(isNeverNamed)) planned.push(name);
    const claim = statement.isSelection ? undefined : claimOf(statement);
    if (claim !== undefined) counts.typed++;
    const readByEntities = new Set(
      [...entitiesOf(statement), HYDRATED_BY_CALLERS[statement.name] ?? ''].flatMap(
        (entity) =>
          database.entityMetadatas
            .find(({ name }) => name === entity)
            ?.columns.map(({ databaseName }) => databaseName) ?? [],
      ),
    );
    let hasColumns = false;
    for (const text of texts) {
      const problems = await describer.describe(text).then(
        (columns) => {
          hasColumns ||= columns.some(({ type }) => type !== VOID);
          return claim === undefined || text.startsWith('SELECT count(*) FROM')
            ? []
            : differences(claim, columns, readByEntities);
        },
        (/** @type {Error} */ error) => [`cannot be prepared: ${error.message}`],
      );
      for (const problem of problems) defects.push({ statement: `${name} (${place})`, problem });
    }
    if (hasColumns && claim === undefined && !statement.isSelection && readByEntities.size === 0)
      unclaimed.push(name);
  }
}
// The full check also covers the statements that `insertMany` composes; a check of one file does not.
if (files.length > 1) {
  const { insertMany } = await import(`${ROOT}packages/persistence/src/insert-many.ts`);
  for (const metadata of database.entityMetadatas) {
    const [text = ''] = await insertTexts(insertMany, metadata);
    counts.statements++;
    await describer.describe(text).catch((/** @type {Error} */ error) =>
      defects.push({
        statement: `insertMany of ${metadata.name}`,
        problem: `cannot be prepared: ${error.message}`,
      }),
    );
  }
}
await describer.close();
await database.destroy();
console.log(JSON.stringify({ ...counts, unclaimed, planned, uncovered, defects }));

/** Whether a statement has no name, even if it is used often. @param {string} text */
function isNeverNamed(text) {
  const names = new StatementNames();
  return Array.from({ length: 20 }, () => names.nameFor(text)).at(-1) === undefined;
}

/**
 * Returns the SQL that inserts and returns every column of an entity.
 * @param {Function} insertMany
 * @param {{ target: Function, columns: { propertyName: string }[] }} metadata
 */
async function insertTexts(insertMany, { target, columns }) {
  /** @type {string[]} */
  const texts = [];
  const connection = {
    query: async (/** @type {{ text: string }} */ { text }) => {
      texts.push(text);
      return { rows: [] };
    },
  };
  const tx = { connection: database, queryRunner: { isReleased: false, connect: async () => connection } };
  const properties = columns.map(({ propertyName }) => propertyName);
  const row = Object.fromEntries(properties.map((property) => [property, null]));
  await insertMany(tx, target, [row], { returning: properties });
  return texts;
}

/**
 * @param {Claim} claim
 * @param {readonly import('./describe.mjs').Column[]} columns
 * @param {ReadonlySet<string>} readByEntities columns that `hydrate` reads from the same rows
 * @returns {string[]}
 */
function differences({ columns: claimed, isComplete }, columns, readByEntities) {
  const names = columns.map(({ name }) => name);
  const isMissing = (/** @type {string} */ name) =>
    !names.includes(name) && !claimed.get(name)?.has(OPTIONAL);
  const isUnclaimed = (/** @type {import('./describe.mjs').Column} */ { name, type }) =>
    !claimed.has(name) && !readByEntities.has(name) && type !== VOID && !POSITION.test(name);
  const unclaimed = isComplete && claimed.size > 0 ? columns.filter(isUnclaimed) : [];
  return [
    ...[...claimed.keys()].filter(isMissing).map((name) => `claims ${name}, which it does not return`),
    ...names.filter((name, i) => names.indexOf(name) !== i).map((name) => `returns ${name} twice`),
    ...unclaimed.map(({ name }) => `returns ${name}, which its row type does not have`),
    ...columns
      .filter(({ name, kind }) => !fits(claimed.get(name), kind))
      .map(
        ({ name, kind }) =>
          `claims ${name} as ${[...(claimed.get(name) ?? [])].join(' | ')}, but it is a ${kind}`,
      ),
  ];
}

/** @param {ReadonlySet<string> | undefined} claimed */
function fits(claimed, /** @type {string} */ kind) {
  if (claimed === undefined || claimed.has('any') || claimed.has(kind)) return true;
  // A JSON value can have any type of JSON.
  return kind === 'json' && !claimed.has('Date') && !claimed.has('Buffer');
}
