import { ComfyUIClient } from 'comfy-ui-client';

/** What a program with this client does, which takes an address and no header: the token is a part of the address. */
const [url, token, color] = process.argv.slice(2);
const address = `${new URL(url).host}/comfy/t/${token}`;

const client = new ComfyUIClient(address, 'client-comfy-ui');
await client.connect();
const heard = { progress: 0, previews: 0 };
client.ws.on('message', (data, isBinary) => {
  if (isBinary) heard.previews += 1;
  else if (JSON.parse(String(data)).type === 'progress') heard.progress += 1;
});

const bytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const uploaded = await client.uploadImage(bytes, 'tiny.png', true);
const images = await client.getImages({
  1: { class_type: 'EmptyImage', inputs: { width: 512, height: 512, batch_size: 3, color: Number(color) } },
  2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'comfy-ui' } },
});
const fetched = images[3].map(({ blob }) => ({ type: blob.type, size: blob.size }));
const history = await client.getHistory();
const queue = await client.getQueue();
// It reads these answers as JSON, and those of ComfyUI are empty.
const reasonOf = (call) =>
  call.then(
    () => 'answered',
    (error) => error.name,
  );
const interrupted = await reasonOf(client.interrupt());
const edited = await reasonOf(client.editHistory({ delete: Object.keys(history) }));
process.stdout.write(
  JSON.stringify({
    uploaded,
    heard,
    fetched,
    queue,
    interrupted,
    edited,
    prompts: Object.keys(history),
    left: Object.keys(await client.getHistory()),
    remaining: (await client.getPrompt()).exec_info.queue_remaining,
    embeddings: await client.getEmbeddings(),
    extensions: await client.getExtensions(),
    loader: Object.keys(await client.getObjectInfo('LoadImage')),
    os: (await client.getSystemStats()).system.os,
  }),
);
process.exit(0);
