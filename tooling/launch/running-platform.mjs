import { readIfThere } from './files.mjs';

/**
 * What `npm start` writes for programs on this machine.
 *
 * @typedef {{
 *   rest_url: string, graphql_url: string, paper_exchange_url: string, mail_url: string,
 *   database_url: string, redis_url: string, api_key: string, pid: number,
 *   paper_credentials: { api_key: string, api_secret: string },
 * }} RunningPlatform
 */

/**
 * Returns the addresses of the platform that runs on a data folder.
 *
 * @param {import('./paths.mjs').DataPaths} paths
 * @returns {RunningPlatform}
 * @throws {Error} if none runs
 */
export function runningPlatform({ devState }) {
  const text = readIfThere(devState);
  if (text === null || text === undefined)
    throw new Error(`No platform runs: ${devState} is missing. Run \`npm start\` in another terminal.`);
  return JSON.parse(text);
}
