/**
 * Runs several built paper exchanges in one process, because starting a process takes longer than most tests. Each
 * exchange has its own market and data folder. Argument: the URL of the built entry point.
 *
 * Requests: `{ id, open: environment }` opens an exchange; the response is `{ id, url }`. `{ id, close: url }` closes
 * one; the response is `{ id }`.
 */
const { configSchema, startPaperExchange } = await import(process.argv[2]);

/** @type {Map<string, { url: string, close: () => Promise<void> }>} */
const exchanges = new Map();

process.on('message', async ({ id, open, close }) => {
  if (open !== undefined) {
    const exchange = await startPaperExchange(configSchema.parse(open));
    exchanges.set(exchange.url, exchange);
    process.send({ id, url: exchange.url });
    return;
  }
  await exchanges.get(close)?.close();
  exchanges.delete(close);
  process.send({ id });
});
// The parent process, which runs the tests, has ended.
process.on('disconnect', () => process.exit());
process.send({ id: 0 });
