import type { VenueDeclaration } from '../../ccxt/declaration.js';
import { margin } from './margin.js';
import { perpetual } from './perpetual.js';
import { spot } from './spot.js';

export const binance: VenueDeclaration = {
  id: 'binance',
  credentials: { secret: 'HMAC_SECRET', hasPassphrase: false },
  tradingTypes: { spot, margin, perpetual },
};
