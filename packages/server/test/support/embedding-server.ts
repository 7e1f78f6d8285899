import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Each word of a list is a direction; other words have none. So texts are near when they have these words in common. */
const words = ['tea', 'coffee', 'sea', 'boat'];

export interface EmbeddingServer {
  url: string;
  /** The texts that were asked for. */
  asked: string[];
  /** The next requests are answered with this status. */
  fail(status: number | null): void;
  close(): Promise<void>;
}

/** A provider of embeddings over HTTP, in the way of OpenAI. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const asked: string[] = [];
  let failure: number | null = null;
  const server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] };
    asked.push(...input);
    if (failure !== null) return void response.writeHead(failure).end('secret of the provider');
    const data = input.map((text) => ({ embedding: vectorOf(text) }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    fail: (status) => {
      failure = status;
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function vectorOf(text: string): number[] {
  return words.map((word) => (text.toLowerCase().includes(word) ? 1 : 0.01));
}
