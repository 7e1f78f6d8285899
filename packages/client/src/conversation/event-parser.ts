import { createParser } from 'eventsource-parser';
import { ConnectionError } from '../errors.ts';

export interface ParsedEvent {
  event: string;
  data: string;
  /** Null when the event has no id. */
  id: string | null;
}

/**
 * The gateway takes bodies of at most 100 MB, and JSON may write them longer, so each frame of a run is shorter than this. A server
 * that sends more would fill the memory of the client.
 */
const maxEventLength = 256 * 1024 * 1024;

/** Reads an event stream as it arrives: pieces in, whole events out. */
export class EventParser {
  readonly #events: ParsedEvent[] = [];
  readonly #parser: ReturnType<typeof createParser>;

  constructor(maxLength = maxEventLength) {
    this.#parser = createParser({
      maxBufferSize: maxLength,
      onEvent: ({ event, data, id }) => this.#events.push({ event: event ?? '', data, id: id ?? null }),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw tooLong(maxLength);
      },
    });
  }

  push(text: string): ParsedEvent[] {
    this.#parser.feed(text);
    return this.#events.splice(0);
  }
}

function tooLong(maxLength: number): ConnectionError {
  return new ConnectionError(
    'not_understood',
    `The stream has an event of more than ${maxLength} characters, which no gateway sends. Is a Switchyard gateway at this address?`,
  );
}
