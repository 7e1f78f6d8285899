import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';

const idBytes = 16;

export function newId(): string {
  return randomUUID();
}

/** The largest count behind the time of an id. The count begins in the lower half, so that it has room to count. */
const maxCount = 0xfff;
const maxFirstCount = 0x7ff;
let lastMs = -1;
let count = 0;

/**
 * UUIDv7: it increases with time, so rows that are written one after the other are neighbours in an index. Ids of this process
 * also increase within a millisecond, so that what a user sends one after the other is listed in that order.
 */
export function newTimeOrderedId(epochMs: number = Date.now()): string {
  const bytes = nextRandom16();
  const ms = Math.floor(epochMs);
  count = ms === lastMs && count < maxCount ? count + 1 : bytes.readUInt16BE(6) & maxFirstCount;
  lastMs = ms;
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Randomness for many ids at once, because asking the system for each id takes longer than all the other work. */
const pool = Buffer.alloc(idBytes * 128);
let usedBytes = pool.length;

function nextRandom16(): Buffer {
  if (usedBytes === pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += idBytes;
  return pool.subarray(usedBytes - idBytes, usedBytes);
}

/**
 * Returns an id that is not after any time-ordered id of this moment or later, and that is after all earlier ones. A
 * span of time begins there.
 */
export function firstIdAt(epochMs: number): string {
  const hex = Math.max(Math.floor(epochMs), 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}`;
}

/** An unguessable value in URL-safe text; 16 bytes are 128 bits. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}
