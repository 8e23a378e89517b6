/**
 * Removes the defence against wrong clocks of processes. Statements about deliveries no longer use Postgres's clock,
 * but the clock of the process, which is wrong by CLOCK_SHIFT_MS.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const requireOfPersistence = createRequire(join(root, 'packages', 'persistence', 'package.json'));
const pg = requireOfPersistence('pg');
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const processTime = `(clock_timestamp() + interval '${shiftMs} milliseconds')`;
const { query } = pg.Client.prototype;

/** @param {string} text */
const withProcessTime = (text) =>
  text.includes('webhook_deliveries') ? text.replaceAll('clock_timestamp()', processTime) : text;

/**
 * @this {import('pg').Client}
 * @param {unknown} statement
 * @param {unknown[]} rest
 */
pg.Client.prototype.query = function queryWithProcessTime(statement, ...rest) {
  if (typeof statement === 'string') return query.call(this, withProcessTime(statement), ...rest);
  const config = /** @type {{ text?: unknown }} */ (statement);
  if (typeof config?.text === 'string') config.text = withProcessTime(config.text);
  return query.call(this, config, ...rest);
};
