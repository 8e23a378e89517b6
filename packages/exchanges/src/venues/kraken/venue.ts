/** Kraken: two exchanges with hosts, keys, limits and signatures of their own, one for spot and one for perpetuals. */
import type { VenueDeclaration } from '../../ccxt/declaration.js';
import { futures } from './futures.js';
import { spot } from './spot.js';

export const kraken: VenueDeclaration = {
  id: 'kraken',
  credentials: { secret: 'HMAC_SECRET', hasPassphrase: false },
  tradingTypes: { spot, perpetual: futures },
  notOffered: {
    margin: 'A position on margin belongs to single orders; the exchange lends no balance of an account.',
  },
};
