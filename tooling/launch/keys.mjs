import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { generateSealingKeyPair } from '@trading-automation/core/sealing';
import { readIfExists, readJsonIfExists, writePrivateFile } from './files.mjs';

/**
 * Returns the keys of one deployment on this machine. They are created once, in files that only their owner can read.
 *
 * @typedef {{ id: string, publicKey: string, privateKey: string }} SealingKeyPair
 * @typedef {{ server: string, session: string, exchangeSealing: SealingKeyPair, webhookSealing: SealingKeyPair }} Keys
 *
 * @param {string} folder
 * @returns {Promise<Keys>}
 */
export async function ensureKeys(folder) {
  return {
    server: ensureSecret(join(folder, 'server.key'), () => randomBytes(32).toString('base64url')),
    session: ensureSecret(join(folder, 'session.key'), () => `k1:${randomBytes(32).toString('hex')}`),
    exchangeSealing: await ensurePair(join(folder, 'exchange-sealing.json')),
    webhookSealing: await ensurePair(join(folder, 'webhook-sealing.json')),
  };
}

/**
 * @param {string} file
 * @param {() => string} create
 */
function ensureSecret(file, create) {
  const secret = readIfExists(file) ?? create();
  writePrivateFile(file, secret);
  return secret;
}

/**
 * @param {string} file
 * @returns {Promise<SealingKeyPair>}
 */
async function ensurePair(file) {
  const stored = readJsonIfExists(file);
  if (stored !== null) return stored;
  const pair = await generateSealingKeyPair();
  writePrivateFile(file, JSON.stringify(pair));
  return pair;
}
