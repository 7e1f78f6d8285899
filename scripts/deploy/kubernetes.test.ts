/** What a cluster expects of deploy/kubernetes, and what its files expect of each other and of the gateway. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getLiveness, getReadiness } from '@switchyard/contract/meta';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { ConfigError } from '@switchyard/server/config/faults';
import { loadConfig } from '@switchyard/server/config/load';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { INamespace } from 'kubernetes-models/v1/Namespace';
import type { IPersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'deploy/kubernetes');
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

interface Kustomization {
  namespace: string;
  resources: string[];
  configMapGenerator: { name: string; files: string[] }[];
  images: { name: string; newName: string; newTag: string }[];
}

const kustomization = read<Kustomization>('kustomization.yaml');
const namespace = read<INamespace>('namespace.yaml');
const secret = read<ISecret>('secret.yaml');
const claim = read<IPersistentVolumeClaim>('shared-folder.yaml');
const deployment = read<IDeployment>('deployment.yaml');
const budget = read<IPodDisruptionBudget>('disruption-budget.yaml');
const service = read<IService>('service.yaml');
const ingress = read<IIngress>('ingress.yaml');

const spec = present(deployment.spec);
const pod = present(spec.template.spec);
const [container, ...moreContainers] = pod.containers;
const gateway = present(container);
const [configMap] = kustomization.configMapGenerator;

const s3Keys = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];

/** The values that an operator puts in, one for each key of the secret. */
const values: Record<string, string> = {
  DATABASE_URL: 'postgres://switchyard:secret@10.0.0.5/switchyard',
  REDIS_URL: 'redis://:secret@10.0.0.6:6379',
  JWT_SECRET: 'x'.repeat(32),
  METRICS_TOKEN: 'x'.repeat(16),
};

it('each file is one that the kustomization names', () => {
  const named = [
    ...kustomization.resources,
    ...kustomization.configMapGenerator.flatMap(({ files }) => files),
  ];
  expect(readdirSync(folder).sort()).toEqual([...named, 'kustomization.yaml'].sort());
});

it('each file is of its kind, and has no field that the published types of Kubernetes do not have', () => {
  const types: Record<string, string> = {
    'namespace.yaml': 'v1/Namespace',
    'secret.yaml': 'v1/Secret',
    'shared-folder.yaml': 'v1/PersistentVolumeClaim',
    'deployment.yaml': 'apps/v1/Deployment',
    'disruption-budget.yaml': 'policy/v1/PodDisruptionBudget',
    'service.yaml': 'v1/Service',
    'ingress.yaml': 'networking.k8s.io/v1/Ingress',
  };
  expect(Object.keys(types).sort()).toEqual([...kustomization.resources].sort());
  const lines = Object.entries(types).map(
    ([file, type]) =>
      `export const ${type.replace(/\W/g, '_')}: import('kubernetes-models/${type}').I${type.split('/').at(-1)} = ${JSON.stringify(read(file))};`,
  );
  expect(faultsOfTypes(lines.join('\n'))).toBe('');
});

it('there is one container, of the image of this version', () => {
  expect(moreContainers).toEqual([]);
  expect(kustomization.images).toEqual([
    { name: gateway.image, newName: `registry.example.com/${gateway.image}`, newTag: version },
  ]);
  expect(gateway.image).toBe('switchyard-gateway');
  expect(dockerfile).toContain(`-t ${gateway.image} .\n`);
});

it('what selects pods selects those of the deployment', () => {
  const labels = present(spec.template.metadata?.labels);
  const selectors = [
    spec.selector.matchLabels,
    budget.spec?.selector?.matchLabels,
    service.spec?.selector,
    ...present(pod.topologySpreadConstraints).map(({ labelSelector }) => labelSelector?.matchLabels),
  ];
  for (const selector of selectors) expect(selector).toEqual(labels);
});

