/** A gzip stream that is small on the wire and enormous once unpacked. */
import { constants, crc32, deflateRawSync } from 'node:zlib';

const BLOCK_BYTES = 1024 * 1024;
/** Magic, deflate, no flags, no time, no hints, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** A last block that holds nothing. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** @param blocks its unpacked size in MiB: spaces, which JSON allows before a value without end */
export function gzipBomb(blocks: number): Buffer {
  const spaces = Buffer.alloc(BLOCK_BYTES, ' ');
  // Flushed fully, so that the block refers to nothing before it and can be repeated.
  const block = deflateRawSync(spaces, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  let checksum = 0;
  for (let made = 0; made < blocks; made += 1) checksum = crc32(spaces, checksum);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE((blocks * BLOCK_BYTES) % 2 ** 32, 4);
  return Buffer.concat([HEADER, ...Array.from({ length: blocks }, () => block), LAST_BLOCK, trailer]);
}
