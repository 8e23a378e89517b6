import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { registerAdmin } from './admin.js';
import type { Config } from './config.js';
import { Exchange } from './engine/exchange.js';
import { Journal } from './journal.js';
import { MarketMaker } from './market/maker.js';
import { registerRest } from './wire/rest.js';

export { type Config, configSchema } from './config.js';

/** Starts the exchange on `HOST:PORT`; resolves once it answers. `close` is safe to call twice. */
export async function startPaperExchange(
  options: Config,
): Promise<{ url: string; close: () => Promise<void> }> {
  const now = Date.now;
  const journal = new Journal(options.DATA_DIR);
  const fees = { makerPpm: options.FEE_PPM, takerPpm: options.FEE_PPM };
  const exchange = new Exchange({
    state: journal.state,
    fees,
    now,
    persist: (record) => journal.append(record),
  });
  const maker = new MarketMaker(exchange, options.SEED, now);
  const app = fastify({ forceCloseConnections: true });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_req, body, done) =>
    done(null, body),
  );
  registerRest(app, exchange, { fees, now });
  registerAdmin(app, { exchange, maker, token: options.ADMIN_TOKEN, now });
  app.addHook('onClose', async () => {
    maker.stop();
    journal.close();
  });
  await app.listen({ host: options.HOST, port: options.PORT });
  if (options.MARKET === 'on') maker.start();
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://${options.HOST}:${port}`, close: () => app.close() };
}
