import { blocksOf, spansOf } from './markdown.rules';

describe('the Markdown of the reference', () => {
  it('reads headings, paragraphs, code and tables', () => {
    const text = '# Lists\n\nOne page.\n\n```sh\ncurl x\n\ny\n```\n\n| A | B |\n| --- | --- |\n| 1 | `2` |';
    expect(blocksOf(text)).toEqual([
      { kind: 'heading', text: 'Lists' },
      { kind: 'paragraph', text: 'One page.' },
      { kind: 'code', language: 'sh', text: 'curl x\n\ny' },
      { kind: 'table', head: ['A', 'B'], rows: [['1', '`2`']] },
    ]);
  });

  it('reads code and strong text in a line', () => {
    expect(spansOf('Send **one** `X-API-Key` header.')).toEqual([
      { kind: 'text', text: 'Send ' },
      { kind: 'strong', text: 'one' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'X-API-Key' },
      { kind: 'text', text: ' header.' },
    ]);
  });
});
