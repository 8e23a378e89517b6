/** Kraken: two exchanges with hosts, keys, limits and signatures of their own, one for spot and one for perpetuals. */
import type { VenueDeclaration } from '../../ccxt/declaration.js';
import { futures } from './futures.js';
import { spot } from './spot.js';

export const kraken: VenueDeclaration = {
  id: 'kraken',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: false,
    permissions: {
      spot: {
        needed: [
          'Query Funds',
          'Query Open Orders & Trades',
          'Query Closed Orders & Trades',
          'Create & Modify Orders',
          'Cancel/Close Orders',
          'Get WebSocket Token',
        ],
        refused: ['Withdraw Funds', 'Deposit Funds'],
        notes: ['Leave the nonce window at 0, and use the key for nothing else.'],
      },
      perpetual: {
        needed: ['General API: Full access'],
        refused: ['Withdrawal API'],
        notes: ['Create the key in the settings of Kraken Derivatives.'],
      },
    },
  },
  tradingTypes: { spot, perpetual: futures },
  notOffered: {
    margin: 'A position on margin belongs to single orders; the exchange lends no balance of an account.',
  },
};
