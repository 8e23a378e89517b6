/**
 * The baselines of `webhooks.mjs`: a BullMQ worker or a plain loop signs bodies and posts them over kept-alive connections.
 * They store nothing except the queue, check no address, have no timeout and do not retry.
 */
import { Queue, Worker } from 'bullmq';
import { Pool } from 'undici';
import { post } from './webhooks-post.mjs';

/** Adds all jobs, then measures the time until all are completed. The time to add the jobs is measured separately. */
async function byQueue(pool, { redisUrl, deliveries, concurrency }) {
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue('bare', { connection, prefix: 'bare' });
  const addStartedAt = performance.now();
  for (let at = 0; at < deliveries.length; at += 200)
    await queue.addBulk(
      deliveries
        .slice(at, at + 200)
        .map((data) => ({ name: 'bare', data, opts: { removeOnComplete: true } })),
    );
  const addMs = performance.now() - addStartedAt;
  const options = { connection, prefix: 'bare', concurrency, autorun: false };
  const worker = new Worker('bare', ({ data }) => post(pool, data), options);
  await worker.waitUntilReady();
  const startedAt = performance.now();
  await new Promise((resolve, reject) => {
    let remaining = deliveries.length;
    worker.on('completed', () => --remaining === 0 && resolve());
    worker.on('failed', (_job, error) => reject(error));
    worker.run().catch(reject);
  });
  const ms = performance.now() - startedAt;
  await worker.close();
  await queue.close();
  return { ms, addMs };
}

async function byLoop(pool, { deliveries, concurrency }) {
  let next = 0;
  const worker = async () => {
    while (next < deliveries.length) await post(pool, deliveries[next++]);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { ms: performance.now() - startedAt, addMs: 0 };
}

process.on('message', async (round) => {
  const pool = new Pool(round.receiverUrl, { connections: round.concurrency, pipelining: 1 });
  process.send?.(await (round.redisUrl === undefined ? byLoop : byQueue)(pool, round));
  await pool.close();
});

// Ends with the parent process, even if that is killed.
process.once('disconnect', () => process.exit());
