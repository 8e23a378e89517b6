/**
 * Merges reports of balances into the stored ones. Reports of streams and snapshots arrive late and in any order.
 *
 * 1. Each asset keeps the report with the latest venue time. An older report never replaces a newer one.
 * 2. Of two reports of the same millisecond, a snapshot wins only if it was requested after the other one arrived. A
 *    report of a stream wins over a snapshot, because the stream reports every later change as well.
 * 3. A snapshot reports every asset: an asset that it lacks is zero.
 * 4. `balances` that the previous release wrote after the last report differ from it. Reports received later replace
 *    them.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

interface Amounts {
  readonly free: Decimal;
  readonly locked: Decimal;
}

/** Balances by asset, as the exchange port reports them. */
type Balances = Readonly<Record<string, Amounts>>;

/** The last report of one asset. */
interface VenueBalance extends Amounts {
  /** The venue's time of the report, in ISO 8601: it includes every change before this millisecond. */
  readonly at: string;
  /** The report includes no change after this instant of the venue. Omitted if it equals `at`. */
  readonly until?: string | undefined;
  readonly source: 'SNAPSHOT' | 'STREAM';
  /** The database's time when the report was requested (snapshot) or received (stream), in microseconds. */
  readonly received: number;
  /** Keys of the orders and fills of the millisecond `at` that the stream reported before these balances. */
  readonly seen?: readonly string[] | undefined;
}

export type VenueBalances = Readonly<Record<string, VenueBalance>>;

/** The stored balances of an account. */
export interface StoredBalances {
  /** The same balances without times; the previous release reads and writes only them. */
  readonly balances: Balances;
  readonly venueBalances: VenueBalances;
  /** The venue's time of the last snapshot; null if this release has stored none. */
  readonly venueBalancesAt: Date | null;
  /** The database's time of the last snapshot in microseconds; null without a snapshot. */
  readonly takenAt: number | null;
}

export interface ReportedBalances {
  readonly source: 'SNAPSHOT' | 'STREAM';
  readonly balances: Balances;
  readonly at: Date;
  readonly until: Date;
  readonly received: number;
  readonly seen: readonly string[];
}

export interface MergedBalances extends StoredBalances {
  /** Whether the report changed a balance, or confirmed one that only a stream had reported. */
  readonly isChanged: boolean;
}

const NOTHING = { free: '0', locked: '0' } as const;

export function mergeReport(stored: StoredBalances, report: ReportedBalances): MergedBalances {
  const isSnapshot = report.source === 'SNAPSHOT';
  const assets = new Set(Object.keys(report.balances));
  if (isSnapshot) {
    for (const asset of Object.keys(stored.venueBalances)) assets.add(asset);
    for (const asset of Object.keys(stored.balances)) assets.add(asset);
  }
  const venueBalances: Record<string, VenueBalance> = { ...stored.venueBalances };
  const balances: Record<string, Amounts> = { ...stored.balances };
  let isChanged = false;
  for (const asset of assets) {
    const incoming = venueBalanceOf(report, asset);
    if (!replaces(incoming, asset, stored)) continue;
    const before = stored.balances[asset] ?? NOTHING;
    const isSame = isEqual(before, incoming);
    isChanged ||= !isSame || (isSnapshot && stored.venueBalances[asset]?.source === 'STREAM');
    venueBalances[asset] = incoming;
    if (isZero(incoming)) delete balances[asset];
    else balances[asset] = { free: incoming.free, locked: incoming.locked };
  }
  const venueBalancesAt = isSnapshot ? later(stored.venueBalancesAt, report.at) : stored.venueBalancesAt;
  const takenAt = isSnapshot ? Math.max(stored.takenAt ?? 0, report.received) : stored.takenAt;
  return {
    balances,
    venueBalances: withoutOldZeros(venueBalances, venueBalancesAt),
    venueBalancesAt,
    takenAt,
    isChanged,
  };
}

/** Returns whether the previous release wrote the asset's balance after the last report. */
function isLegacy(asset: string, { balances, venueBalances, venueBalancesAt }: StoredBalances): boolean {
  return venueBalancesAt === null || !isEqual(balances[asset] ?? NOTHING, venueBalances[asset] ?? NOTHING);
}

function replaces(incoming: VenueBalance, asset: string, stored: StoredBalances): boolean {
  if (isLegacy(asset, stored)) return incoming.received > (stored.takenAt ?? 0);
  const current = stored.venueBalances[asset] ?? zeroSince(stored);
  if (incoming.at !== current.at) return incoming.at > current.at;
  if (incoming.source === 'STREAM' && current.source === 'SNAPSHOT') return true;
  return incoming.source === 'STREAM'
    ? incoming.received >= current.received
    : incoming.received > current.received;
}

function venueBalanceOf(report: ReportedBalances, asset: string): VenueBalance {
  const { free, locked } = report.balances[asset] ?? NOTHING;
  const at = report.at.toISOString();
  const until = report.until.toISOString();
  return {
    free,
    locked,
    at,
    ...(until !== at && { until }),
    source: report.source,
    received: report.received,
    ...(report.seen.length > 0 && { seen: report.seen }),
  };
}

/** Returns the report of an asset that the last snapshot lacked. */
function zeroSince({ venueBalancesAt, takenAt }: StoredBalances): VenueBalance {
  return {
    ...NOTHING,
    at: (venueBalancesAt ?? new Date(0)).toISOString(),
    source: 'SNAPSHOT',
    received: takenAt ?? 0,
  };
}

/** Omits zeros that the snapshot's time already says. */
function withoutOldZeros(venueBalances: VenueBalances, venueBalancesAt: Date | null): VenueBalances {
  const at = venueBalancesAt?.toISOString() ?? '';
  return Object.fromEntries(
    Object.entries(venueBalances).filter(([, balance]) => !isZero(balance) || balance.at > at),
  );
}

const later = (a: Date | null, b: Date): Date => (a !== null && a > b ? a : b);

const isZero = ({ free, locked }: Amounts) =>
  new BigDecimal(free).isZero() && new BigDecimal(locked).isZero();

const isEqual = (a: Amounts, b: Amounts) =>
  new BigDecimal(a.free).eq(b.free) && new BigDecimal(a.locked).eq(b.locked);
