import type { VenueDeclaration } from '../../ccxt/declaration.js';
import type { KeyPermissions } from '../../port.js';
import { margin } from './margin.js';
import { perpetual } from './perpetual.js';
import { spot } from './spot.js';

const permit = (needed: readonly string[], ...notes: readonly string[]): KeyPermissions => ({
  needed: ['Enable Reading', ...needed],
  refused: ['Enable Withdrawals'],
  notes: ['Select Restrict access to trusted IPs only.', ...notes],
});

export const binance: VenueDeclaration = {
  id: 'binance',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: false,
    permissions: {
      spot: permit(['Enable Spot & Margin Trading']),
      margin: permit(
        ['Enable Spot & Margin Trading', 'Enable Margin Loan, Repay & Transfer'],
        'Open the margin account before you create the key.',
      ),
      perpetual: permit(['Enable Futures'], 'Open the futures account before you create the key.'),
    },
  },
  tradingTypes: { spot, margin, perpetual },
};
