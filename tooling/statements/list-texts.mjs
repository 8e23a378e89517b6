const ROOT = new URL('../../', import.meta.url).pathname;
const { listPage } = await import(`${ROOT}packages/persistence/src/keyset-list.ts`);

/**
 * Returns the SQL of the pages and totals of lists: each order, with and without a cursor.
 * @param {readonly { sorts: object }[]} sources
 * @returns {Promise<string[]>}
 */
export async function listTexts(sources) {
  /** @type {string[]} */
  const texts = [];
  const pool = {
    query: async (/** @type {{ text: string }} */ { text }) => {
      texts.push(text);
      return { fields: [], rows: [['0']].slice(text.startsWith('SELECT count') ? 0 : 1) };
    },
  };
  const recorder = { driver: { master: pool } };
  const codec = { encode: () => '', decode: () => ({ value: '', id: '' }) };
  for (const source of sources)
    for (const sort of Object.keys(source.sorts))
      for (const order of ['asc', 'desc'])
        for (const cursor of [undefined, 'cursor'])
          await listPage(recorder, codec, source, { limit: 1, sort, order, cursor, include: ['total'] }, '');
  return texts;
}
