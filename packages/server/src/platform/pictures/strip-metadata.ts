/** Bytes of the file that stay, or bytes that stand in the place of others. */
type Piece = { start: number; end: number } | Buffer;

/** What is left of a picture without its metadata. `other`: not a PNG, JPEG or WebP. */
export type StripPlan = { pieces: readonly Piece[]; sizeBytes: number } | 'other' | 'damaged';

/** No picture has nearly as many texts. More would be a plan that grows with the file. */
const maxPieces = 10_000;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const pngMetadata = new Set(['tEXt', 'iTXt', 'zTXt', 'eXIf']);
const webpMetadata = new Set(['EXIF', 'XMP ']);
const webpFirst = ['VP8X', 'VP8 ', 'VP8L'];
const webpPixels = ['VP8 ', 'VP8L', 'ANMF'];
const webpMetadataFlags = 0x0c;
const jpeg = { start: 0xd8, end: 0xd9, scan: 0xda, app1: 0xe1, app13: 0xed, comment: 0xfe, alone: 0x01 };
const jpegMetadata = new Set([jpeg.app1, jpeg.app13, jpeg.comment]);

/**
 * Reads a file once to its end, and finds what of it is not metadata. The picture has to be whole: its structure decides what
 * is metadata, and a WebP states its size before all else. What stands behind the end of the picture is left out as well.
 */
export async function planStripping(source: AsyncIterable<Buffer>): Promise<StripPlan> {
  const reader = new ByteReader(source);
  const plan = new Plan();
  try {
    const kind = kindOf(await reader.peek(12));
    if (kind === 'other') return kind;
    await walkers[kind](reader, plan);
    return plan;
  } catch (error) {
    if (error instanceof DamagedPicture) return 'damaged';
    throw error;
  } finally {
    await reader.close();
  }
}

/** The bytes of a file for which there is a plan. */
export async function* strippedBytes(
  source: AsyncIterable<Buffer>,
  { pieces }: Extract<StripPlan, object>,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  try {
    for (const piece of pieces) {
      if (Buffer.isBuffer(piece)) yield piece;
      else {
        await reader.skip(piece.start - reader.at);
        yield* reader.pass(piece.end - piece.start);
      }
    }
  } finally {
    await reader.close();
  }
}

class DamagedPicture extends Error {}

class Plan {
  readonly pieces: Piece[] = [];
  sizeBytes = 0;

  keep(start: number, end: number): void {
    const last = this.pieces.at(-1);
    this.sizeBytes += end - start;
    if (last !== undefined && !Buffer.isBuffer(last) && last.end === start) last.end = end;
    else this.#add({ start, end });
  }

  put(bytes: Buffer): void {
    this.sizeBytes += bytes.length;
    this.#add(bytes);
  }

  #add(piece: Piece): void {
    if (this.pieces.length === maxPieces) throw new DamagedPicture();
    this.pieces.push(piece);
  }
}

function kindOf(head: Buffer): keyof typeof walkers | 'other' {
  if (head.subarray(0, 8).equals(pngSignature)) return 'png';
  if (head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff) return 'jpeg';
  const isWebp = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'webp' : 'other';
}

const walkers = { png: walkPng, jpeg: walkJpeg, webp: walkWebp };

async function walkPng(reader: ByteReader, plan: Plan): Promise<void> {
  await reader.skip(pngSignature.length);
  plan.keep(0, reader.at);
  let hasPixels = false;
  for (let kind = ''; kind !== 'IEND'; ) {
    const start = reader.at;
    const head = await reader.take(8);
    kind = head.toString('latin1', 4);
    const isFirst = start === pngSignature.length;
    requireSound(/^[A-Za-z]{4}$/.test(kind) && isFirst === (kind === 'IHDR'));
    await reader.skip(head.readUInt32BE(0) + 4);
    if (!pngMetadata.has(kind)) plan.keep(start, reader.at);
    hasPixels ||= kind === 'IDAT';
  }
  requireSound(hasPixels);
}

async function walkJpeg(reader: ByteReader, plan: Plan): Promise<void> {
  await reader.skip(2);
  plan.keep(0, reader.at);
  let hasPixels = false;
  let orientation = 1;
  for (;;) {
    const start = reader.at;
    const marker = await nextMarker(reader);
    if (marker === jpeg.end) {
      requireSound(hasPixels);
      return plan.keep(start, reader.at);
    }
    const body = await segmentBody(reader, marker);
    hasPixels ||= marker === jpeg.scan;
    if (!jpegMetadata.has(marker)) plan.keep(start, reader.at);
    if (body === undefined || orientation > 1) continue;
    orientation = orientationOf(body);
    if (orientation > 1) plan.put(orientationSegment(orientation));
  }
}

