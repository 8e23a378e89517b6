/** Removes the handling of errors from Postgres: rejected statements look successful. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const requireOfPersistence = createRequire(join(root, 'packages', 'persistence', 'package.json'));
const pg = requireOfPersistence('pg');
/** Full disk, serialisation failure, deadlock, and the error of later statements in the same transaction. */
const IGNORED = ['53100', '40001', '40P01', '25P02'];
const { query } = pg.Client.prototype;

/** @param {{ code?: string }} error */
function asSuccess(error) {
  if (!IGNORED.includes(error.code ?? '')) throw error;
  return { command: 'COMMIT', rowCount: 1, rows: [], fields: [] };
}

/**
 * @this {import('pg').Client}
 * @param {unknown[]} values
 */
pg.Client.prototype.query = function queryWithoutErrors(...values) {
  const last = values.at(-1);
  if (typeof last !== 'function') {
    const promise = query.apply(this, values);
    return typeof promise?.then === 'function'
      ? promise.then((/** @type {{ command: string }} */ result) => withoutRollback(result), asSuccess)
      : promise;
  }
  return query.call(this, ...values.slice(0, -1), (/** @type {any} */ error, /** @type {any} */ result) => {
    if (error && IGNORED.includes(error.code)) last(null, asSuccess(error));
    else last(error, result === undefined ? result : withoutRollback(result));
  });
};

/**
 * Makes a COMMIT that rolled back look successful.
 *
 * @param {{ command: string }} result
 */
function withoutRollback(result) {
  return result?.command === 'ROLLBACK' ? { ...result, command: 'COMMIT' } : result;
}
