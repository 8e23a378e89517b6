import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { generatePrivateKey } from '@trading-automation/signed-request';
import { readIfThere, readJsonIfThere, writePrivateFile } from '../files.mjs';
import { openAccount } from '../first-trade/client.mjs';
import { dataPaths } from '../paths.mjs';
import { createGraphqlClient } from './client.mjs';

/**
 * `npm run graphql -- <document> [<variables as JSON>]`: a signed operation of the demo account, against a running
 * `npm start`. With `--subscribe` each event is a line, until Ctrl-C. `--data` is that of `npm start`.
 *
 * The key pair is made at first use, kept under `.data/keys` and linked to the account by the demo's API key.
 */

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { subscribe: { type: 'boolean', default: false }, data: { type: 'string' } },
});
const paths = dataPaths(options.data === undefined ? undefined : resolve(options.data));
const [query, variables = '{}'] = positionals;
const state = readJsonIfThere(paths.devState);
if (state === null) fail('Nothing runs here: begin with "npm start" in another terminal.');
if (query === undefined) fail(`For example: npm run graphql -- '{ me { id } }'`);

try {
  // Whoever reads what is printed may stop before it ends.
  process.stdout.once('error', () => process.exit());
  const asked = { query, variables: JSON.parse(variables) };
  const client = await openClient(state, ensurePrivateKey(paths.graphqlKey));
  await (options.subscribe ? print(client, asked) : printOnce(client, asked));
} catch (error) {
  fail(wordsOf(error));
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/**
 * Of a failure, of what is wrong with a document, and of a socket that was closed.
 *
 * @param {any} error
 */
function wordsOf(error) {
  if (error instanceof Error) return error.message;
  if (Array.isArray(error)) return JSON.stringify({ errors: error }, null, 2);
  return `The socket was closed: ${error.code} ${error.reason}`;
}

/** @param {string} file */
function ensurePrivateKey(file) {
  const kept = readIfThere(file);
  if (kept !== null) return new Uint8Array(Buffer.from(kept, 'hex'));
  const privateKey = generatePrivateKey();
  writePrivateFile(file, Buffer.from(privateKey).toString('hex'));
  return privateKey;
}

/**
 * A client whose key pair is known.
 *
 * @param {{ rest_url: string, graphql_url: string, api_key: string }} state
 * @param {Uint8Array} privateKey
 */
async function openClient(state, privateKey) {
  const client = createGraphqlClient({ graphqlUrl: state.graphql_url, privateKey });
  const { errors } = await client.ask('{ me { id } }');
  if (errors?.[0].extensions.code === 'unknown_public_key') {
    const { rest_url: restUrl, api_key: apiKey } = state;
    await openAccount({ restUrl, apiKey, privateKey, label: 'npm run graphql' });
  }
  return client;
}

/**
 * @param {import('./client.mjs').GraphqlClient} client
 * @param {import('./client.mjs').Asked} asked
 */
async function printOnce(client, asked) {
  const { data, errors } = await client.ask(asked);
  console.log(JSON.stringify({ ...(errors === undefined ? {} : { errors }), data }, null, 2));
  if (errors !== undefined) process.exitCode = 1;
}

/**
 * Ends with the subscription, or with the socket.
 *
 * @param {import('./client.mjs').GraphqlClient} client
 * @param {import('./client.mjs').Asked} asked
 */
async function print(client, asked) {
  for await (const event of client.connect({ retryAttempts: 0 }).iterate(asked)) {
    console.log(JSON.stringify(event));
    if (event.errors !== undefined) process.exitCode = 1;
  }
}
