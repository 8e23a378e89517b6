import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A defence of the product, as a defect: `replace` removes it, and a test must fail. `area` is a heading of the table.
 * `isSample`: whether `npm test` removes it in every run.
 *
 * @typedef {import('../planted-faults/run.mjs').PlantedFault & { area: string, isSample?: true }} Defence
 */

const folder = join(import.meta.dirname, 'table');

/**
 * All defences of the table. Each of its files is an object: area to defences.
 *
 * @type {readonly Defence[]}
 */
export const DEFENCES = readdirSync(folder).flatMap((name) => {
  /** @type {Record<string, Omit<Defence, 'area'>[]>} */
  const areas = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return Object.entries(areas).flatMap(([area, defences]) => defences.map((each) => ({ ...each, area })));
});
