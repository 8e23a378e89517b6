/**
 * Merges reports of balances into the stored ones. Reports of streams and snapshots arrive late and in any order.
 *
 * 1. Each asset keeps the report with the latest venue time. An older report never replaces a newer one.
 * 2. Of two reports of the same millisecond, a snapshot wins only if it was requested after the other one arrived. A
 *    report of a stream wins over a snapshot, because the stream reports every later change as well.
 * 3. A snapshot keeps the report that it replaced. Within its own instant, it cannot be compared with the stream: it may
 *    contain a fill that the stream's last report of another asset lacks. `current_balances` then counts from the
 *    replaced report, so that both legs of a fill move together.
 * 4. A snapshot reports every asset: an asset that it lacks is zero.
 * 5. `balances` that the previous release wrote after the last report differ from it. Reports received later replace
 *    them.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

interface Amounts {
  readonly free: Decimal;
  readonly locked: Decimal;
}

/** What the exchange reports about the margin of an asset; see `AssetBalance` of the exchange port. */
interface ReportedMargin {
  readonly margin?: Decimal | undefined;
  readonly marginDeducted?: Decimal | undefined;
}

/** Balances by asset. */
type Balances = Readonly<Record<string, Amounts>>;

/** A report of one asset. */
interface AssetReport extends Amounts, ReportedMargin {
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

/** The last report of one asset. */
interface VenueBalance extends AssetReport {
  /** For a snapshot: the last report of the stream, or of a snapshot whose instant is over before this one begins. */
  readonly before?: AssetReport | undefined;
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
  /** As the exchange port reports them. */
  readonly balances: Readonly<Record<string, Amounts & ReportedMargin>>;
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
    if (!replaces(incoming, asset, stored)) {
      const kept = keepBefore(stored.venueBalances[asset], incoming);
      if (kept !== undefined) venueBalances[asset] = kept;
      continue;
    }
    const before = stored.balances[asset] ?? NOTHING;
    const isSame = isEqual(before, incoming);
    isChanged ||= !isSame || (isSnapshot && stored.venueBalances[asset]?.source === 'STREAM');
    venueBalances[asset] = isSnapshot
      ? { ...incoming, before: replacedBy(incoming, asset, stored) }
      : incoming;
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

function replaces(incoming: AssetReport, asset: string, stored: StoredBalances): boolean {
  if (isLegacy(asset, stored)) return incoming.received > (stored.takenAt ?? 0);
  return isLater(incoming, stored.venueBalances[asset] ?? zeroSince(stored));
}

function isLater(incoming: AssetReport, current: AssetReport): boolean {
  if (incoming.at !== current.at) return incoming.at > current.at;
  if (incoming.source === 'STREAM' && current.source === 'SNAPSHOT') return true;
  return incoming.source === 'STREAM'
    ? incoming.received >= current.received
    : incoming.received > current.received;
}

/** Returns the report that a snapshot must keep when it replaces the current one; see rule 3. */
function replacedBy(snapshot: AssetReport, asset: string, stored: StoredBalances): AssetReport | undefined {
  if (isLegacy(asset, stored)) return undefined;
  const replaced = stored.venueBalances[asset];
  // A snapshot that lacks the asset lacks its fills, too. They count like fills that the stream has not reported.
  if (replaced === undefined) return { ...zeroSince(stored), source: 'STREAM' };
  const { before, ...current } = replaced;
  if (current.source === 'STREAM') return current;
  const isOver = (current.until ?? current.at) < snapshot.at;
  return isOver && !isUndecided(current, stored.venueBalances) ? current : before;
}

/** Returns whether the stream reported an asset in the instant of this snapshot. */
function isUndecided({ at, until = at }: AssetReport, venueBalances: VenueBalances): boolean {
  return Object.values(venueBalances).some(
    (other) => other.source === 'STREAM' && other.at >= at && other.at <= until,
  );
}

/** Returns the snapshot with a later report of the stream as the one before it; undefined if nothing changes. */
function keepBefore(current: VenueBalance | undefined, incoming: AssetReport): VenueBalance | undefined {
  if (current?.before === undefined || incoming.source !== 'STREAM') return undefined;
  return isLater(incoming, current.before) ? { ...current, before: incoming } : undefined;
}

function venueBalanceOf(report: ReportedBalances, asset: string): AssetReport {
  const reported: Amounts & ReportedMargin = report.balances[asset] ?? NOTHING;
  const { free, locked, margin, marginDeducted } = reported;
  const at = report.at.toISOString();
  const until = report.until.toISOString();
  return {
    free,
    locked,
    ...(margin !== undefined && { margin }),
    ...(marginDeducted !== undefined && { marginDeducted }),
    at,
    ...(until !== at && { until }),
    source: report.source,
    received: report.received,
    ...(report.seen.length > 0 && { seen: report.seen }),
  };
}

/** Returns the report of an asset that the last snapshot lacked. */
function zeroSince({ venueBalancesAt, takenAt }: StoredBalances): AssetReport {
  return {
    ...NOTHING,
    at: (venueBalancesAt ?? new Date(0)).toISOString(),
    source: 'SNAPSHOT',
    received: takenAt ?? 0,
  };
}

/** Omits zeros that the snapshot's time already says, unless the asset was not zero before. */
function withoutOldZeros(venueBalances: VenueBalances, venueBalancesAt: Date | null): VenueBalances {
  const at = venueBalancesAt?.toISOString() ?? '';
  return Object.fromEntries(
    Object.entries(venueBalances).filter(
      ([, balance]) =>
        !isZero(balance) || balance.at > at || (balance.before !== undefined && !isZero(balance.before)),
    ),
  );
}

const later = (a: Date | null, b: Date): Date => (a !== null && a > b ? a : b);

const isZero = ({ free, locked }: Amounts) =>
  new BigDecimal(free).isZero() && new BigDecimal(locked).isZero();

const isEqual = (a: Amounts, b: Amounts) =>
  new BigDecimal(a.free).eq(b.free) && new BigDecimal(a.locked).eq(b.locked);
