import { referenceFile, runTool } from './reference.mjs';

describe('the REST reference', () => {
  it('has no problem for Spectral, with all rules of OpenAPI', async () => {
    const { code, output, errors } = await runTool('spectral', [
      'lint',
      referenceFile,
      '--ruleset',
      'spectral.yaml',
      '--format',
      'json',
      '--quiet',
      '--fail-severity',
      'hint',
    ]);
    expect({ code, problems: JSON.parse(output || '[]'), errors }).toEqual({
      code: 0,
      problems: [],
      errors: '',
    });
  }, 300_000);

  it('has no problem for Redocly, with its recommended rules', async () => {
    const { code, output } = await runTool('redocly', ['lint', referenceFile, '--format', 'json']);
    const { totals, problems } = JSON.parse(output.slice(output.indexOf('{')));
    expect({ code, totals, problems }).toEqual({
      code: 0,
      totals: { errors: 0, warnings: 0, ignored: 0 },
      problems: [],
    });
  }, 300_000);
});
