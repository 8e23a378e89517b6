import { decodeId } from '@trading-automation/contracts';

/**
 * Returns how many of the API keys are not stored.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {string[]} createdIds public ids of API keys
 */
export async function countMissingApiKeys(environment, createdIds) {
  const rows = await environment.query(
    'SELECT id FROM api_keys WHERE id = ANY($1)',
    createdIds.map((id) => decodeId('key', id)),
  );
  return createdIds.length - rows.length;
}
