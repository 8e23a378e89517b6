import type { MarketSpec } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import { type Operation, publicOperation, type VenueContext } from './operation.js';
import { parseNames, symbolsOf } from './params.js';
import { symbolView } from './symbol-view.js';

const PERMISSIONS: ReadonlySet<string> = new Set(['SPOT', 'MARGIN', 'LEVERAGED']);
/** Groups of accounts that the venue lets trade further markets. */
const PERMISSION_GROUP = /^TRD_GRP_\d{3}$/;

/** Declares the operations that describe the venue and its markets. */
export function exchangeInfoOperations({ weather, limits }: VenueContext): Operation[] {
  const empty = () => ({
    timezone: 'UTC',
    serverTime: weather.venueTime(),
    rateLimits: limits.view(),
    exchangeFilters: [],
    assets: [],
    symbols: [],
  });
  return [
    publicOperation('GET /api/v3/ping', { socketMethod: 'ping' }, () => ({})),
    publicOperation('GET /api/v3/time', { socketMethod: 'time' }, () => ({
      serverTime: weather.venueTime(),
    })),
    publicOperation(
      'GET /api/v3/exchangeInfo',
      {
        params: ['symbol', 'symbols', 'permissions', 'showPermissionSets', 'symbolStatus'],
        socketMethod: 'exchangeInfo',
      },
      (params) => ({
        timezone: 'UTC',
        serverTime: weather.venueTime(),
        rateLimits: limits.view(),
        exchangeFilters: [],
        symbols: marketsOf(params).map((spec) => symbolView(spec, showsPermissionSets(params))),
      }),
    ),
    // There are no contracts settled in coins. Clients that trade every product of the venue ask for them first.
    publicOperation('GET /dapi/v1/exchangeInfo', {}, empty),
    publicOperation('GET /sapi/v1/system/status', {}, () => ({ status: 0, msg: 'normal' })),
  ];
}

/** Returns the markets that the filters of a request select. */
function marketsOf(params: URLSearchParams): readonly MarketSpec[] {
  const namesMarkets = params.has('symbol') || params.has('symbols');
  const filters = ['permissions', 'symbolStatus'].filter((name) => params.has(name));
  if (namesMarkets && filters.length > 0) throw VENUE_ERRORS.invalidCombination();
  const { specs } = symbolsOf(params);
  const status = params.get('symbolStatus') ?? 'TRADING';
  if (status !== 'TRADING' && status !== 'HALT' && status !== 'BREAK')
    throw VENUE_ERRORS.invalidSymbolStatus();
  const permissions = permissionsOf(params.get('permissions'));
  return status === 'TRADING' && permissions.includes('SPOT') ? specs : [];
}

/** Reads one permission, or a JSON list of permissions. */
function permissionsOf(text: string | null): readonly string[] {
  if (text === null) return [...PERMISSIONS];
  const names = text.startsWith('[') ? parseNames(text, 'permissions') : [text];
  if (!names.every((name) => PERMISSIONS.has(name) || PERMISSION_GROUP.test(name)))
    throw VENUE_ERRORS.invalidValue('permissions');
  return names;
}

function showsPermissionSets(params: URLSearchParams): boolean {
  const text = params.get('showPermissionSets') ?? 'true';
  if (text !== 'true' && text !== 'false') throw VENUE_ERRORS.invalidValue('showPermissionSets');
  return text === 'true';
}
