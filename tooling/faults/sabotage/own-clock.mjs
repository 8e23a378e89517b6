/**
 * Removes the use of Postgres's clock: statements about deliveries get the wrong time of the process instead, as if the
 * process had written its own time into the statement.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const requireOfPersistence = createRequire(join(root, 'packages', 'persistence', 'package.json'));
const pg = requireOfPersistence('pg');
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const ownTime = `(clock_timestamp() + interval '${shiftMs} milliseconds')`;
const { query } = pg.Client.prototype;

/** @param {string} text */
const inOwnTime = (text) =>
  text.includes('webhook_deliveries') ? text.replaceAll('clock_timestamp()', ownTime) : text;

/**
 * @this {import('pg').Client}
 * @param {unknown} statement
 * @param {unknown[]} rest
 */
pg.Client.prototype.query = function queryInOwnTime(statement, ...rest) {
  if (typeof statement === 'string') return query.call(this, inOwnTime(statement), ...rest);
  const config = /** @type {{ text?: unknown }} */ (statement);
  if (typeof config?.text === 'string') config.text = inOwnTime(config.text);
  return query.call(this, config, ...rest);
};
