/** A value that is JSON text already, where a part of it that comes again and again was encoded once. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** As `JSON.stringify(value ?? null)`. */
  static of(value: unknown): string {
    return value instanceof JsonText ? value.text : JSON.stringify(value ?? null);
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
