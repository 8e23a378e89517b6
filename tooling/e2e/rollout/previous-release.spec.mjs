import { assertHasCommit, previousCommit } from './previous-release.mjs';

it('names the previous release by its whole commit', () => {
  expect(previousCommit).toMatch(/^[0-9a-f]{40}$/);
});

it('is found in the history, or the error says how to fetch it', async () => {
  await assertHasCommit('HEAD');
  const unknown = '0'.repeat(40);
  await expect(assertHasCommit(unknown)).rejects.toThrow(
    `does not contain the previous release, ${unknown}. Fetch the whole history: git fetch --unshallow`,
  );
});
