import { run } from '../launch/commands.mjs';
import { compilePages } from './guide-programs.mjs';

/** Runs each program of the guide to the SDK entry point `./testing`: in Node, with the packed SDK and without an API. */

const GUIDE = 'test-your-code';
const packed = /** @type {string} */ (process.env.TEST_PACKED_SDK);

/** The expected output of each program. */
const PRINTED = {
  'A client without a server': ['FILLED', expect.stringMatching(/^0\.1 [0-9a-f-]{32,36}$/)],
  'A client without a server (2)': ['3'],
  'A client without a server (3)': [expect.stringMatching(/^usr_/)],
  'Test a webhook receiver': ['ETH/USDT'],
  Records: ['CANCELLED 2'],
};

describe('the guide to tests without a server', () => {
  let compiled;

  beforeAll(async () => {
    expect(packed).not.toBe('');
    compiled = await compilePages(packed, [`docs/guides/${GUIDE}.md`]);
  });

  it('has programs that compile in strict mode against the packed SDK', () => {
    expect(compiled.errors).toBe('');
    expect(compiled.programs.map(({ name }) => name)).toEqual(
      Object.keys(PRINTED).map((name) => `${GUIDE}, ${name}`),
    );
  });

  it.each(Object.entries(PRINTED))(
    'has a program "%s" that prints the documented lines',
    async (name, lines) => {
      const program = compiled.programs.find((each) => each.name === `${GUIDE}, ${name}`);
      const { code, stdout, stderr } = await run(process.execPath, [program.path]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n')).toEqual(lines);
    },
  );
});
