/** An answer that is no success. ComfyUI mostly answers with a bare status; the text is for people. */
export class HttpError extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text = '') {
    super(text);
    this.status = status;
    this.text = text;
  }
}

/** What aiohttp says when a handler throws. */
export const serverTrouble = '500 Internal Server Error\n\nServer got itself in trouble';
