/** An error answer. ComfyUI mostly answers with a status only; the text is for people. */
export class HttpError extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text = '') {
    super(text);
    this.status = status;
    this.text = text;
  }
}

/** The text that aiohttp sends when a handler throws. */
export const serverTrouble = '500 Internal Server Error\n\nServer got itself in trouble';
