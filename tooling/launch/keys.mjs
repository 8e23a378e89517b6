import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { generateSealingKeyPair } from '@trading-automation/core/sealing';
import { readIfExists, readJsonIfExists, writePrivateFile } from './files.mjs';

/**
 * Returns the keys of one deployment on this machine. They are created once, in files that only their owner can read.
 *
 * @typedef {{ id: string, publicKey: string, privateKey: string }} SealingKeyPair
 * @typedef {{ server: string, exchangeSealing: SealingKeyPair, webhookSealing: SealingKeyPair }} Keys
 *
 * @param {string} folder
 * @returns {Promise<Keys>}
 */
export async function ensureKeys(folder) {
  const serverFile = join(folder, 'server.key');
  const server = readIfExists(serverFile) ?? randomBytes(32).toString('base64url');
  writePrivateFile(serverFile, server);
  return {
    server,
    exchangeSealing: await ensurePair(join(folder, 'exchange-sealing.json')),
    webhookSealing: await ensurePair(join(folder, 'webhook-sealing.json')),
  };
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
