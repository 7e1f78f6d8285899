import { createParser } from 'eventsource-parser';

export interface ParsedEvent {
  event: string;
  data: string;
  /** Null when the event has no id. */
  id: string | null;
}

/** Reads an event stream as it arrives: pieces in, whole events out. */
export class EventParser {
  readonly #events: ParsedEvent[] = [];
  readonly #parser = createParser({
    onEvent: ({ event, data, id }) => this.#events.push({ event: event ?? '', data, id: id ?? null }),
  });

  push(text: string): ParsedEvent[] {
    this.#parser.feed(text);
    return this.#events.splice(0);
  }
}
