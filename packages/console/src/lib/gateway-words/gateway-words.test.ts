import { readFileSync } from 'node:fs';
import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { taskErrorCodes } from '@switchyard/contract/dispatch/task';
import { errorCatalogue, statusOfKind } from '@switchyard/contract/errors';
import { sentenceTexts } from '@switchyard/contract/sentences/sentence-texts';
import { say, sentencesOf, textOf, type Wording, withDetail } from '@switchyard/contract/sentences/sentences';
import { createTranslator } from 'use-intl/core';
import { describe, expect, it } from 'vitest';
import { type GatewayTexts, ownText, ownWords, wordError, wordSentences } from './gateway-words.ts';

const file = new URL('./messages/zh-CN.json', import.meta.url);
const chinese = JSON.parse(readFileSync(file, 'utf8')) as {
  sentence: Record<string, string>;
  taskError: Record<string, string>;
  error: Record<string, string>;
};

const english = JSON.parse(readFileSync(new URL('./messages/en.json', import.meta.url), 'utf8')) as {
  taskError: Record<string, string>;
};

function textsOf(messages: object): GatewayTexts {
  const text = createTranslator({ locale: 'zh-CN', messages: messages as never });
  return {
    has: (key) => text.has(key as never),
    text: (key, values) => text(key as never, values as never),
    time: (at) => at.toISOString().slice(11, 16),
  };
}

const texts = textsOf(chinese);
const worded = (message: Wording) => wordSentences(sentencesOf(message), texts);
const slotsOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot ?? '').sort();

it('has a Chinese text for every sentence of the gateway, with the same names and numbers', () => {
  const { quote, ...own } = chinese.sentence;
  expect(quote).toContain('{text}');
  expect(Object.keys(own).sort()).toEqual(Object.keys(sentenceTexts).sort());
  const left = new Set(['cause', 'said', 'obstacles']);
  for (const [code, text] of Object.entries(sentenceTexts)) {
    const slots = slotsOf(text).filter((slot) => !left.has(slot));
    expect([code, slotsOf(own[code] ?? '')]).toEqual([code, slots]);
  }
});

it('has a Chinese word for every error of a task', () => {
  expect(Object.keys(chinese.taskError).sort()).toEqual([...taskErrorCodes].sort());
});

it('has a Chinese text for each error of the catalogue, of each kind, and of the page itself, and for no other', () => {
  const connection = ['unreachable', 'timed_out', 'not_understood', 'redirected'];
  const editing = ['edit_no_text', 'edit_too_large'];
  const ofPage = [...connection, ...editing];
  const known = new Set([...Object.keys(errorCatalogue), ...Object.keys(statusOfKind), ...ofPage]);
  expect(Object.keys(chinese.error).sort()).toEqual([...known].sort());
});

describe('an error that says only what the catalogue says', () => {
  const entries = Object.entries(errorCatalogue).map(([code, { kind, message }]) => ({
    code,
    kind,
    message,
  }));

  it.each(entries)('shows no English for $code, sent with its code or as a sentence alone', (entry) => {
    const { code, kind, message } = entry;
    const shown = [code, kind].map((sent) =>
      wordError(new ApiError({ status: statusOfKind[kind], code: sent, message }), texts),
    );
    expect(shown[0]).toMatch(/[\u4e00-\u9fff]/);
    expect(shown[0]).not.toContain(message);
    expect(shown[1]).toBe(shown[0]);
  });

  it('says nothing that another error says', () => {
    expect(new Set(entries.map(({ message }) => message)).size).toBe(entries.length);
  });
});

it('words a sentence and the cause that it ends with', () => {
  const away = withDetail(say('call_broken_off', { address: '10.0.0.1:8188' }), 'ECONNRESET');
  expect(worded(say('input_not_handed', { cause: away }))).toBe(
    '无法将输入文件交给工作节点：10.0.0.1:8188 中断了连接。（ECONNRESET）',
  );
  expect(worded(say('task_error', { error: 'lost', cause: say('worker_away') }))).toBe(
    '失联：无法再连接到工作节点。',
  );
  expect(worded(say('placed_again', { until: '2030-01-01T10:20:00.000Z' }))).toContain('10:20');
});

it('leaves what a worker has said as it is, marked as a quote', () => {
  expect(worded('KSampler: {bad} <b> input')).toBe('原话：“KSampler: {bad} <b> input”。');
});

