/** What a deployment says about its exchanges. Nothing else in the product names one. */
import { TRADING_TYPES } from '@trading-automation/contracts';
import { z } from 'zod';
import { ADAPTERS, adapterOf } from './adapters.js';
import type { VenueRateLimits } from './budget.js';

const origin = z
  .url({ protocol: /^https?$/, error: 'expected an http or https address', abort: true })
  .refine(
    (text) => {
      const url = new URL(text);
      return `${url.pathname}${url.search}${url.hash}` === '/' && url.username === '' && url.password === '';
    },
    { error: 'expected scheme, host and port alone' },
  );

/** One exchange that the deployment offers. */
export const venueConfig = z
  .strictObject({
    /** What accounts and pairs keep as their `exchange`; never to be changed once in use. */
    id: z.string().regex(/^[a-z0-9-]{1,32}$/, { error: 'expected 1 to 32 of a-z, 0-9 and -' }),
    name: z.string().trim().min(1).max(64),
    /** The ccxt id of the exchange whose wire format is spoken. */
    adapter: z.string().refine((id) => adapterOf(id) !== undefined, {
      error: `expected one of ${[...ADAPTERS.keys()].join(', ')}`,
    }),
    tradingTypes: z
      .array(z.enum(TRADING_TYPES))
      .min(1)
      .refine((types) => new Set(types).size === types.length, { error: 'names a trading type twice' }),
    /** Stands in for every host of the exchange, for one that speaks its wire format elsewhere. */
    url: origin.optional(),
    /** Within which each call ends. */
    /** The trading worker takes an order that is not known 13 s after it was sent for one that never arrived. */
    timeoutMs: z.int().min(100).max(10_000).default(10_000),
    /** Where the exchange grants this deployment another number of calls than everybody. */
    limits: z
      .strictObject({
        weightPerMinute: z.int().positive().optional(),
        ordersPer10s: z.int().positive().optional(),
      })
      .optional(),
  })
  .superRefine(({ adapter, tradingTypes }, context) => {
    const available = adapterOf(adapter)?.tradingTypes;
    if (available === undefined) return;
    for (const type of tradingTypes) {
      if (available[type] !== undefined) continue;
      context.addIssue({
        code: 'custom',
        path: ['tradingTypes'],
        message: `${type} is not available with the adapter ${adapter}`,
      });
    }
  });
export type VenueConfig = z.output<typeof venueConfig>;

/**
 * The venues that the conformance suite was run for, by id; `conformance/` has a file for each. Another one may be
 * configured and looked at, but its accounts are not offered to anybody.
 */
export const CERTIFIED_VENUES: ReadonlySet<string> = new Set(['paper']);

/** The paper exchange never is where the adapter would go by itself. */
export function isCertified({ id, url }: VenueConfig): boolean {
  return CERTIFIED_VENUES.has(id) && (id !== 'paper' || url !== undefined);
}

const venueList = z
  .array(venueConfig)
  .min(1, { error: 'name at least one venue' })
  .refine((venues) => new Set(venues.map(({ id }) => id)).size === venues.length, {
    error: 'two venues have the same id',
  });

/** The setting of a process: a JSON array of {@link venueConfig}, as text. */
export const venuesSetting = z.string().transform((text, context): VenueConfig[] => {
  const parsed = venueList.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) {
    const place = path.map(String).join('.');
    context.addIssue({
      code: 'custom',
      message: place === '' ? `expected a JSON array of venues: ${message}` : `${place}: ${message}`,
    });
  }
  return z.NEVER;
});

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the exchange allows this deployment: its tariff, or what was agreed on. */
export function limitsOf({ adapter, limits }: VenueConfig): VenueRateLimits {
  const tariff = adapterOf(adapter)?.rateLimits;
  if (tariff === undefined) throw new Error(`no adapter ${adapter}`);
  return {
    weightPerMinute: limits?.weightPerMinute ?? tariff.weightPerMinute,
    ordersPer10s: limits?.ordersPer10s ?? tariff.ordersPer10s,
  };
}
