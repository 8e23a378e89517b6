import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The pictures are part of the repository, so they must stay small. */
export const BYTES_MAX = 4_000_000;

/**
 * Adds the sizes of all pictures in a folder.
 *
 * @param {string} folder
 * @returns {{ line: string, isWithinLimit: boolean }}
 */
export function sizeReport(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.webp'));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, String(name))).size, 0);
  const isWithinLimit = bytes <= BYTES_MAX;
  const megabytes = (/** @type {number} */ count) => (count / 1_000_000).toFixed(2);
  const verdict = isWithinLimit ? 'met' : 'missed';
  return {
    line: `${files.length} pictures of ${megabytes(bytes)} MB together, limit ${megabytes(BYTES_MAX)} MB: ${verdict}`,
    isWithinLimit,
  };
}