it('words nothing when one of the codes is unknown, or the language has no texts', () => {
  const sentences = [
    { code: 'next', values: {} },
    { code: 'made_later', values: {} },
  ];
  expect(wordSentences(sentences, texts)).toBeNull();
  expect(wordSentences(sentences.slice(0, 1), textsOf({}))).toBeNull();
  expect(wordSentences([], texts)).toBeNull();
});

it('words what is wrong with the fields of a request', () => {
  const message = say('email_wrong', { cause: say('email_no_at') });
  const details = [{ path: 'body.email', message: textOf(message), sentences: sentencesOf(message) }];
  const error = new ApiError({ status: 422, code: 'validation_failed', message: 'No.', details });
  expect(wordError(error, texts)).toBe('请求无效：email：不是有效的邮箱地址：邮箱地址必须包含 @。');
  const more = new ApiError({
    status: 422,
    code: 'validation_failed',
    message: 'No.',
    details: [...details, { path: 'body.name', message: 'of its own' }],
  });
  expect(wordError(more, texts)).toMatch(/（另有 1 处）$/);
});

it('words the warnings of a task', () => {
  const unknown = [
    ...say('param_unknown', { param: '3.sead' }),
    ...say('param_nearest', { names: '"3.seed"' }),
  ];
  expect(worded(unknown)).toBe('“3.sead”与工作流中的任何位置都不对应。最接近的有："3.seed"。');
  expect(worded(say('give_the_file'))).toBe('请上传文件，并用参数 { "$file": "<fileId>" } 设置该输入。');
});

it('words why a test of an MCP server failed', () => {
  expect(worded(withDetail(say('server_refused'), 'ECONNREFUSED'))).toBe(
    '服务器的地址上没有程序在监听。（ECONNREFUSED）',
  );
  expect(worded(say('server_answered', { status: 404, cause: 'Not here' }))).toBe(
    '服务器应答 404：原话：“Not here”。',
  );
});

it('words an address that webhooks may not call', () => {
  const cause = [...say('host_private', { host: '10.0.0.1' }), ...say('private_addresses_setting')];
  const message = say('address_denied', { cause });
  const details = [{ path: 'body.url', message: textOf(message), sentences: sentencesOf(message) }];
  const error = new ApiError({ status: 422, code: 'webhook_url_denied', message: 'No.', details });
  expect(wordError(error, texts)).toBe(
    '请求无效：url：不允许调用此地址：10.0.0.1 属于专用网络。设置 dispatch.webhooks_to_private_addresses 可允许这类地址。',
  );
});

it('words an error whose message has codes, and shows the message of one that has none', () => {
  const message = say('mcp_setting', { path: 'web.url', cause: say('mcp_address_scheme') });
  const told = { status: 400, code: 'malformed', message: textOf(message) };
  const error = new ApiError({ ...told, sentences: sentencesOf(message) });
  expect(wordError(error, texts)).toBe('请求无效：mcp_servers.web.url：必须是 http 或 https 地址。');
  expect(wordError(new ApiError(told), texts)).toBe(`请求无效：${told.message}`);
});

it('words an error of the conversation area with what it names', () => {
  const shown = (code: string, message: Wording) =>
    wordError(
      new ApiError({ status: 409, code, message: textOf(message), sentences: sentencesOf(message) }),
      texts,
    );
  expect(shown('conflict', say('agent_present', { name: 'painter' }))).toBe(
    '与当前状态冲突：已有名为“painter”的智能体。',
  );
  expect(shown('too_large', say('upload_file_too_large', { filename: 'film (1).mp4' }))).toBe(
    '内容太大：文件“film (1).mp4”过大。',
  );
  expect(shown('conflict', say('run_ended', { runId: 'r1', runStatus: 'success' }))).toBe(
    '与当前状态冲突：运行 r1 无法取消（状态：success）。',
  );
  expect(shown('invalid', say('agent_unloadable', { cause: 'Unexpected token' }))).toBe(
    '请求无效：无法加载此智能体。原话：“Unexpected token”。',
  );
  const foreign = [
    ...say('cross_site'),
    ...say('origin_reached', { address: 'http://10.0.0.1:7300' }),
    ...say('proxy_unlisted'),
    ...say('public_url_of_page'),
  ];
  expect(shown('forbidden', foreign)).toMatch(
    /^您无权进行此操作：来自其他网站.*10\.0\.0\.1:7300。.*server\.cors\.origins。$/,
  );
});

