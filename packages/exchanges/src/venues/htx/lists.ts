/** Lists of HTX that are longer than one answer. The next page begins with or after a record of the page before. */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { allPages } from '../../ccxt/pages.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { identifier } from './fields.js';

const list = z.object({ data: z.array(z.looseObject({ id: identifier })) });

/** Returns each record of a list once, newest first. */
export async function fetchList(
  ccxt: CcxtClient,
  endpoint: string,
  params: Readonly<Record<string, unknown>>,
  size: number,
): Promise<readonly unknown[]> {
  const records = await allPages(async (from) => {
    const page = from === undefined ? { size } : { size, from, direct: 'next' };
    const { data } = parseResponse(list, await callEndpoint(ccxt, endpoint, { ...params, ...page }));
    return { items: data, next: data.length < size ? undefined : data.at(-1)?.id };
  });
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
