/** One round of load, as `rest.mjs` measures it. */
import autocannon from 'autocannon';

export const CONNECTIONS = 32;
const REQUESTS_PER_CONNECTION = 25;
export const REQUESTS = CONNECTIONS * REQUESTS_PER_CONNECTION;

/**
 * @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} Request
 * @typedef {{ ratePerSecond: number, p50Ms: number, p99Ms: number }} Round
 *
 * Every connection sends its next request once the answer to the one before is there. The clock runs from the first
 * request to the last answer.
 *
 * @param {string} url
 * @param {(connection: number, nth: number) => Request} requestOf all are made before the clock starts
 * @returns {Promise<Round>}
 * @throws where any answer is not a success
 */
export async function runRound(url, requestOf) {
  const queues = Array.from({ length: CONNECTIONS }, (_, connection) =>
    Array.from({ length: REQUESTS_PER_CONNECTION }, (_, nth) => requestOf(connection, nth)),
  );
  const run = autocannon({
    url,
    connections: CONNECTIONS,
    amount: REQUESTS,
    sampleInt: 50,
    setupClient: (client) => client.setRequests(queues.pop()),
  });
  let [startedAtMs, endedAtMs] = [performance.now(), 0];
  const waitsMs = [];
  run.once('start', () => {
    startedAtMs = performance.now();
  });
  run.on('response', (_client, _status, _bytes, waitMs) => {
    endedAtMs = performance.now();
    waitsMs.push(waitMs);
  });
  const { '2xx': succeeded, non2xx, errors } = await run;
  if (succeeded !== REQUESTS) throw new Error(`${url}: ${non2xx} refusals and ${errors} errors`);
  return {
    ratePerSecond: (REQUESTS / (endedAtMs - startedAtMs)) * 1000,
    p50Ms: quantile(waitsMs, 0.5),
    p99Ms: quantile(waitsMs, 0.99),
  };
}

/** @param {readonly number[]} values @param {number} share of the values that are below, or equal */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
