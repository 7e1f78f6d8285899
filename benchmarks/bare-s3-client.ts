import type { Readable } from 'node:stream';
import type { S3Server } from '@switchyard/dev-env/s3-server';
import { AwsClient } from 'aws4fetch';

const partBytes = 5 * 1024 * 1024;
const partsAtOnce = 3;

/** The library as it comes, with the `fetch` of Node: it hashes nothing and checks nothing. */
export class BareS3Client {
  readonly #client: AwsClient;
  readonly #base: string;

  constructor({ endpoint, bucket, accessKeyId, secretAccessKey }: S3Server) {
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
    this.#base = `${endpoint}/${bucket}/bench`;
  }

  async upload(key: string, source: Readable): Promise<void> {
    const address = `${this.#base}/${key}`;
    const begun = await (await this.#client.fetch(`${address}?uploads=`, { method: 'POST' })).text();
    const uploadId = /<UploadId>(.+)<\/UploadId>/.exec(begun)?.[1] ?? '';
    const parts: string[] = [];
    const sending = new Set<Promise<void>>();
    const send = (body: Buffer, number: number) => {
      const url = `${address}?partNumber=${number}&uploadId=${uploadId}`;
      const sent = this.#client
        .fetch(url, { method: 'PUT', body: new Uint8Array(body) })
        .then(async (answer) => {
          await answer.arrayBuffer();
          parts[number - 1] =
            `<Part><PartNumber>${number}</PartNumber><ETag>${answer.headers.get('etag')}</ETag></Part>`;
          sending.delete(sent);
        });
      sending.add(sent);
    };
    let gathered: Buffer[] = [];
    let bytes = 0;
    let number = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      gathered.push(chunk);
      bytes += chunk.length;
      if (bytes < partBytes) continue;
      number += 1;
      send(Buffer.concat(gathered), number);
      gathered = [];
      bytes = 0;
      if (sending.size >= partsAtOnce) await Promise.race(sending);
    }
    if (bytes > 0) send(Buffer.concat(gathered), number + 1);
    await Promise.all(sending);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const ended = await this.#client.fetch(`${address}?uploadId=${uploadId}`, { method: 'POST', body });
    if (!ended.ok) throw new Error(`The bare client got ${ended.status}: ${await ended.text()}`);
    await ended.arrayBuffer();
  }

  async download(key: string): Promise<AsyncIterable<Uint8Array> | null> {
    const answer = await this.#client.fetch(`${this.#base}/${key}`);
    return answer.body as unknown as AsyncIterable<Uint8Array> | null;
  }
}
