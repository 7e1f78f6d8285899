/**
 * A provider of a model, with OpenAI's streamed chat completions, that answers every question with 50 tokens, one each
 * 20 ms. A late token does not delay the next ones. Prints the address for `base_url`.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const tokens = 50;
const paceMs = 20;

const server = createServer((request, response) => {
  request.resume().once('end', () => void answer(response));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`));

async function answer(response) {
  const started = performance.now();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(response, { delta: { role: 'assistant', content: '' }, finish_reason: null });
  for (let index = 0; index < tokens && !response.destroyed; index += 1) {
    await sleep(Math.max(0, started + (index + 1) * paceMs - performance.now()));
    send(response, { delta: { content: `t${index} ` }, finish_reason: null });
  }
  send(response, { delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
}

function send(response, choice) {
  const chunk = { id: 'bench', object: 'chat.completion.chunk', created: 1, model: 'paced' };
  response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`);
}
