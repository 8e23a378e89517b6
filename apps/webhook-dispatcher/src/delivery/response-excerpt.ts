/**
 * Returns the start of a response body as text: decompressed, and at most 1 KiB.
 *
 * A small compressed body can expand a thousandfold. Decompression therefore stops as soon as it has produced the bytes
 * of the excerpt. It works in blocks of 1 KiB, and waits until each block is taken.
 */
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

const EXCERPT_MAX_BYTES = 1024;
const BLOCK = { chunkSize: EXCERPT_MAX_BYTES, readableHighWaterMark: EXCERPT_MAX_BYTES };
/** Only the start of a body is read, so its end is usually missing. With these options, that is not an error. */
const ZLIB_BLOCK = { ...BLOCK, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_BLOCK = { ...BLOCK, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/**
 * Returns at most 1 KiB of text. Replaces invalid bytes, and drops a truncated last character. Also drops U+0000, which
 * Postgres rejects. Returns an empty string if the body cannot be decoded.
 *
 * @param body the start of the body as it was received
 * @param contentEncoding the value of the response's Content-Encoding header
 */
export async function excerptOf(body: Buffer, contentEncoding: string | undefined): Promise<string> {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity' || body.length === 0) return textOf(body);
  const decoder = decoderOf(coding, body);
  if (decoder === undefined) return isText(body) ? textOf(body) : '';
  const decoded = await startOf(decoder, body);
  // Some receivers name an encoding, but send plain text.
  return decoded.length === 0 && isText(body) ? textOf(body) : textOf(decoded);
}

function textOf(bytes: Buffer): string {
  const decoder = new TextDecoder('utf-8', { fatal: false });
  return decoder.decode(bytes.subarray(0, EXCERPT_MAX_BYTES), { stream: true }).replaceAll('\u0000', '');
}

function isText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return !text.includes('\u0000');
  } catch {
    return false;
  }
}

/** The low four bits of the first byte of a body in the zlib format; `deflate` bodies may lack that format. */
const ZLIB_METHOD = 8;

function decoderOf(coding: string, [first = 0]: Buffer) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(ZLIB_BLOCK);
    case 'deflate':
      return first % 16 === ZLIB_METHOD ? createInflate(ZLIB_BLOCK) : createInflateRaw(ZLIB_BLOCK);
    case 'br':
      return createBrotliDecompress(BROTLI_BLOCK);
    default:
      return undefined;
  }
}

type Decoder = NonNullable<ReturnType<typeof decoderOf>>;

/** Decodes at least the bytes of an excerpt. If the body is cut off or broken, returns what was decoded until then. */
async function startOf(decoder: Decoder, body: Buffer): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let length = 0;
  decoder.end(body);
  try {
    for await (const block of decoder) {
      blocks.push(block);
      length += block.length;
      if (length >= EXCERPT_MAX_BYTES) break;
    }
  } catch {
    // The body is not in this format, or is damaged.
  }
  return Buffer.concat(blocks);
}