it('words why an archive of a skill is not installed', () => {
  const errorOf = (code: string, message: Wording) =>
    new ApiError({ status: 400, code, message: textOf(message), sentences: sentencesOf(message) });
  const twice = say('archive_refused', { cause: say('archive_name_twice', { entry: 'a.md' }) });
  expect(wordError(errorOf('malformed', twice), texts)).toBe(
    '请求无效：无法安装此压缩包：其中“a.md”出现了两次。',
  );
  const broken = say('archive_unreadable', { cause: say('archive_no_zip') });
  expect(wordError(errorOf('malformed', broken), texts)).toBe(
    '请求无效：无法读取此技能压缩包：它不是 zip 压缩包，或已损坏。',
  );
  const missing = say('skill_field_missing', { skillField: 'description' });
  expect(wordError(errorOf('malformed', missing), texts)).toBe('请求无效：front matter 中缺少 description。');
  expect(wordError(errorOf('conflict', say('skill_present', { name: 'tea' })), texts)).toBe(
    '与当前状态冲突：已有名为“tea”的技能。',
  );
});

it('tells a wrong current password from a sign-in that failed, which have one code', () => {
  const errorOf = (status: number, message: string) =>
    new ApiError({ status, code: 'invalid_credentials', message });
  const { current_password_wrong: current, invalid_credentials: signIn } = errorCatalogue;
  expect(wordError(errorOf(400, current.message), texts)).toBe('当前密码不正确。');
  expect(wordError(errorOf(401, signIn.message), texts)).toBe('邮箱或密码不正确。');
});

it('has an English word for every error of a task, and says the rest as the gateway does', () => {
  expect(Object.keys(english.taskError).sort()).toEqual([...taskErrorCodes].sort());
  const told = (message: Wording) =>
    ownText({ message: textOf(message), sentences: sentencesOf(message) }, textsOf(english));
  const missing = say('task_error', { error: 'input_file_missing', cause: 'No such file: cat.png' });
  expect(told(missing)).toBe('Input file missing: No such file: cat.png');
  expect(
    told(
      say('runs_failed', {
        count: 3,
        cause: say('task_error', { error: 'lost', cause: say('worker_away') }),
      }),
    ),
  ).toBe('3 runs in a row failed on it: Lost: The worker cannot be reached any more.');
  expect(told('KSampler: lost: x')).toBe('KSampler: lost: x');
  const shown = textOf(missing);
  expect(ownText({ message: shown, sentences: missing }, textsOf({}))).toBe(shown);
});

it('names no route of the API where the words of the gateway are shown', () => {
  const shown = Object.values(errorCatalogue).map(({ message }) => ownWords(new Error(message)));
  expect(shown.filter((message) => message.includes('/api/'))).toEqual([]);
  expect(ownWords(new Error(errorCatalogue.task_not_found.message))).toBe('No such task.');
  expect(
    ownWords('No such task: x. GET /api/tasks lists your tasks. No task of this batch was changed.'),
  ).toBe('No such task: x. No task of this batch was changed.');
});

it('names a field as its form does where the words of the gateway are shown', () => {
  expect(ownWords(new Error('body.url: This address may not be called.'))).toBe(
    'url: This address may not be called.',
  );
  expect(ownWords('query.limit: No body. here')).toBe('query.limit: No body. here');
});

it('words an error of a request by its code, with the particulars that its message has', () => {
  const errorOf = (code: string, message: string) => new ApiError({ status: 422, code, message });
  expect(wordError(errorOf('queue_full', 'The queue is full.'), texts)).toBe(
    '队列已满。请等待一些任务结束后再提交。',
  );
  expect(wordError(errorOf('invalid_param', 'seed: a number'), texts)).toMatch(/：seed: a number$/);
  const missing = [
    { name: 'FaceSwap', instancesWithIt: 0 },
    { name: 'x.safetensors', instancesWithIt: 1 },
  ];
  const incapable = new ApiError({
    status: 422,
    code: 'no_capable_instance',
    message: 'No.',
    details: missing,
  });
  expect(wordError(incapable, texts)).toBe('没有实例能运行此工作流。缺少：FaceSwap、x.safetensors。');
  expect(wordError(new ConnectionError('timed_out', 'Too late.'), texts)).toBe('网关没有及时响应，请重试。');
  expect(wordError(errorOf('made_later', 'New.'), texts)).toBeNull();
  expect(wordError(new Error('own'), texts)).toBeNull();
});

it('leaves out what a program does about a file that no worker has', () => {
  const said = say('file_nowhere', { said: 'Invalid image file: a.png' });
  expect(ownText({ message: textOf(said) }, textsOf({}))).toBe(
    'Invalid image file: a.png. No instance has this file.',
  );
});
