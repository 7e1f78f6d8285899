import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { testProgram } from '@switchyard/dev-env/proxy-process';
import { startRedis, testRedis } from '@switchyard/dev-env/redis';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const folder = fileURLToPath(new URL('../../deploy/kubernetes', import.meta.url));
const kubectl = testProgram('kubectl', 'the manifests');
const replica = [testPostgres, testRedis]
  .map((need) => need('a replica'))
  .find(({ title }) => title !== 'a replica') ?? { title: 'a replica', isSkipped: false };

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
}

describe.skipIf(kubectl.isSkipped)(kubectl.title, () => {
  it('are put together by kustomize, with names that fit', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Ingress',
      'Namespace',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
    const name = manifests.find(({ kind }) => kind === 'ConfigMap')?.metadata.name;
    expect(name).toMatch(/^switchyard-\w+$/);
    const deployment = manifests.find(({ kind }) => kind === 'Deployment') as unknown as IDeployment;
    const pod = deployment.spec?.template.spec;
    expect(pod?.volumes?.find(({ configMap }) => configMap)?.configMap?.name).toBe(name);
    expect(pod?.containers[0]?.image).toMatch(/^registry\.example\.com\/switchyard-gateway:\d/);
    for (const { kind, metadata } of manifests)
      expect(metadata.namespace, kind).toBe(kind === 'Namespace' ? undefined : 'switchyard');
  });
});

describe.skipIf(replica.isSkipped)(replica.title, () => {
  it('starts with the configuration, and answers what the probes ask', async () => {
    const [home, shared] = [temporaryFolder(), temporaryFolder()];
    const redis = await startRedis();
    try {
      const gateway = await SpawnedGateway.start({
        home: home.path,
        args: ['--port', '0', '--config', join(folder, 'switchyard.yaml')],
        env: {
          DATABASE_URL: await (await startPostgres()).createDatabase(),
          REDIS_URL: redis.url,
          JWT_SECRET: 'x'.repeat(32),
          METRICS_TOKEN: 'a token of Prometheus',
          // There is no /shared here.
          SWITCHYARD__FILES__SHARED_HOME: shared.path,
        },
      });
      const file = readFileSync(join(folder, 'deployment.yaml'), 'utf8');
      const [container] = (parse(file) as IDeployment).spec?.template.spec?.containers ?? [];
      const probes = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe];
      for (const probe of probes) {
        const path = String(probe?.httpGet?.path);
        expect((await fetch(new URL(path, gateway.url))).status, path).toBe(200);
      }
      expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    } finally {
      await redis.stop();
      home.remove();
      shared.remove();
    }
  });
});
