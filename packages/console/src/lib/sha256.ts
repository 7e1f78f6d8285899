const blockBytes = 64;
const rounds = 64;
const constants = Uint32Array.from(firstPrimes(rounds), (prime) => fraction(Math.cbrt(prime)));

/**
 * The SHA-256 of a text, as 64 hexadecimal digits. A browser has its own only for pages over HTTPS and on the machine itself; a
 * gateway in a studio is often neither.
 */
export function sha256(text: string): string {
  const state = Uint32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));
  const blocks = paddedBlocks(new TextEncoder().encode(text));
  for (let at = 0; at < blocks.byteLength; at += blockBytes) mix(state, blocks, at);
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** The text, one bit, zeros up to the end of a block, and the length in bits in the last eight bytes. */
function paddedBlocks(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / blockBytes) * blockBytes;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function mix(state: Uint32Array, blocks: DataView, at: number): void {
  const words = scheduleOf(blocks, at);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < rounds; round += 1) {
    const chosen = (e & f) ^ (~e & g);
    const mixedE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + mixedE + chosen + (constants[round] ?? 0) + (words[round] ?? 0)) >>> 0;
    const most = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}

function scheduleOf(blocks: DataView, at: number): Uint32Array {
  const words = new Uint32Array(rounds);
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 0; index < 16; index += 1) words[index] = blocks.getUint32(at + index * 4);
  for (let index = 16; index < rounds; index += 1) {
    const [near, far] = [word(index - 2), word(index - 15)];
    const fromFar = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const fromNear = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[index] = word(index - 16) + fromFar + word(index - 7) + fromNear;
  }
  return words;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits behind the point. */
function fraction(number: number): number {
  return Math.floor((number - Math.floor(number)) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}
