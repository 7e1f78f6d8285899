import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';

const [gateway, apiKey] = process.argv.slice(2);
const baseURL = `${gateway}/v1`;
const tools = {
  weather: tool({
    description: 'Says the weather.',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    execute: async ({ city }) => `rain in ${city}`,
  }),
};
const png = 'data:image/png;base64,iVBORw0KGgo=';

async function refusalOf(call) {
  try {
    await call();
    return 'not refused';
  } catch (error) {
    const { statusCode, status, message } = error.lastError ?? error;
    return `${statusCode ?? status}: ${message}`;
  }
}

async function library() {
  const openai = new OpenAI({ apiKey, baseURL });
  const messages = [{ role: 'user', content: 'Hello' }];
  const words = [];
  const stream = await openai.chat.completions.create({ model: 'lead_agent', messages, stream: true });
  for await (const { choices } of stream) if (choices[0]?.delta.content) words.push(choices[0].delta.content);
  const asked = { model: 'model/fast', messages: [{ role: 'user', content: 'Weather?' }] };
  const ran = await openai.chat.completions
    .runTools({
      ...asked,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ city }) => `rain in ${city}`,
          },
        },
      ],
    })
    .finalContent();
  const first = await openai.responses.create({ model: 'lead_agent', input: 'Hello' });
  const second = await openai.responses.create({
    model: 'lead_agent',
    input: 'Again',
    previous_response_id: first.id,
  });
  const picture = await openai.chat.completions.create({
    model: 'lead_agent',
    messages: [{ role: 'user', content: 'Paint' }],
  });
  const images = await openai.images.generate({
    model: 'workflow/poster',
    prompt: 'a kite',
    response_format: 'b64_json',
  });
  return {
    models: (await openai.models.list()).data.map(({ id }) => id),
    words,
    ran,
    responses: [first.output_text, second.output_text],
    picture: picture.choices[0].message.content,
    image: images.data[0].b64_json.slice(0, 11),
    refused: await refusalOf(() => openai.chat.completions.create({ ...asked, model: 'gpt-4' })),
  };
}

async function sdk(model, plain, providerOptions) {
  const { text, usage } = await generateText({ model: model('lead_agent'), prompt: 'Hello' });
  const words = [];
  for await (const word of streamText({ model: model('lead_agent'), prompt: 'Hello' }).textStream)
    words.push(word);
  const ran = await generateText({
    model: plain,
    tools,
    prompt: 'Weather?',
    stopWhen: isStepCount(3),
    providerOptions,
  });
  const painted = await generateText({ model: model('lead_agent'), prompt: 'Paint' });
  const before = await generateText({ model: model('lead_agent'), prompt: 'Hello' });
  const messages = [
    { role: 'user', content: 'Hello' },
    ...before.response.messages,
    { role: 'user', content: 'Again' },
  ];
  const seen = await generateText({
    model: model('model/eyes'),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image', image: png },
        ],
      },
    ],
    providerOptions,
  });
  return {
    text,
    tokens: usage.totalTokens,
    words,
    ran: ran.text,
    picture: painted.text,
    reasoning: painted.reasoningText,
    next: (await generateText({ model: model('lead_agent'), messages })).text,
    seen: seen.text,
    refused: await refusalOf(() => generateText({ model: model('gpt-4'), prompt: 'Hello', maxRetries: 0 })),
  };
}

const responses = createOpenAI({ baseURL, apiKey });
const chat = createOpenAICompatible({ name: 'switchyard', baseURL, apiKey });
const unkept = { openai: { store: false } };
console.log(
  JSON.stringify({
    library: await library(),
    responses: await sdk(responses, responses('model/fast'), unkept),
    chat: await sdk(chat, chat('model/fast'), {}),
  }),
);
