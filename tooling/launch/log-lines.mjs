import { styleText } from 'node:util';

const colours = /** @type {const} */ ({ warn: 'yellow', error: 'red', fatal: 'red' });

/**
 * Formats one log line of a service for reading: time, service, level, message, then the other fields. A line that is
 * not a JSON object becomes the message, at level info.
 *
 * @param {string} service
 * @param {string} line
 * @param {{ colour?: boolean, now?: Date }} [options]
 */
export function readableLine(
  service,
  line,
  { colour = process.stdout.isTTY && !process.env.NO_COLOR, now = new Date() } = {},
) {
  const { level = 'info', msg = line, time: _time, service: _service, ...fields } = parse(line);
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const plain = [
    now.toISOString().slice(11, 23),
    service.padEnd(18),
    String(level).padEnd(5),
    msg,
    ...rest,
  ].join(' ');
  const shade = colours[/** @type {keyof typeof colours} */ (level)];
  return colour && shade !== undefined ? styleText(shade, plain) : plain;
}

/**
 * @param {string} line
 * @returns {Record<string, unknown>}
 */
function parse(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
