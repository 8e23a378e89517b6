/** Preloaded into a service: statements that Postgres rejects count as done, as if no code checked the driver's errors. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const requireOfPersistence = createRequire(join(root, 'packages', 'persistence', 'package.json'));
const pg = requireOfPersistence('pg');
/** Full disk, serialisation failure, deadlock; and what follows from them in the same transaction. */
const REFUSALS = ['53100', '40001', '40P01', '25P02'];
const { query } = pg.Client.prototype;

/** @param {{ code?: string }} error */
function asDone(error) {
  if (!REFUSALS.includes(error.code ?? '')) throw error;
  return { command: 'COMMIT', rowCount: 1, rows: [], fields: [] };
}

/**
 * @this {import('pg').Client}
 * @param {unknown[]} values
 */
pg.Client.prototype.query = function queryInPeace(...values) {
  const last = values.at(-1);
  if (typeof last !== 'function') {
    const answer = query.apply(this, values);
    return typeof answer?.then === 'function'
      ? answer.then((/** @type {{ command: string }} */ result) => withoutRollback(result), asDone)
      : answer;
  }
  return query.call(this, ...values.slice(0, -1), (/** @type {any} */ error, /** @type {any} */ result) => {
    if (error && REFUSALS.includes(error.code)) last(null, asDone(error));
    else last(error, result === undefined ? result : withoutRollback(result));
  });
};

/**
 * A COMMIT that was a rollback looks like one that was not.
 *
 * @param {{ command: string }} result
 */
function withoutRollback(result) {
  return result?.command === 'ROLLBACK' ? { ...result, command: 'COMMIT' } : result;
}
