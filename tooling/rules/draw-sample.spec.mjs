import { drawFiles, drawTexts, shuffle } from './draw-sample.mjs';

const files = ['apps/', 'packages/core/', 'packages/sdk/', 'tooling/', 'docs/'].flatMap((area) =>
  Array.from({ length: area === 'packages/sdk/' ? 500 : 12 }, (_, index) => `${area}${index}.ts`),
);

describe('draw-sample', () => {
  it('draws the same sample for the same seed and another for another', () => {
    expect(drawFiles('seed', files)).toEqual(drawFiles('seed', [...files].reverse()));
    expect(drawFiles('seed', files)).not.toEqual(drawFiles('other seed', files));
  });

  it('draws 60 different files, ten at least of each area', () => {
    const drawn = drawFiles('seed', files);
    expect(new Set(drawn).size).toBe(60);
    for (const area of ['apps/', 'packages/core/', 'tooling/', 'docs/'])
      expect(drawn.filter((file) => file.startsWith(area)).length).toBeGreaterThanOrEqual(10);
  });

  it('draws 60 different texts, as many from each source', () => {
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    const drawn = drawTexts('seed', { a: [...texts, ...texts], b: texts, c: texts });
    expect(new Set(drawn.map(({ text }) => text)).size).toBe(60);
    for (const source of ['a', 'b', 'c'])
      expect(drawn.filter((text) => text.source === source)).toHaveLength(20);
  });

  it('keeps every item when it shuffles', () => {
    expect(shuffle('seed', files).sort()).toEqual([...files].sort());
  });
});
