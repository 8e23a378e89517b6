import { endCommands, run } from './commands.mjs';

describe('endCommands', () => {
  it('ends the running command and prevents the next one', async () => {
    const steps = [];
    const work = async () => {
      for (const command of [
        ['sleep', '60'],
        ['echo', 'the next step'],
      ])
        steps.push(await run(command[0], command.slice(1)));
    };
    const working = work();
    await endCommands();
    await working;
    expect(steps.map(({ code, stdout }) => [code, stdout])).toEqual([
      [128, ''],
      [128, ''],
    ]);
  });
});
