import type { FastifyRequest } from 'fastify';
import { findMarket, type MarketSpec, SYMBOLS } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';

export interface ReceivedParams {
  readonly params: URLSearchParams;
  /** The query string and the body as sent, concatenated. A signature covers this string. */
  readonly payload: string;
}

export function readParams(req: FastifyRequest): ReceivedParams {
  const query = req.url.split('?')[1] ?? '';
  const body = typeof req.body === 'string' ? req.body : '';
  return { payload: query + body, params: new URLSearchParams([query, body].filter(Boolean).join('&')) };
}

/** How a caller of an operation identifies itself: not at all, by its API key, or by a signature as well. */
export type Access = 'PUBLIC' | 'KEY' | 'SIGNED';

const SIGNATURE_PARAMS = new Set(['timestamp', 'recvWindow', 'signature']);

/**
 * Checks the names of the parameters, so that no parameter is accepted and ignored.
 *
 * @throws VenueError -1101 for a repeated name, -1104 for an unknown one, -1105 for an empty value
 */
export function assertParams(params: URLSearchParams, known: ReadonlySet<string>, access: Access): void {
  const seen = new Set<string>();
  let unknownCount = 0;
  for (const [name, value] of params) {
    if (seen.has(name)) throw VENUE_ERRORS.repeatedParam();
    seen.add(name);
    if (!known.has(name) && !(access !== 'PUBLIC' && SIGNATURE_PARAMS.has(name))) unknownCount += 1;
    else if (value === '') throw VENUE_ERRORS.empty(name);
  }
  if (unknownCount > 0) throw VENUE_ERRORS.unread(seen.size - unknownCount, seen.size);
}

export function required(params: URLSearchParams, name: string): string {
  const value = params.get(name);
  if (value === null || value === '') throw VENUE_ERRORS.missing(name);
  return value;
}

export function symbolOf(params: URLSearchParams): MarketSpec {
  return knownSymbol(required(params, 'symbol'));
}

/**
 * Returns the markets that `symbol` or `symbols` (a JSON list) names, or all markets if both are missing. If `isOne` is
 * true, the response is one object instead of a list.
 */
export function symbolsOf(params: URLSearchParams): { specs: readonly MarketSpec[]; isOne: boolean } {
  const list = params.get('symbols');
  if (list !== null && params.has('symbol')) throw VENUE_ERRORS.invalidCombination();
  if (params.has('symbol')) return { specs: [symbolOf(params)], isOne: true };
  if (list === null) return { specs: SYMBOLS, isOne: false };
  const names = parseNames(list);
  return { specs: names.map(knownSymbol), isOne: false };
}

/** Reads `limit`. A larger one than `most` counts as `most`, as at the venue. */
export function limitOf(params: URLSearchParams, fallback: number, most = 1_000): number {
  const limit = Number(params.get('limit') ?? fallback);
  if (!/^\d{1,16}$/.test(params.get('limit') ?? '1') || limit < 1) throw VENUE_ERRORS.malformed('limit');
  return Math.min(limit, most);
}

/** Reads a whole number, such as milliseconds or an id. Returns undefined if the parameter was not sent. */
export function integerOf(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (text === null) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw VENUE_ERRORS.malformed(name);
  return value;
}

/**
 * Returns a function that selects the requested page of a history. With a start, which is an id (parameter `idName`) or
 * a time, the page has the first rows from there; otherwise it has the newest rows. Rows are ordered oldest first.
 * `page`, where an operation has it, counts from 1, and continues in the same direction.
 */
export function pageOf(params: URLSearchParams, idName: string) {
  const limit = limitOf(params, 500);
  const fromId = integerOf(params, idName);
  const from = integerOf(params, 'startTime');
  const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
  const page = integerOf(params, 'page') ?? 1;
  if (page < 1) throw VENUE_ERRORS.malformed('page');
  return <T extends { readonly id: number }>(
    rows: readonly T[],
    timeOf: (row: T) => number,
  ): readonly T[] => {
    const within = rows.filter(
      (row) => row.id >= (fromId ?? 0) && timeOf(row) >= (from ?? 0) && timeOf(row) <= to,
    );
    const isFromStart = fromId !== undefined || from !== undefined;
    const end = isFromStart ? page * limit : within.length - (page - 1) * limit;
    return within.slice(Math.max(0, end - limit), Math.max(0, end));
  };
}

/** Reads `true` or `false`, in any case. */
export function readFlag(params: URLSearchParams, name: string, fallback = false): boolean {
  const text = (params.get(name) ?? String(fallback)).toLowerCase();
  if (text !== 'true' && text !== 'false') throw VENUE_ERRORS.malformed(name);
  return text === 'true';
}

/** Reads `type`: FULL or MINI. */
export function isMiniTicker(params: URLSearchParams): boolean {
  const type = params.get('type') ?? 'FULL';
  if (type !== 'FULL' && type !== 'MINI') throw VENUE_ERRORS.invalidTickerType();
  return type === 'MINI';
}

function knownSymbol(name: string): MarketSpec {
  const spec = findMarket(name);
  if (spec === undefined) throw VENUE_ERRORS.invalidSymbol();
  return spec;
}

/** Parses a JSON list of distinct names. */
export function parseNames(text: string, param = 'symbols'): string[] {
  let names: unknown;
  try {
    names = JSON.parse(text);
  } catch {
    throw VENUE_ERRORS.malformed(param);
  }
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw VENUE_ERRORS.malformed(param);
  }
  if (new Set(names).size !== names.length) throw VENUE_ERRORS.repeatedSymbol();
  return names;
}
