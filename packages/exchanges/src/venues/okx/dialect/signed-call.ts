/** What OKX's signed calls have in common. */
import { z } from 'zod';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;
export const PERPETUAL = ['perpetual'] as const;
const docs = (section: string) => `https://www.okx.com/docs-v5/en/#${section}`;

export const integer = z.coerce.number().int();
export const page = { after: z.string().optional(), limit: integer.min(1).max(100) };

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly capability: Capability;
  readonly recording: string;
  readonly section: string;
  readonly documented?: readonly string[];
  readonly tradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[];
}

interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

export const signedCall = <P extends z.ZodType>(call: Call, declared: Declared<P>): Route =>
  route({
    method: call.method,
    path: `/api/v5/${call.path}`,
    capability: call.capability,
    tradingTypes: call.tradingTypes ?? ALL,
    isSigned: true,
    source: { recordings: [call.recording], documented: call.documented, page: docs(call.section) },
    ...declared,
  });

/** Returns one page of a list, newest first. `after` is the id of the last record of the page before. */
export function pageOf<T>(
  items: readonly T[],
  idOfItem: (item: T) => string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): readonly T[] {
  const from = after === undefined ? 0 : items.findIndex((item) => idOfItem(item) === after) + 1;
  return items.slice(from, from + limit);
}
