import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { decodeId, ID_PREFIXES } from '@trading-automation/contracts';
import pg from 'pg';
import { dataPaths } from './paths.mjs';
import { runningPlatform } from './running-platform.mjs';

/**
 * `npm run sql -- "<statement>" [parameters …] [--data <folder>]`: runs one statement against the database of the running
 * platform and prints each row as a line of JSON. The transaction is read-only. A parameter that is a public id, such as
 * `trd_…`, is replaced by the UUID that the tables contain.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' } },
});
const [statement, ...parameters] = positionals;
try {
  if (statement === undefined)
    throw new Error('Missing SQL statement. Use: npm run sql -- "select 1 as one"');
  const paths = dataPaths(values.data === undefined ? undefined : resolve(values.data));
  const client = new pg.Client({
    connectionString: runningPlatform(paths).database_url,
    options: '-c default_transaction_read_only=on',
  });
  await client.connect();
  try {
    const { rows } = await client.query(statement, parameters.map(toStoredId));
    for (const row of rows) console.log(JSON.stringify(row));
  } finally {
    await client.end();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @param {string} parameter */
function toStoredId(parameter) {
  for (const prefix of /** @type {(keyof typeof ID_PREFIXES)[]} */ (Object.keys(ID_PREFIXES))) {
    const uuid = decodeId(prefix, parameter);
    if (uuid !== null) return uuid;
  }
  return parameter;
}
