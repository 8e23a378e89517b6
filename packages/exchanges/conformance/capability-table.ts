/** The table of what is proven for each venue, and by what. */
import { TRADING_TYPES, type TradingType } from '@trading-automation/contracts';
import type { VenueDeclaration } from '../src/ccxt/declaration.js';
import type { Capability, Dialect, Source } from './scripted/dialect.js';

export interface ProvenVenue {
  readonly declaration: VenueDeclaration;
  /** Undefined for a venue that another exchange plays in tests. */
  readonly dialect: Dialect | undefined;
}

/** Returns the page `docs/reference/venues.md`. */
export function capabilityPage(venues: readonly ProvenVenue[]): string {
  return `# Venues

Generated from the venue folders by \`UPDATE_GOLDEN=1 npm run jest -- packages/exchanges/conformance/capability-table\`. Do not edit.

## What is offered

A trading type is offered if it passes the conformance suite. It is \`BETA\` until a run at the exchange itself is recorded.

Where the absence of an order is not proven, the open orders and the fills of its pair decide, from ten minutes after the submission on and as long
as the exchange lists the fills since then.

${table(['Venue', 'Trading type', 'Order types', 'Client order id', 'Absence of an order', 'Fills are listed for'], venues.flatMap(offerRows))}

## Not offered

${table(['Venue', 'Trading type', 'Why'], venues.flatMap(refusedRows))}

## What the tests rest on

Each cell counts the calls and channels of the scripted exchange: those that follow recordings of the exchange, and after the plus sign
those that follow its documentation alone.

${table(['Capability', ...venues.filter(({ dialect }) => dialect !== undefined).map(({ declaration }) => declaration.id)], capabilityRows(venues))}
`;
}

function offerRows({ declaration }: ProvenVenue): readonly (readonly string[])[] {
  return TRADING_TYPES.flatMap((type) => {
    const declared = declaration.tradingTypes[type];
    if (declared === undefined) return [];
    const { orderTypes, clientOrderId, fills } = declared;
    return [
      [
        declaration.id,
        type,
        orderTypes.join(', '),
        clientOrderId.lookUp,
        clientOrderId.absence,
        daysOf(fills.listedForMs),
      ],
    ];
  });
}

const daysOf = (ms: number): string =>
  Number.isFinite(ms) ? `${Math.floor(ms / 86_400_000)} days` : 'Without limit';

/** @throws if a trading type is neither declared nor explained */
function refusedRows({ declaration }: ProvenVenue): readonly (readonly string[])[] {
  const isRefused = (type: TradingType) => declaration.tradingTypes[type] === undefined;
  return TRADING_TYPES.filter(isRefused).map((type) => {
    const why = declaration.notOffered?.[type];
    if (why === undefined) throw new Error(`${declaration.id} does not say why ${type} is not offered`);
    return [declaration.id, type, why];
  });
}

function capabilityRows(venues: readonly ProvenVenue[]): readonly (readonly string[])[] {
  const dialects = venues.flatMap(({ dialect }) => dialect ?? []);
  const parts = dialects.map(({ routes, channels }) => [...routes, ...channels]);
  const capabilities = [...new Set(parts.flat().map(({ capability }) => capability))].sort();
  return capabilities.map((capability) => [
    capability,
    ...parts.map((each) => countOf(each.filter((part) => part.capability === capability))),
  ]);
}

function countOf(parts: readonly { readonly capability: Capability; readonly source: Source }[]): string {
  const recorded = parts.filter(({ source }) => 'recordings' in source).length;
  const documented = parts.length - recorded;
  if (parts.length === 0) return '';
  return documented === 0 ? `${recorded}` : `${recorded} + ${documented}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
