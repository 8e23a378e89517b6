import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { excerptOf } from './response-excerpt.js';

const TEXT = '{"error":"unknown event","hint":"é"}';
const READ_MAX_BYTES = 16 * 1024;

describe('the excerpt of a response', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['X-GZIP ', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['identity', Buffer.from(TEXT)],
    ['', Buffer.from(TEXT)],
    [undefined, Buffer.from(TEXT)],
  ])('is decoded from content-encoding %s', async (coding, body) => {
    expect(await excerptOf(body, coding)).toBe(TEXT);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('of a %s body that expands a thousandfold is its first 1 KiB', async (coding, compress) => {
    const bomb = compress(Buffer.alloc(64 * 1024 * 1024, 'x')).subarray(0, READ_MAX_BYTES);
    expect(await excerptOf(bomb, coding)).toBe('x'.repeat(1024));
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('of a %s body that was cut off is what was received', async (coding, compress) => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${(index * 7919) % 1009}`).join('\n');
    const body = compress(lines);
    const excerpt = await excerptOf(body.subarray(0, Math.floor(body.length / 2)), coding);
    expect(excerpt.length).toBeGreaterThan(100);
    expect(lines.startsWith(excerpt)).toBe(true);
  });

  it('of plain text with a wrong content-encoding is the text', async () => {
    expect(await excerptOf(Buffer.from(TEXT), 'gzip')).toBe(TEXT);
    expect(await excerptOf(Buffer.from(TEXT), 'zstd')).toBe(TEXT);
    expect(await excerptOf(Buffer.from(TEXT), 'gzip, br')).toBe(TEXT);
  });

  it('is empty for bytes in an encoding that cannot be decoded', async () => {
    const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
    expect(await excerptOf(zstd, 'zstd')).toBe('');
    expect(await excerptOf(zstd, 'gzip')).toBe('');
    expect(await excerptOf(Buffer.alloc(0), 'gzip')).toBe('');
  });
});
