import { exchangeAccountOperations as operations } from '../exchange-accounts.js';
import { sample } from './sample.js';

const paperCredentials = {
  exchange: 'paper',
  trading_type: 'spot',
  credentials: { api_key: '$paper.api_key', api_secret: '$paper.api_secret' },
} as const;

export const exchangeAccountSamples = [
  sample(operations.supported, { title: 'List the supported exchanges' }),
  sample(operations.test, { title: 'Test credentials without storing them', body: paperCredentials }),
  sample(operations.create, {
    title: 'Connect an exchange account',
    as: 'account',
    body: { ...paperCredentials, account_name: 'main' },
  }),
  sample(operations.create, {
    title: 'Connect a second account for copies',
    as: 'copy_account',
    body: {
      ...paperCredentials,
      credentials: { api_key: '$further_paper.api_key', api_secret: '$further_paper.api_secret' },
      account_name: 'copies',
    },
  }),
  sample(operations.create, {
    title: 'Connect an account that trades perpetuals',
    as: 'perpetual_account',
    body: { ...paperCredentials, trading_type: 'perpetual', account_name: 'perpetuals' },
  }),
  sample(operations.update, {
    title: 'Rename an exchange account',
    params: { id: '$account.id' },
    body: { account_name: 'main desk' },
  }),
  sample(operations.sync, { title: 'Sync the balances of an account', params: { id: '$account.id' } }),
  sample(operations.get, { title: 'Get an exchange account', params: { id: '$account.id' } }),
  sample(operations.list, {
    title: 'List exchange accounts, sorted by name',
    query: { sort: 'account_name', order: 'asc' },
  }),
];

/** Runs last, because an account can be deleted only if no record depends on it. */
export const exchangeAccountClosingSamples = [
  sample(operations.delete, { title: 'Delete an exchange account', params: { id: '$copy_account.id' } }),
];
