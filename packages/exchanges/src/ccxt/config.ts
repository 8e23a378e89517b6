/** The configuration of the exchanges of a deployment: which venues it offers, with which adapter, URL and limits. */
import { isIP } from 'node:net';
import { TRADING_TYPES } from '@trading-automation/contracts';
import { z } from 'zod';
import { declarationOf, VENUE_IDS } from '../venues/index.js';
import type { VenueRateLimits } from './budget.js';
import type { TradingTypeDeclaration } from './declaration.js';

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
    /** The venue folder whose wire format the exchange has. */
    adapter: z.string().refine((id) => declarationOf(id) !== undefined, {
      error: `expected one of ${VENUE_IDS.join(', ')}`,
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
     * is that of each address in `egress`; `accountWeight` is that of each account, in the window of the published limit,
     * and has no effect at an exchange that does not count it. They apply to each group of trading types with limits of its own.
     */
    limits: z
      .strictObject({
        weightPerMinute: z.int().positive().optional(),
        ordersPer10s: z.int().positive().optional(),
        accountWeight: z.int().positive().optional(),
      })
      .optional(),
  })
  .superRefine(({ adapter, tradingTypes }, context) => {
    const available = declarationOf(adapter)?.tradingTypes;
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
 * Returns whether users can connect accounts: the venue is the exchange of its folder, or a paper exchange. Other
 * venues may be configured, and their market data is read.
 */
export function isOffered(config: VenueConfig): boolean {
  return isPaper(config) || (config.url === undefined && config.id === config.adapter);
}

/** Returns whether a venue is a paper exchange. It needs a URL: without one, its adapter would call a real exchange. */
export function isPaper({ id, url }: VenueConfig): boolean {
  return id === 'paper' && url !== undefined;
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

/** Returns the key of the call budget that a trading type of a venue uses. */
export function budgetKeyOf(
  { id }: Pick<VenueConfig, 'id'>,
  { rateLimits: { scope } }: Pick<TradingTypeDeclaration, 'rateLimits'>,
): string {
  return scope === undefined ? id : `${id}/${scope}`;
}

/** Returns the limits of each call budget of a venue: the configured ones, or else those that the exchange publishes. */
export function limitsByBudget(config: VenueConfig): ReadonlyMap<string, VenueRateLimits> {
  const declared = declarationOf(config.adapter)?.tradingTypes ?? {};
  return new Map(
    config.tradingTypes.flatMap((type) => {
      const declaration = declared[type];
      if (declaration === undefined) return [];
      const { weightPerMinute, ordersPer10s, account } = declaration.rateLimits;
      const limits = {
        weightPerMinute: config.limits?.weightPerMinute ?? weightPerMinute,
        ordersPer10s: config.limits?.ordersPer10s ?? ordersPer10s,
        accountLimit: account && {
          weight: config.limits?.accountWeight ?? account.weight,
          windowMs: account.windowMs,
        },
      };
      return [[budgetKeyOf(config, declaration), limits] as const];
    }),
  );
}
