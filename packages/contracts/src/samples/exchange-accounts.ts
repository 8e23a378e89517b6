import { exchangeAccountOperations as operations } from '../exchange-accounts.js';
import { sample } from './sample.js';

const venue = {
  exchange: 'paper',
  trading_type: 'spot',
  credentials: { api_key: '$paper.api_key', api_secret: '$paper.api_secret' },
} as const;

export const exchangeAccountSamples = [
  sample(operations.supported, { title: 'Which exchanges can be connected?' }),
  sample(operations.test, { title: 'Try credentials without keeping them', body: venue }),
  sample(operations.create, {
    title: 'Connect an account',
    as: 'account',
    body: { ...venue, account_name: 'main' },
  }),
  sample(operations.create, {
    title: 'Connect a second account, to copy on',
    as: 'copy_account',
    body: {
      ...venue,
      credentials: { api_key: '$further_paper.api_key', api_secret: '$further_paper.api_secret' },
      account_name: 'copies',
    },
  }),
  sample(operations.update, {
    title: 'Rename an account',
    params: { id: '$account.id' },
    body: { account_name: 'main desk' },
  }),
  sample(operations.sync, { title: 'Ask for fresh balances', params: { id: '$account.id' } }),
  sample(operations.get, { title: 'Read an account', params: { id: '$account.id' } }),
  sample(operations.list, {
    title: 'List the accounts by name',
    query: { sort: 'account_name', order: 'asc' },
  }),
];

/** Runs late: nothing may depend on the account any more. */
export const exchangeAccountClosingSamples = [
  sample(operations.delete, { title: 'Remove an account', params: { id: '$copy_account.id' } }),
];
