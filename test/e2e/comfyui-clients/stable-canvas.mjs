import { Client } from '@stable-canvas/comfyui-client';
import WebSocket from 'ws';

/** What a program with this client does that asks again and again: its socket knows no path before `/ws`. */
const [url, token, color] = process.argv.slice(2);
const authorization = `Bearer ${token}`;
const withToken = (address, init) =>
  fetch(address, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization } });

const client = new Client({
  api_host: new URL(url).host,
  api_base: '/comfy',
  clientId: 'client-stable-canvas',
  fetch: withToken,
  WebSocket,
});
const graph = {
  1: { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 2, color: Number(color) } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'stable' } },
};
const result = await client.enqueue_polling(graph, { polling_ms: 100 });

const fetched = [];
for (const { data } of result.images) {
  const answer = await withToken(data);
  fetched.push({ type: answer.headers.get('content-type'), size: (await answer.blob()).size });
}
await client.clearItems('queue');
await client.interrupt();
await client.free({ unload_models: true });
process.stdout.write(
  JSON.stringify({
    promptId: result.prompt_id,
    fetched,
    queue: await client.getQueue(),
    saver: 'SaveImage' in (await client.getNodeDefs()),
    os: (await client.getSystemStats()).system.os,
  }),
);
process.exit(0);
