import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { collectMessages, type Texts } from './collect-messages.ts';

const src = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folders = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('/messages/en.json'))
  .map((path) => dirname(path))
  // The gateway speaks English: only other languages have texts for it, which their own test compares with the gateway.
  .filter((folder) => !folder.includes('gateway-words'));

function read(folder: string, locale: string): Texts {
  return JSON.parse(readFileSync(join(src, folder, `${locale}.json`), 'utf8')) as Texts;
}

/** Every text with its dotted key. */
function flatten(texts: Texts, before = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[before + key, value]] : flatten(value, `${before}${key}.`),
  );
}

/** The names that a text takes, and the tags in it. Inside an argument, a brace opens a branch of plural or select. */
function slots(text: string): string[] {
  const found = [...text.matchAll(/<(\w+)>/g)].map(([tag]) => tag);
  let depth = 0;
  for (const [token, name] of text.matchAll(/\{\s*(\w*)|\}/g)) {
    if (token !== '}' && depth % 2 === 0) found.push(String(name));
    depth += token === '}' ? -1 : 1;
  }
  return found;
}

it.each(folders)('%s has the same keys in both languages, and each text takes the same values', (folder) => {
  const english = new Map(flatten(read(folder, 'en')));
  const chinese = new Map(flatten(read(folder, 'zh-CN')));
  expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  for (const [key, text] of english) {
    const names = new Set(slots(text));
    expect([key, new Set(slots(chinese.get(key) ?? ''))]).toEqual([key, names]);
  }
});

it('calls each thing by one word in Chinese', () => {
  // 您, 账户, 智能体, 工作节点
  // A proxy is 代理服务器.
  const others = /你|账号|代理(?!服务器)|工作机/;
  const texts = [...folders, 'lib/gateway-words/messages'].flatMap((folder) =>
    flatten(read(folder, 'zh-CN')),
  );
  expect(texts.filter(([, text]) => others.test(text))).toEqual([]);
});

it('gives each folder of messages a namespace of its own', () => {
  const files = Object.fromEntries(folders.map((folder) => [`/src/${folder}/en.json`, {}]));
  const namespaces = Object.keys(collectMessages(files));
  expect(namespaces).toHaveLength(folders.length);
  expect(namespaces).toContain('app');
});
