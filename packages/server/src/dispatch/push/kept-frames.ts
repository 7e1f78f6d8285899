import { pushLimits, type ResyncReason } from '@switchyard/contract/dispatch/push';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { PushFrame } from './push-frames.ts';

export interface KeptFramesLimits {
  framesPerReader: number;
  bytesPerReader: number;
  bytesTogether: number;
  keptMs: number;
}

/** The frames of one user, or all frames, which administrators see. */
export type ReaderKey = { user: string } | 'all';

export type MissedFrames = { frames: PushFrame[] } | { resync: ResyncReason };

interface Ring {
  /** Frames up to this position are not in the ring. */
  startsAfter: number;
  frames: { position: number; bytes: number; frame: PushFrame }[];
  bytes: number;
  sockets: number;
  cancelEnd: () => void;
}

const defaultLimits: KeptFramesLimits = {
  framesPerReader: pushLimits.keptFrames,
  bytesPerReader: pushLimits.keptBytes,
  bytesTogether: 64 * 1024 * 1024,
  keptMs: pushLimits.keptMs,
};

/**
 * The last frames of each user who listens, or listened a short time ago, so that a client that lost its connection gets
 * what it missed. They are in memory: a client of another process, or of an earlier one, has to read the state again.
 */
export class KeptFrames {
  readonly #epoch: string;
  readonly #timer: Timer;
  readonly #limits: KeptFramesLimits;
  readonly #rings = new Map<string, Ring>();
  #position = 0;
  #bytes = 0;

  constructor({
    epoch,
    timer = systemTimer,
    limits = defaultLimits,
  }: {
    /** Different in each process, so that a cursor of another process is recognised. */
    epoch: string;
    timer?: Timer;
    limits?: KeptFramesLimits;
  }) {
    this.#epoch = epoch;
    this.#timer = timer;
    this.#limits = limits;
  }

  /** True when a frame would be kept now. */
  get isNeeded(): boolean {
    return this.#rings.size > 0;
  }

  /** Returns true when a frame of this user would be kept now. */
  isNeededFor(user: string): boolean {
    return this.#rings.has(nameOf({ user })) || this.#rings.has(nameOf('all'));
  }

  /** The cursor behind the newest frame. */
  get cursor(): string {
    return this.#cursorOf(this.#position);
  }

  /** The cursor of the frame that is made next. */
  nextCursor(): string {
    this.#position += 1;
    return this.cursor;
  }

  /** Keeps the frame that carries the newest cursor for every reader who may see it. */
  keep(frame: PushFrame): void {
    for (const key of this.#readersOf(frame)) {
      const ring = this.#rings.get(key);
      if (ring) this.#add(ring, frame);
    }
  }

  /** A socket of this reader opens: frames are kept for it from now on. */
  enter(reader: ReaderKey): void {
    const key = nameOf(reader);
    const ring = this.#rings.get(key) ?? this.#newRing(key);
    ring.cancelEnd();
    ring.sockets += 1;
  }

  /** A socket of this reader has closed. The frames stay for a while after the last one. */
  leave(reader: ReaderKey): void {
    const key = nameOf(reader);
    const ring = this.#rings.get(key);
    if (!ring) return;
    ring.sockets -= 1;
    if (ring.sockets === 0) ring.cancelEnd = this.#timer(() => this.#remove(key), this.#limits.keptMs);
  }

  /** The frames behind a cursor, or why they cannot be sent. */
  after(reader: ReaderKey, cursor: string): MissedFrames {
    const position = this.#positionOf(cursor);
    if (position === null) return { resync: 'unknown_cursor' };
    const ring = this.#rings.get(nameOf(reader));
    if (!ring || position < ring.startsAfter) return { resync: 'too_old' };
    return { frames: ring.frames.filter((kept) => kept.position > position).map(({ frame }) => frame) };
  }

  close(): void {
    for (const key of [...this.#rings.keys()]) this.#remove(key);
  }

  #readersOf({ owner }: PushFrame): Iterable<string> {
    return owner === null ? this.#rings.keys() : [nameOf({ user: owner }), nameOf('all')];
  }

  #add(ring: Ring, frame: PushFrame): void {
    const bytes = Buffer.byteLength(frame.payload);
    ring.frames.push({ position: this.#position, bytes, frame });
    ring.bytes += bytes;
    this.#bytes += bytes;
    const { framesPerReader, bytesPerReader, bytesTogether } = this.#limits;
    while (
      ring.frames.length > framesPerReader ||
      ring.bytes > bytesPerReader ||
      // The reader whose frames are added gives up its own oldest ones, so that no user takes the room of others.
      (this.#bytes > bytesTogether && ring.frames.length > 0)
    )
      this.#dropOldest(ring);
  }

  #dropOldest(ring: Ring): void {
    const oldest = ring.frames.shift();
    if (!oldest) return;
    ring.startsAfter = oldest.position;
    ring.bytes -= oldest.bytes;
    this.#bytes -= oldest.bytes;
  }

  #newRing(key: string): Ring {
    const ring: Ring = {
      startsAfter: this.#position,
      frames: [],
      bytes: 0,
      sockets: 0,
      cancelEnd: () => undefined,
    };
    this.#rings.set(key, ring);
    return ring;
  }

  #remove(key: string): void {
    const ring = this.#rings.get(key);
    if (!ring) return;
    ring.cancelEnd();
    this.#bytes -= ring.bytes;
    this.#rings.delete(key);
  }

  #cursorOf(position: number): string {
    return `${this.#epoch}.${position}`;
  }

  /** Returns null for a cursor that this process has not given out. */
  #positionOf(cursor: string): number | null {
    const text = /^\d{1,15}$/.exec(cursor.slice(this.#epoch.length + 1))?.[0];
    if (!cursor.startsWith(`${this.#epoch}.`) || text === undefined) return null;
    const position = Number(text);
    return position <= this.#position ? position : null;
  }
}

function nameOf(reader: ReaderKey): string {
  return reader === 'all' ? 'all' : `user:${reader.user}`;
}
