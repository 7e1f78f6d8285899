import { CallWrapper, ComfyApi, PromptBuilder } from '@saintno/comfyui-sdk';

/** What a program with this client does: it uploads, runs, hears progress and previews, and fetches what was made. */
const [url, token, color] = process.argv.slice(2);
const heard = { progress: 0, previews: 0 };

const api = new ComfyApi(`${url}/comfy`, 'client-saintno', {
  credentials: { type: 'bearer_token', token },
  forceWs: true,
});
api.init();
await api.waitForReady();

const bytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const uploaded = await api.uploadImage(bytes, 'small.png', { override: true });

// Large enough that the worker is still at them when the client listens for previews, which it does after its prompt is queued.
const graph = {
  1: { class_type: 'EmptyImage', inputs: { width: 768, height: 768, batch_size: 4, color: Number(color) } },
  2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'saintno' } },
};
const builder = new PromptBuilder(graph, [], ['images']).setOutputNode('images', '3');
const result = await new CallWrapper(api, builder)
  .onProgress(() => {
    heard.progress += 1;
  })
  .onPreview(() => {
    heard.previews += 1;
  })
  .run();

const fetched = [];
for (const image of result ? result.images.images : []) {
  const blob = await api.getImage(image);
  fetched.push({ type: blob.type, size: blob.size });
}
const promptId = Object.keys(await api.getHistories(5)).at(-1);
process.stdout.write(
  JSON.stringify({
    uploaded: uploaded?.info,
    heard,
    fetched,
    promptId,
    queue: await api.getQueue(),
    os: api.osType,
    nodes: Object.keys(await api.getNodeDefs('SaveImage')),
  }),
);
process.exit(0);
