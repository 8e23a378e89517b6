import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/** Rows come and go in blocks of this many while a list scrolls, so that the table does not change with each frame. */
export const BLOCK = 8;

/** Returns the indexes of the rows in the document: all blocks that contain a row of the range or its overscan. */
export function inBlocks({ startIndex, endIndex, overscan, count }: Range): number[] {
  const first = Math.max(startIndex - overscan, 0);
  const afterLast = endIndex + overscan + 1;
  return defaultRangeExtractor({
    startIndex: Math.floor(first / BLOCK) * BLOCK,
    endIndex: Math.ceil(afterLast / BLOCK) * BLOCK - 1,
    overscan: 0,
    count,
  });
}
