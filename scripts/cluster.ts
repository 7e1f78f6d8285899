/**
 * `npm run cluster`: three replicas of the built gateway behind nginx, with a Postgres and a Redis of their own, on loopback and
 * with the files of deploy/cluster. Ctrl-C stops what it has started and removes its folder.
 */
import { parseArgs } from 'node:util';
import { startCluster } from '@switchyard/dev-env/cluster';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7300' },
    replicas: { type: 'string', default: '3' },
  },
});

console.log('Starting Postgres, Redis, the replicas and nginx …');
const cluster = await startCluster({
  port: Number(values.port),
  replicas: Number(values.replicas),
  isDurable: true,
});
console.log(`\n  ${cluster.url}   nginx, the address to use\n`);
for (const { name, url, pid, home } of cluster.replicas)
  console.log(`  ${url}   replica ${name}, process ${pid}, home ${home}`);
console.log(`\n  shared folder  ${cluster.sharedHome}`);
console.log(`  Postgres       ${cluster.databaseUrl}`);
console.log(`  Redis          ${cluster.redis.url}`);
console.log(
  '\nThe first administrator: admin_initial_credentials.txt in the shared folder. Ctrl-C stops everything.',
);

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isStopping) return;
    isStopping = true;
    void cluster.stop().then(() => process.exit(0));
  });
}
// The servers do not keep this process alive.
setInterval(() => undefined, 60_000);
