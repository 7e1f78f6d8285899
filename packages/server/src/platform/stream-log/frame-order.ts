import type { StreamEntry } from './stream-entries.ts';
import type { StreamFrame } from './stream-frame.ts';
import { partBytes } from './stream-log.ts';

type OrderedPart =
  | { type: 'frames'; frames: readonly StreamFrame[] }
  /** Frames are missing before the one with this id. */
  | { type: 'jump'; earliest: number }
  | { type: 'over'; mark: 'end' | 'gone' };

/** Puts the entries that one reader gets into parts, and notices when frames are missing between them. */
export class FrameOrder {
  /** Id of the last frame that the reader has. */
  seen: number;
  #frames: StreamFrame[] = [];
  #bytes = 0;

  constructor(seen: number) {
    this.seen = seen;
  }

  *parts(entries: readonly StreamEntry[]): Generator<OrderedPart, void, undefined> {
    for (const entry of entries) {
      if ('frame' in entry) {
        yield* this.#add(entry.frame);
        continue;
      }
      // Ids go on from here after a change of the writer.
      if (entry.mark === 'begin') this.seen = Math.max(this.seen, entry.at.frame);
      else yield* this.#endWith({ type: 'over', mark: entry.mark });
    }
    yield* this.#collected();
  }

  *#add(frame: StreamFrame): Generator<OrderedPart, void, undefined> {
    if (frame.id !== this.seen + 1) yield* this.#endWith({ type: 'jump', earliest: frame.id });
    if (this.#bytes + frame.sizeBytes > partBytes) yield* this.#collected();
    this.seen = frame.id;
    this.#frames.push(frame);
    this.#bytes += frame.sizeBytes;
  }

  *#endWith(part: OrderedPart): Generator<OrderedPart, void, undefined> {
    yield* this.#collected();
    yield part;
  }

  *#collected(): Generator<OrderedPart, void, undefined> {
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    if (frames.length > 0) yield { type: 'frames', frames };
  }
}
