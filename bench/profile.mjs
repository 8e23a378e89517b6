/**
 * A preload that profiles its process: the first SIGUSR2 starts a CPU profile, the next one writes it to PROFILE_FILE.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

let session;
process.on('SIGUSR2', async () => {
  if (session === undefined) {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    return;
  }
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  session = undefined;
  writeFileSync(process.env.PROFILE_FILE, JSON.stringify(profile));
});
