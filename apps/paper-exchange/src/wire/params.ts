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

export function limitOf(params: URLSearchParams, fallback: number): number {
  const limit = Number(params.get('limit') ?? fallback);
  if (!Number.isInteger(limit) || limit < 1) throw VENUE_ERRORS.malformed('limit');
  return Math.min(limit, 1_000);
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
 */
export function pageOf(params: URLSearchParams, idName: string) {
  const limit = limitOf(params, 500);
  const fromId = integerOf(params, idName);
  const from = integerOf(params, 'startTime');
  const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
  return <T extends { readonly id: number }>(
    rows: readonly T[],
    timeOf: (row: T) => number,
  ): readonly T[] => {
    const within = rows.filter(
      (row) => row.id >= (fromId ?? 0) && timeOf(row) >= (from ?? 0) && timeOf(row) <= to,
    );
    return fromId === undefined && from === undefined ? within.slice(-limit) : within.slice(0, limit);
  };
}

function knownSymbol(name: string): MarketSpec {
  const spec = findMarket(name);
  if (spec === undefined) throw VENUE_ERRORS.invalidSymbol();
  return spec;
}

function parseNames(text: string): string[] {
  let names: unknown;
  try {
    names = JSON.parse(text);
  } catch {
    throw VENUE_ERRORS.malformed('symbols');
  }
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw VENUE_ERRORS.malformed('symbols');
  }
  if (new Set(names).size !== names.length) throw VENUE_ERRORS.repeatedSymbol();
  return names;
}
