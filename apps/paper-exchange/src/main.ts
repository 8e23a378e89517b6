import { readConfig, startPaperExchange } from './index.js';

const exchange = await startPaperExchange(readConfig());
const log = (msg: string, fields: object = {}): void =>
  void process.stdout.write(
    `${JSON.stringify({ level: 'info', service: 'paper-exchange', msg, ...fields })}\n`,
  );
log('listening', { url: exchange.url });

const stop = async (): Promise<void> => {
  await exchange.close();
  process.exit(0);
};
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, stop);
