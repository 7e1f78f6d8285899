/** A value that is already JSON text. It saves encoding a part again that occurs many times. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Equals `JSON.stringify(value ?? null)`. */
  static of(value: unknown): string {
    return value instanceof JsonText ? value.text : JSON.stringify(value ?? null);
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
