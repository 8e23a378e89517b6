/**
 * The bare peers of `webhooks.mjs`: bodies signed and posted over kept-alive connections, by a BullMQ worker or by a
 * plain loop. Nothing is kept but the queue, no address is judged, no clock runs out, and nothing is tried again.
 */
import { Queue, Worker } from 'bullmq';
import { Pool } from 'undici';
import { post } from './webhooks-post.mjs';

/** All jobs exist before the clock starts; the time to add them is printed separately. */
async function byQueue(pool, { redisUrl, deliveries, concurrency }) {
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue('bare', { connection, prefix: 'bare' });
  const adding = performance.now();
  for (let at = 0; at < deliveries.length; at += 200)
    await queue.addBulk(
      deliveries
        .slice(at, at + 200)
        .map((data) => ({ name: 'bare', data, opts: { removeOnComplete: true } })),
    );
  const addMs = performance.now() - adding;
  const options = { connection, prefix: 'bare', concurrency, autorun: false };
  const worker = new Worker('bare', ({ data }) => post(pool, data), options);
  await worker.waitUntilReady();
  const beganAt = performance.now();
  await new Promise((resolve, reject) => {
    let left = deliveries.length;
    worker.on('completed', () => --left === 0 && resolve());
    worker.on('failed', (_job, error) => reject(error));
    worker.run().catch(reject);
  });
  const ms = performance.now() - beganAt;
  await worker.close();
  await queue.close();
  return { ms, addMs };
}

async function byLoop(pool, { deliveries, concurrency }) {
  let next = 0;
  const lane = async () => {
    while (next < deliveries.length) await post(pool, deliveries[next++]);
  };
  const beganAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  return { ms: performance.now() - beganAt, addMs: 0 };
}

process.on('message', async (asked) => {
  const pool = new Pool(asked.receiverUrl, { connections: asked.concurrency, pipelining: 1 });
  process.send?.(await (asked.redisUrl === undefined ? byLoop : byQueue)(pool, asked));
  await pool.close();
});

// Its parent's end is its own, however that comes.
process.once('disconnect', () => process.exit());
