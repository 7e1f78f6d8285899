import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isRecord } from '@switchyard/contract/is-record';
import { credentialsPath, readCredentials } from '../../accounts/secrets/credentials-file.ts';
import { parseKeyFile } from '../../accounts/secrets/key-file.ts';
import { keyFileOf } from '../../accounts/secrets/signing-keys.ts';
import type { Environment } from '../../config/env.ts';
import { describeSource } from '../../config/faults.ts';
import { fields } from '../../config/keys.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { listValues } from '../../config/show.ts';
import { zipStream } from '../../dispatch/archives/zip-archive-stream.ts';
import type { Finding } from '../doctor/finding.ts';
import { secretSource, sharedHome } from '../options-of-config.ts';
import { type Scrub, scrubLogLine, scrubOf } from './scrub.ts';

/** One file of the bundle. */
export interface BundleEntry {
  name: string;
  text: string;
}

export interface BundleOptions {
  /** Null when the configuration is not valid. */
  loaded: LoadedConfig | null;
  findings: readonly Finding[];
  /** The last part of each log. */
  logs: readonly string[];
  env: Environment;
  version: string;
  nowMs: number;
}

/** Returns what a support bundle holds, without secrets and without what people wrote. */
export function supportBundle({ loaded, findings, logs, env, version, nowMs }: BundleOptions): BundleEntry[] {
  const home = loaded?.config.data_home ?? '\u0000';
  const scrub = scrubOf({ secrets: [...secretsOf(env), ...(loaded ? secretsOfGateway(loaded) : [])], home });
  const about = {
    takenAt: new Date(nowMs).toISOString(),
    version,
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    processors: cpus().length,
    memoryMb: Math.round(totalmem() / 1024 ** 2),
    removed:
      'secrets, texts of the configuration, e-mail addresses, public network addresses, and every text in the logs that the program did not write itself',
  };
  return [
    { name: 'about.json', text: json(about) },
    { name: 'doctor.json', text: json(findings.map((finding) => cleaned(finding, loaded, scrub))) },
    ...(loaded ? [{ name: 'configuration.json', text: json(configurationOf(loaded, scrub)) }] : []),
    ...logs.map((text, index) => ({ name: `log-${index + 1}.jsonl`, text: cleanedLog(text, scrub) })),
  ];
}

/** The bundle as one archive. */
export function bundleArchive(entries: readonly BundleEntry[], modifiedMs: number): Readable {
  return zipStream(
    entries.map(({ name, text }) => ({
      name,
      sizeBytes: Buffer.byteLength(text),
      modifiedMs,
      open: async () => Readable.from([Buffer.from(text)]),
    })),
  ).stream;
}

/** A fault of a configuration that is not valid quotes values, and it is not known which of them are secret. */
function cleaned({ subject, ok, says, remedy }: Finding, loaded: LoadedConfig | null, scrub: Scrub): Finding {
  const clean = (text: string) => scrub(loaded ? text : text.replace(/"[^"]*"|'[^']*'/g, '"…"'));
  return { subject, ok, says: clean(says), remedy: remedy && clean(remedy) };
}

const plainKinds = ['boolean', 'integer', 'number', 'duration', 'size', 'choice'];

/** Shows the values that the program knows. For a text it shows only that it is set. */
function configurationOf(loaded: LoadedConfig, scrub: Scrub) {
  return listValues(loaded, { effective: true }).map(({ key, value, source }) => {
    const kind = fields.get(key)?.['x-kind'] ?? '';
    const isPlain = plainKinds.includes(kind) || source === describeSource({ kind: 'default' });
    const shown =
      value === null || isPlain ? value : Array.isArray(value) ? `<${value.length} set>` : '<set>';
    return { key, value: typeof shown === 'string' ? scrub(shown) : shown, source: scrub(source) };
  });
}

function cleanedLog(text: string, scrub: Scrub): string {
  let leftOut = 0;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const clean = scrubLogLine(line, scrub);
    if (clean === undefined) leftOut += 1;
    else lines.push(clean);
  }
  if (leftOut > 0)
    lines.push(
      JSON.stringify({ msg: `${leftOut} lines are left out: they are not JSON of the gateway's log.` }),
    );
  return lines.map((line) => `${line}\n`).join('');
}

const secretName = /key|token|secret|password|passwd|credential|authorization|cookie|header|dsn|url|^env$/i;

function secretsOf(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && secretName.test(name) ? [value, ...passwordIn(value)] : [],
  );
}

/** Every text that stands under a name of a secret, in the configuration and in the private files of the data home. */
function secretsOfGateway({ config }: LoadedConfig): string[] {
  const shared = sharedHome(config);
  const keyFile = keyFileOf(secretSource(config));
  return [
    ...textsUnderSecretNames(config, false),
    ...(keyFile === null
      ? []
      : readableText(keyFile, (text) => parseKeyFile(text, keyFile).map(({ secret }) => secret))),
    ...readableText(credentialsPath(shared), () => [readCredentials(shared)?.password ?? '']),
    ...readableText(join(shared, 'extensions_config.json'), (text) =>
      textsUnderSecretNames(JSON.parse(text), false),
    ),
  ];
}

/** A file that cannot be read is not in the bundle either, and the doctor names it. */
function readableText(path: string, read: (text: string) => string[]): string[] {
  try {
    return existsSync(path) ? read(readFileSync(path, 'utf8')) : [];
  } catch {
    return []; // The doctor says what is wrong with it.
  }
}

function textsUnderSecretNames(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return [...(isSecret ? [value] : []), ...passwordIn(value)];
  if (Array.isArray(value)) return value.flatMap((item) => textsUnderSecretNames(item, isSecret));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    textsUnderSecretNames(inner, isSecret || secretName.test(name)),
  );
}

function passwordIn(text: string): string[] {
  if (!text.includes('@') || !URL.canParse(text)) return [];
  const { username, password } = new URL(text);
  // Without a password, the name may be a token.
  return password === '' ? [username] : [password, decoded(password)];
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password; // It has a per cent sign of its own.
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
