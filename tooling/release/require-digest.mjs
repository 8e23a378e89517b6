import { isPinnedImage } from './supply-chain.mjs';

/**
 * Fails unless an image is named by its digest: `node tooling/release/require-digest.mjs <image>`. A tag can be moved to
 * another image; a digest cannot.
 */

const [image = ''] = process.argv.slice(2);
if (!isPinnedImage(image)) {
  console.error(
    `The base image is ${image === '' ? 'not set' : `"${image}"`}. Set the repository's variable NODE_IMAGE to an image with its digest, such as node@sha256:<64 hexadecimal digits>.`,
  );
  process.exitCode = 1;
}
