import { type Agent, request } from 'node:http';

export interface HttpCall {
  method: string;
  url: string | URL;
  headers?: Record<string, string>;
  /** JSON text. */
  body?: string | undefined;
}

/** Sends one request over a connection of the agent and returns the body of its answer. Any status but 200 is an error. */
export function httpCall(agent: Agent, { method, url, headers = {}, body }: HttpCall): Promise<Buffer> {
  const sent = {
    ...headers,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: sent, agent });
    call.once('error', (error) => reject(new Error(`${method} ${url} failed.`, { cause: error })));
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        const content = Buffer.concat(chunks);
        if (Math.floor((response.statusCode ?? 0) / 100) === 2) resolve(content);
        else reject(new Error(`${method} ${url} answered ${response.statusCode}: ${content}`));
      });
    });
    call.end(body);
  });
}
