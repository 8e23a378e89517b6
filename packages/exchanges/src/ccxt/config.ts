/** The configuration of the exchanges of a deployment: which venues it offers, with which adapter, URL and limits. */
import { isIP } from 'node:net';
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
    /** Accounts and pairs store this id as their `exchange`. Never change an id that is in use. */
    id: z.string().regex(/^[a-z0-9-]{1,32}$/, { error: 'expected 1 to 32 of a-z, 0-9 and -' }),
    name: z.string().trim().min(1).max(64),
    /** The ccxt id of the exchange whose wire format the venue uses. */
    adapter: z.string().refine((id) => adapterOf(id) !== undefined, {
      error: `expected one of ${[...ADAPTERS.keys()].join(', ')}`,
    }),
    tradingTypes: z
      .array(z.enum(TRADING_TYPES))
      .min(1)
      .refine((types) => new Set(types).size === types.length, { error: 'names a trading type twice' }),
    /** Replaces the scheme, host and port of every URL that the adapter calls, for example with a paper exchange's. */
    url: origin.optional(),
    /**
     * The time limit of each call. At most 10 s: the trading worker assumes that an order which is still unknown to
     * the exchange 13 s after it was sent never arrived.
     */
    timeoutMs: z.int().min(100).max(10_000).default(10_000),
    /**
     * The local addresses from which the exchange is called. Each has its own rate limits at the exchange, and an
     * account stays with one of them. Default: the operating system chooses the address.
     */
    egress: z
      .array(z.string().refine((text) => isIP(text) !== 0, { error: 'expected a local IP address' }))
      .min(1, { error: 'name at least one address, or omit the field' })
      .max(64)
      .refine((addresses) => new Set(addresses).size === addresses.length, {
        error: 'names an address twice',
      })
      .optional(),
    /**
     * The rate limits that the exchange granted to this deployment, if they differ from its published ones. The weight
     * is that of each address in `egress`.
     */
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
 * The ids of the venues that passed the conformance suite; `conformance/` has a file for each. Other venues may be
 * configured, and their market data is read, but users cannot connect accounts to them.
 */
export const CERTIFIED_VENUES: ReadonlySet<string> = new Set(['paper']);

/**
 * Returns whether a venue is certified. The venue `paper` is certified only with a configured URL: without one, its
 * adapter would call a real exchange.
 */
export function isCertified({ id, url }: VenueConfig): boolean {
  return CERTIFIED_VENUES.has(id) && (id !== 'paper' || url !== undefined);
}

const venueList = z
  .array(venueConfig)
  .min(1, { error: 'name at least one venue' })
  .refine((venues) => new Set(venues.map(({ id }) => id)).size === venues.length, {
    error: 'two venues have the same id',
  });

/** A process setting: a JSON array of {@link venueConfig}, as a string. */
export const venuesSetting = z.string().transform((text, context): VenueConfig[] => {
  const parsed = venueList.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) {
    const location = path.map(String).join('.');
    context.addIssue({
      code: 'custom',
      message: location === '' ? `expected a JSON array of venues: ${message}` : `${location}: ${message}`,
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

/** Returns the configured rate limits of a venue, or else the limits that the exchange publishes. */
export function limitsOf({ adapter, limits }: VenueConfig): VenueRateLimits {
  const published = adapterOf(adapter)?.rateLimits;
  if (published === undefined) throw new Error(`no adapter ${adapter}`);
  return {
    weightPerMinute: limits?.weightPerMinute ?? published.weightPerMinute,
    ordersPer10s: limits?.ordersPer10s ?? published.ordersPer10s,
  };
}
