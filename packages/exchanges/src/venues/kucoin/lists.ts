/** What KuCoin's calls have in common. */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';

type Params = Readonly<Record<string, unknown>>;

const answer = z.object({ data: z.unknown() });

/** Returns the `data` of an answer. */
export async function fetchData<S extends z.ZodType>(
  ccxt: CcxtClient,
  endpoint: string,
  params: Params,
  schema: S,
): Promise<z.output<S>> {
  return parseResponse(schema, parseResponse(answer, await callEndpoint(ccxt, endpoint, params)).data);
}

/** An amount that the exchange writes as a string or as a JSON number. */
export const amount = z.union([z.string(), z.number().transform(String)]).pipe(exactDecimal);
/** An amount that may be null, empty or zero for "none". */
export const optionalAmount = z
  .union([amount, z.literal('').transform(() => undefined)])
  .nullish()
  .transform((value) => (value == null || value === '0' ? undefined : value));
/** Nanoseconds, of which the last digits may be lost. */
export const nanoseconds = z
  .union([z.string(), z.number().transform(String)])
  .transform((text) => new Date(Number(text.slice(0, -6))));
export const milliseconds = z.coerce.number().transform((ms) => new Date(ms));
/** An id that the exchange writes as a string or as a JSON number. */
export const identifier = z.union([z.string().min(1), z.number().transform(String)]);

const DAY_MS = 86_400_000;
/** Lists by time cover at most seven days. */
export const RANGES = { spanMs: 7 * DAY_MS, historyMs: 180 * DAY_MS };
/** How long the exchange certainly finds an order by its client order id. */
const REMEMBERED_MS = DAY_MS;

/** Whether an order that was not found does not exist. */
export function isAbsenceProven(sentAt: Date | undefined): boolean {
  return sentAt !== undefined && Date.now() - sentAt.getTime() < REMEMBERED_MS;
}