/** Goes on to the next marker. Returns what an APP1 contains, which may say how the picture is turned. */
async function segmentBody(reader: ByteReader, marker: number): Promise<Buffer | undefined> {
  if (marker === jpeg.alone) return undefined;
  const bytes = (await reader.take(2)).readUInt16BE(0) - 2;
  requireSound(bytes >= 0);
  if (marker === jpeg.app1) return reader.take(bytes);
  await reader.skip(bytes);
  if (marker === jpeg.scan) await reader.skipScan();
  return undefined;
}

/** A marker may have fill bytes before it. Markers that stand between pixels alone, and a second start, are damage here. */
async function nextMarker(reader: ByteReader): Promise<number> {
  const [prefix, first = 0] = await reader.take(2);
  requireSound(prefix === 0xff);
  let marker = first;
  while (marker === 0xff) [marker = 0] = await reader.take(1);
  requireSound(marker !== 0 && (marker === jpeg.end || marker < 0xd0 || marker >= jpeg.scan));
  return marker;
}

async function walkWebp(reader: ByteReader, plan: Plan): Promise<void> {
  const header = Buffer.from(await reader.take(12));
  const end = header.readUInt32LE(4) + 8;
  plan.put(header);
  let hasPixels = false;
  while (reader.at < end) {
    const start = reader.at;
    const head = await reader.take(8);
    const kind = head.toString('latin1', 0, 4);
    const bytes = head.readUInt32LE(4);
    requireSound(start > header.length || webpFirst.includes(kind));
    requireSound(reader.at + bytes <= end);
    if (kind === 'VP8X') {
      requireSound(start === header.length && bytes === 10);
      const body = Buffer.from(await reader.take(bytes));
      body.writeUInt8(body.readUInt8() & ~webpMetadataFlags);
      plan.put(Buffer.concat([head, body]));
      continue;
    }
    // A piece of odd length has one byte more, which some programs leave out at the end.
    await reader.skip(Math.min(bytes + (bytes % 2), end - reader.at));
    if (!webpMetadata.has(kind)) plan.keep(start, reader.at);
    hasPixels ||= webpPixels.includes(kind);
  }
  requireSound(hasPixels);
  header.writeUInt32LE(plan.sizeBytes - 8, 4);
}

function requireSound(isSound: boolean): void {
  if (!isSound) throw new DamagedPicture();
}

/** Returns the orientation that the EXIF of a JPEG states, from 2 to 8, or 1. */
function orientationOf(exif: Buffer): number {
  if (exif.toString('latin1', 0, 6) !== 'Exif\0\0') return 1;
  const tiff = exif.subarray(6);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const long = (at: number) =>
    at + 4 > tiff.length ? tiff.length : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at);
  const directory = long(4);
  const entries = short(directory);
  for (let index = 0, at = directory + 2; index < entries && at < tiff.length; index += 1, at += 12) {
    if (short(at) !== 0x0112) continue;
    const value = short(at + 8);
    return value <= 8 ? value : 1;
  }
  return 1;
}

/** A segment of EXIF that says how the picture is turned, and nothing else. */
function orientationSegment(orientation: number): Buffer {
  const tiff = '4d4d002a00000008' + '0001' + '0112000300000001' + '00000000' + '00000000';
  const segment = Buffer.from(`ffe10022457869660000${tiff}`, 'hex');
  segment.writeUInt16BE(orientation, 28);
  return segment;
}

/** Reads pieces of any length from a source. It holds one of them, or as much as it is asked for. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  at = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next bytes without going on: fewer at the end of the source. */
  async peek(bytes: number): Promise<Buffer> {
    while (this.#rest.length < bytes && (await this.#more()));
    return this.#rest.subarray(0, bytes);
  }

  async take(bytes: number): Promise<Buffer> {
    const taken = await this.peek(bytes);
    requireSound(taken.length === bytes);
    this.#goOn(bytes);
    return taken;
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) left -= (await this.#part(left)).length;
  }

  async *pass(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      const part = await this.#part(left);
      left -= part.length;
      yield part;
    }
  }

  /** Goes on to the marker behind the pixels of a JPEG. */
  async skipScan(): Promise<void> {
    for (let at = 0; ; ) {
      at = this.#rest.indexOf(0xff, at);
      if (at === -1 || at + 1 === this.#rest.length) {
        this.#goOn(at === -1 ? this.#rest.length : at);
        requireSound(await this.#more());
        at = 0;
        continue;
      }
      const next = this.#rest[at + 1] ?? 0;
      const isOfPixels = next === 0 || (next >= 0xd0 && next < jpeg.start);
      if (!isOfPixels && next !== 0xff) return this.#goOn(at);
      at += isOfPixels ? 2 : 1;
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** Returns at least one byte, and at most as many as are left to read. */
  async #part(left: number): Promise<Buffer> {
    while (this.#rest.length === 0) requireSound(await this.#more());
    const part = this.#rest.subarray(0, left);
    this.#goOn(part.length);
    return part;
  }

  #goOn(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes);
    this.at += bytes;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}
