import type { VenueDeclaration } from '../../ccxt/declaration.js';
import { spot } from './spot.js';

export const binance: VenueDeclaration = {
  id: 'binance',
  credentials: { secret: 'HMAC_SECRET', hasPassphrase: false },
  tradingTypes: { spot },
  notOffered: {
    margin: 'Not proven yet.',
    perpetual: 'Not proven yet.',
  },
};
