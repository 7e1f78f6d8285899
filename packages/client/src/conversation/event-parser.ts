export interface ParsedEvent {
  event: string;
  data: string;
  /** Null when the event has no id. */
  id: string | null;
}

/** Reads an event stream as it arrives: pieces in, whole events out. */
export class EventParser {
  /** The beginning of a line that has not ended yet. It is joined once, however many pieces arrive. */
  #pending: string[] = [];
  #event = '';
  #data: string[] = [];
  #id: string | null = null;

  push(text: string): ParsedEvent[] {
    const events: ParsedEvent[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = this.#pending.join('') + text.slice(from, end);
      this.#pending = [];
      from = end + 1;
      const event = this.#takeLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event) events.push(event);
    }
    if (from < text.length) this.#pending.push(text.slice(from));
    return events;
  }

  #takeLine(line: string): ParsedEvent | undefined {
    if (line === '') return this.#finish();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id') this.#id = value;
    return undefined;
  }

  /** An event without data does not count. */
  #finish(): ParsedEvent | undefined {
    const parsed = { event: this.#event, data: this.#data.join('\n'), id: this.#id };
    const hasData = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    this.#id = null;
    return hasData ? parsed : undefined;
  }
}
