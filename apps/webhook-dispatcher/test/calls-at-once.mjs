/** A process that makes concurrent outbound calls. It reports the maximum growth of its resident memory. */
import { OutboundClient } from '../dist/delivery/outbound-client.js';

const BODY = Buffer.alloc(16 * 1024, 'x');

process.once('message', async ({ urls, timeoutMs, authorities }) => {
  const client = new OutboundClient({ allowLoopback: true, timeoutMs, authorities });
  const call = async (url) => {
    const startedAt = performance.now();
    await client.post({ url, headers: {}, body: BODY });
    return performance.now() - startedAt;
  };
  // Call each URL once first, so that the measurement excludes the memory of the parser, TLS and compiled code.
  await Promise.all([...new Set(urls)].map(call));
  globalThis.gc();
  const before = process.memoryUsage.rss();
  let maximum = before;
  const sampling = setInterval(() => {
    maximum = Math.max(maximum, process.memoryUsage.rss());
  }, 20);
  const durations = await Promise.all(urls.map(call));
  clearInterval(sampling);
  client.close();
  process.send({ ended: durations.length, slowestMs: Math.max(...durations), growthBytes: maximum - before });
});
