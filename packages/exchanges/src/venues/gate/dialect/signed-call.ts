import type { z } from 'zod';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import { docs } from './params.js';

/** A signed call whose answer was recorded. */
interface SignedCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly capability: Capability;
  readonly recordings: readonly string[];
  readonly documented?: readonly string[];
  readonly page: string;
  readonly tradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[];
}

interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

export const signedCall = <P extends z.ZodType>(call: SignedCall, declared: Declared<P>): Route =>
  route({
    method: call.method,
    path: `/api/v4/${call.path}`,
    capability: call.capability,
    tradingTypes: call.tradingTypes ?? ['spot', 'margin'],
    isSigned: true,
    source: { recordings: call.recordings, documented: call.documented, page: docs(call.page) },
    ...declared,
  });
