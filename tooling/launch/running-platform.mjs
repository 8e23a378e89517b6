import { readIfExists } from './files.mjs';

/**
 * The content of `.data/dev.json`, which `npm start` writes for programs on this machine.
 *
 * @typedef {{
 *   rest_url: string, graphql_url: string, dashboard_url: string, paper_exchange_url: string, mail_url: string,
 *   database_url: string, redis_url: string, api_key: string, pid: number,
 *   paper_credentials: { api_key: string, api_secret: string },
 * }} RunningPlatform
 */

/**
 * Returns the addresses of the running platform.
 *
 * @param {import('./paths.mjs').DataPaths} paths
 * @returns {RunningPlatform}
 * @throws {Error} if no platform is running
 */
export function runningPlatform({ devStateFile }) {
  const text = readIfExists(devStateFile);
  if (text === null || text === undefined)
    throw new Error(
      `No platform is running: ${devStateFile} is missing. Run \`npm start\` in another terminal.`,
    );
  return JSON.parse(text);
}
