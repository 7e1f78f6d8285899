import { Client } from '@stable-canvas/comfyui-client';
import WebSocket from 'ws';

/** What a program with this client does that listens. Its socket knows no path, so the class that it is given adds the path. */
const [url, token, color] = process.argv.slice(2);
const base = `/comfy/t/${token}`;
class SocketOfDoor extends WebSocket {
  constructor(address) {
    super(String(address).replace('/ws?', `${base}/ws?`));
  }
}

const client = new Client({
  api_host: new URL(url).host,
  api_base: base,
  clientId: 'client-stable-socket',
  fetch,
  WebSocket: SocketOfDoor,
});
await client.connect();
const result = await client.enqueue({
  1: { class_type: 'EmptyImage', inputs: { width: 256, height: 256, batch_size: 2, color: Number(color) } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'stable-socket' } },
});
const fetched = [];
for (const image of result.images) {
  if (image.type !== 'url') continue;
  const answer = await fetch(image.data);
  fetched.push({ type: answer.headers.get('content-type'), size: (await answer.blob()).size });
}
process.stdout.write(
  JSON.stringify({
    promptId: result.prompt_id,
    fetched,
    users: await client.fetchApi('/users').then((answer) => answer.json()),
    settings: await client.getSettings(),
    folders: await client.fetchApi('/experiment/models').then((answer) => answer.json()),
  }),
);
process.exit(0);