it('everything is in the namespace, which refuses pods with more rights', () => {
  expect(namespace.metadata?.name).toBe(kustomization.namespace);
  expect(namespace.metadata?.labels).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(gateway.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

it('the user is that of the image, and the folders of volumes belong to its group', () => {
  const { runAsUser, runAsGroup, fsGroup } = present(pod.securityContext);
  expect(dockerfile).toContain(`\nUSER ${runAsUser}:${runAsGroup}\n`);
  expect(fsGroup).toBe(runAsGroup);
});

it('ports lead from the ingress to the gateway', () => {
  const [port] = present(gateway.ports);
  expect(dockerfile).toContain(`\nEXPOSE ${port?.containerPort}\n`);
  const [served] = present(service.spec?.ports);
  expect(served?.targetPort).toBe(port?.name);
  const [rule] = present(ingress.spec?.rules);
  const [path] = present(rule?.http).paths;
  expect(path).toEqual({
    path: '/',
    pathType: 'Prefix',
    backend: { service: { name: service.metadata?.name, port: { name: served?.name } } },
  });
  for (const probe of [gateway.startupProbe, gateway.readinessProbe, gateway.livenessProbe])
    expect(probe?.httpGet?.port).toBe(port?.name);
});

it('probes ask addresses of the gateway: whether it is there, and whether it can serve', () => {
  expect(gateway.startupProbe?.httpGet?.path).toBe(getLiveness.url);
  expect(gateway.livenessProbe?.httpGet?.path).toBe(getLiveness.url);
  expect(gateway.readinessProbe?.httpGet?.path).toBe(getReadiness.url);
});

it('volumes are mounted, and are there', () => {
  const volumes = new Map(present(pod.volumes).map((volume) => [volume.name, volume]));
  const mounts = present(gateway.volumeMounts);
  expect(mounts.map(({ name }) => name).sort()).toEqual([...volumes.keys()].sort());
  expect(volumes.get('configuration')?.configMap?.name).toBe(configMap?.name);
  expect(volumes.get('shared')?.persistentVolumeClaim?.claimName).toBe(claim.metadata?.name);
  expect(claim.spec?.accessModes).toEqual(['ReadWriteMany']);
  const at = (name: string) => mounts.find((mount) => mount.name === name)?.mountPath;
  // Where the image looks for a configuration, and where it writes.
  expect(dockerfile).toContain(`\nWORKDIR ${at('configuration')}\nVOLUME ["${at('data')}"]\n`);
  expect(load(values).files.shared_home).toBe(at('shared'));
});

it('each variable of the configuration is a key of the secret, and each key is used', () => {
  const keys = Object.keys(present(secret.stringData)).sort();
  expect(Object.keys(values).sort()).toEqual(keys);
  const withS3 = [...keys, ...s3Keys].sort();
  const variables = present(gateway.env);
  for (const { name, valueFrom } of variables) {
    const optional = s3Keys.includes(name) && { optional: true };
    expect(valueFrom?.secretKeyRef).toEqual({ name: secret.metadata?.name, key: name, ...optional });
  }
  expect(variables.map(({ name }) => name).sort()).toEqual(withS3);
  const used = [...readFileSync(join(folder, 'switchyard.yaml'), 'utf8').matchAll(/\$\{(\w+)\}/g)];
  expect(used.map(([, name]) => name).sort()).toEqual(withS3);
});

it('the comments about a bucket are settings, and keys of the secret, once their signs are taken away', () => {
  const bare = (file: string) =>
    readFileSync(join(folder, file), 'utf8').replace(/^ {2}# ((store|s3|S3_\w+| {2}\w+): ?.*)$/gm, '  $1');
  const place = temporaryFolder();
  const config = join(place.path, 'switchyard.yaml');
  writeFileSync(config, bare('switchyard.yaml'));
  const env = { ...values, S3_ACCESS_KEY_ID: 'name', S3_SECRET_ACCESS_KEY: 'key' };
  const { files } = loadConfig({ flags: { config }, env, cwd: folder }).config;
  place.remove();
  expect(files).toMatchObject({
    store: 's3',
    s3: { bucket: 'switchyard-files', access_key_id: 'name', secret_access_key: 'key' },
  });
  expect(Object.keys(parse(bare('secret.yaml')).stringData)).toEqual(expect.arrayContaining(s3Keys));
});

it('the gateway takes the configuration, for replicas under the name of the ingress', () => {
  const config = load(values);
  expect([config.database.backend, config.bus.backend]).toEqual(['postgres', 'redis']);
  const [rule] = present(ingress.spec?.rules);
  expect(config.server.public_url).toBe(`https://${rule?.host}`);
  expect(ingress.spec?.tls?.flatMap(({ hosts }) => hosts)).toEqual([rule?.host]);
});

it('the gateway refuses each value of the secret as it stands here', () => {
  for (const [name, placeholder] of Object.entries(present(secret.stringData)))
    expect(() => load({ ...values, [name]: placeholder }), name).toThrow(ConfigError);
});

it('no variable of the cluster is taken for a setting', () => {
  // For a service with this name a cluster sets SWITCHYARD_PORT, unless it is told not to.
  expect(service.metadata?.name).toBe('switchyard');
  expect(pod.enableServiceLinks).toBe(false);
});

it('a replica has the time that it takes to stop', () => {
  const [program, seconds] = present(gateway.lifecycle?.preStop?.exec?.command);
  expect(program).toBe('sleep');
  // 5 s beyond the grace to close what is left.
  const stopSeconds = load(values).server.shutdown_grace / 1_000 + 5;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(seconds) + stopSeconds);
});

it('a replica more may stop than are needed', () => {
  expect(budget.spec?.maxUnavailable).toBe(1);
  expect(spec.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  expect(spec.replicas).toBeGreaterThan(1);
});

it('the ingress collects nothing, cuts off no stream and leaves the limits of bodies to the gateway', () => {
  const annotation = (name: string) => ingress.metadata?.annotations?.[`nginx.ingress.kubernetes.io/${name}`];
  for (const name of ['proxy-buffering', 'proxy-request-buffering']) expect(annotation(name)).toBe('off');
  expect(annotation('proxy-body-size')).toBe('0');
  for (const name of ['proxy-read-timeout', 'proxy-send-timeout'])
    expect(Number(annotation(name))).toBeGreaterThan(60);
});

function read<Content>(file: string): Content {
  return parse(readFileSync(join(folder, file), 'utf8')) as Content;
}

function load(env: Record<string, string>) {
  return loadConfig({ flags: { config: join(folder, 'switchyard.yaml') }, env, cwd: folder }).config;
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('It is missing.');
  return value;
}

/** Returns what the compiler says of a text. */
function faultsOfTypes(text: string): string {
  const place = join(root, '.build', `kubernetes-types-${process.pid}`);
  mkdirSync(place, { recursive: true });
  try {
    writeFileSync(join(place, 'manifests.ts'), text);
    const settings = { extends: join(root, 'tsconfig.json'), include: ['manifests.ts'], exclude: [] };
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(settings));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [compiler, '--project', place], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(place, { recursive: true });
  }
}
