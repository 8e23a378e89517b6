/** Runs one round of load, for `rest.mjs`. */
import autocannon from 'autocannon';

export const CONNECTIONS = 32;
const REQUESTS_PER_CONNECTION = 25;
export const REQUESTS = CONNECTIONS * REQUESTS_PER_CONNECTION;

/**
 * @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} Request
 * @typedef {{ ratePerSecond: number, p50Ms: number, p99Ms: number }} Round
 *
 * Every connection sends its next request after the response to the previous one. The time is measured from the first
 * request to the last response.
 *
 * @param {string} url
 * @param {(connection: number, index: number) => Request} requestOf called for all requests before the measurement
 * @returns {Promise<Round>}
 * @throws if any response is not a success
 */
export async function runRound(url, requestOf) {
  const queues = Array.from({ length: CONNECTIONS }, (_, connection) =>
    Array.from({ length: REQUESTS_PER_CONNECTION }, (_, index) => requestOf(connection, index)),
  );
  const run = autocannon({
    url,
    connections: CONNECTIONS,
    amount: REQUESTS,
    sampleInt: 50,
    setupClient: (client) => client.setRequests(queues.pop()),
  });
  let [startedAtMs, endedAtMs] = [performance.now(), 0];
  const responseTimesMs = [];
  run.once('start', () => {
    startedAtMs = performance.now();
  });
  run.on('response', (_client, _status, _bytes, responseTimeMs) => {
    endedAtMs = performance.now();
    responseTimesMs.push(responseTimeMs);
  });
  const { '2xx': succeeded, non2xx, errors } = await run;
  if (succeeded !== REQUESTS)
    throw new Error(`${url}: ${non2xx} error responses and ${errors} failed requests`);
  return {
    ratePerSecond: (REQUESTS / (endedAtMs - startedAtMs)) * 1000,
    p50Ms: quantile(responseTimesMs, 0.5),
    p99Ms: quantile(responseTimesMs, 0.99),
  };
}

/**
 * Returns the smallest value that is at least as large as the given share of all values.
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
