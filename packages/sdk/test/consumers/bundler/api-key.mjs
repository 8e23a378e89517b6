import { Client } from '@trading-automation/sdk';

const { baseURL, apiKey } = JSON.parse(process.env.SETTINGS);
const trades = await new Client({ baseURL, apiKey }).trades.list().toArray({ limit: 10 });
console.log(JSON.stringify(trades.length));
