/** What the files of the console may weigh. The build fails when one of them grows beyond it. */
import { statSync } from 'node:fs';
import { extname, join } from 'node:path';

const kB = 1_000;

/** The chunks, by name, that the first script loads at once. */
const loadedAtOnce = ['queries', 'renderer', 'frame'];
/** Most visits begin with this page. */
const firstPage = 'src/features/overview/overview-page.tsx';
/** What the chat adds to it; the forms of own graphs come with the first graph. */
const chatPage = 'src/features/chat/chat-page.tsx';
/** A visit loads one of them. */
const locales = ['src/app/locales/en.ts', 'src/app/locales/zh-cn.ts'];

/** Scripts and styles count with their size as gzip, which is the larger of the two forms that are served. */
const budgets = [
  { name: 'script of the first load', maxBytes: 220 * kB, files: ({ first }) => scripts(first) },
  {
    name: 'script that the chat adds',
    maxBytes: 120 * kB,
    files: ({ first, manifest }) => scripts(added(manifest, first, chatPage)),
  },
  {
    name: 'script that own graphs add to the chat',
    maxBytes: 35 * kB,
    files: ({ first, manifest }) => {
      const chat = added(manifest, first, chatPage);
      return scripts(added(manifest, [...first, ...chat], 'src/features/chat/'));
    },
  },
  {
    name: 'script that charts add',
    maxBytes: 25 * kB,
    files: ({ first, manifest }) => scripts(added(manifest, first, 'src/kit/chart')),
  },
  { name: 'style', maxBytes: 30 * kB, files: ({ manifest }) => styles(manifest) },
  { name: 'fonts', maxBytes: 110 * kB, files: ({ manifest }) => ofType(manifest, '.woff2') },
];

/** Each file is a request, and more of them than this keep a page that is far away waiting. */
const maxFiles = 30;

/** Returns one line for each budget, and a fault for each that is broken. */
export function weighConsole(folder, manifest) {
  const first = firstLoad(folder, manifest);
  const lines = [];
  const faults = [];
  for (const { name, maxBytes, files } of budgets) {
    const bytes = files({ manifest, first }).reduce((sum, file) => sum + sizeOf(join(folder, file)), 0);
    const line = `${name}: ${(bytes / kB).toFixed(1)} kB of ${maxBytes / kB} kB`;
    lines.push(line);
    if (bytes > maxBytes) faults.push(line);
  }
  const files = maxFilesOfAPage(manifest, first);
  lines.push(`most scripts of a page: ${files} of ${maxFiles}`);
  if (files > maxFiles) faults.push(lines.at(-1));
  return { lines, faults };
}

/** Returns the number of scripts that a visit loads which begins with the page that has most. */
function maxFilesOfAPage(manifest, first) {
  const frame = first.filter((chunk) => chunk !== manifest[firstPage]);
  const pages = Object.keys(manifest).filter((key) => key.endsWith('-page.tsx'));
  return Math.max(...pages.map((page) => scripts([...frame, ...closure(manifest, [page])]).length));
}

/** Everything that stands between the address and the first page, with the heavier one of the locales. */
function firstLoad(folder, manifest) {
  const named = loadedAtOnce.map((wanted) =>
    Object.keys(manifest).find((key) => manifest[key].name === wanted),
  );
  const keys = ['index.html', firstPage, ...named];
  const loads = locales.map((locale) => closure(manifest, [...keys, locale]));
  const weigh = (chunks) => scripts(chunks).reduce((sum, file) => sum + sizeOf(join(folder, file)), 0);
  return loads.reduce((heaviest, load) => (weigh(load) > weigh(heaviest) ? load : heaviest));
}

function sizeOf(file) {
  return statSync(extname(file) === '.woff2' ? file : `${file}.gz`).size;
}

/** The chunks that the given ones load at once, themselves included. */
function closure(manifest, keys) {
  const missing = keys.filter((key) => !manifest[key]);
  if (missing.length > 0)
    throw new Error(`The console has no chunk ${missing.join(', ')}; correct the budget.`);
  const found = new Set();
  const waiting = [...keys];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    waiting.push(...(manifest[key].imports ?? []));
  }
  return [...found].map((key) => manifest[key]);
}

/** Returns what the chunks below a folder load beside the first load. */
function added(manifest, first, folder) {
  const keys = Object.keys(manifest).filter((key) => key.startsWith(folder));
  return closure(manifest, keys).filter((chunk) => !first.includes(chunk));
}

function scripts(chunks) {
  return [...new Set(chunks.map(({ file }) => file))].filter((file) => extname(file) === '.js');
}

function styles(manifest) {
  return [...new Set(Object.values(manifest).flatMap(({ css = [] }) => css))];
}

function ofType(manifest, type) {
  const files = Object.values(manifest).flatMap(({ file, assets = [] }) => [file, ...assets]);
  return [...new Set(files)].filter((file) => extname(file) === type);
}
