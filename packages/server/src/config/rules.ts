import type { ConfigFault, Source } from './faults.ts';
import { environmentName } from './keys.ts';
import type { Config } from './schema.ts';

/** A requirement of one key on another. The fault is shown at the first key. */
interface Rule {
  keys: readonly [string, ...string[]];
  check(config: Config): string | null;
}

const rules: Rule[] = [
  {
    keys: ['database.url', 'database.backend'],
    check: ({ database }) =>
      database.backend === 'postgres' && database.url === null
        ? `is required when database.backend is postgres; set it in the file or as ${environmentName('database.url')}`
        : null,
  },
  {
    keys: ['server.large_body_limit', 'server.body_limit'],
    check: ({ server }) =>
      server.large_body_limit < server.body_limit ? 'must not be smaller than server.body_limit' : null,
  },
  {
    keys: ['areas.dispatch', 'areas.conversation'],
    check: ({ areas }) =>
      areas.dispatch || areas.conversation
        ? null
        : 'and areas.conversation are both off; leave one of them on',
  },
  {
    keys: ['cluster.allow_replicas_without_redis', 'database.backend'],
    check: ({ cluster, database }) =>
      cluster.allow_replicas_without_redis && database.backend !== 'postgres'
        ? `needs database.backend postgres; ${database.backend} serves one process only`
        : null,
  },
  {
    keys: ['bus.url', 'bus.backend'],
    check: ({ bus }) =>
      bus.backend === 'redis' && bus.url === null
        ? `is required when bus.backend is redis; set it in the file or as ${environmentName('bus.url')}`
        : null,
  },
  {
    keys: ['bus.backend', 'database.backend'],
    check: ({ bus, database }) =>
      bus.backend === 'redis' && database.backend !== 'postgres'
        ? `is redis, for several replicas, which needs database.backend postgres; ${database.backend} serves one process only`
        : null,
  },
  {
    keys: ['auth.jwt_secret', 'bus.backend'],
    check: ({ auth, bus }) =>
      bus.backend === 'redis' && auth.jwt_secret === null && auth.jwt_secret_file === null
        ? 'is required when bus.backend is redis, the same for all replicas; set it in the file or as AUTH_JWT_SECRET, or name a file that all of them see as AUTH_JWT_SECRET_FILE'
        : null,
  },
  {
    keys: ['auth.jwt_secret_file', 'auth.jwt_secret'],
    check: ({ auth }) =>
      auth.jwt_secret_file !== null && auth.jwt_secret !== null
        ? 'and auth.jwt_secret are both set; leave one of them'
        : null,
  },
  {
    keys: ['files.shared_home', 'bus.backend'],
    check: ({ files, bus }) =>
      bus.backend === 'redis' && files.shared_home === null
        ? 'is required when bus.backend is redis: a directory that all replicas see'
        : null,
  },
  ...(['bucket', 'access_key_id', 'secret_access_key'] as const).map((name): Rule => {
    const key = `files.s3.${name}`;
    return {
      keys: [key, 'files.store'],
      check: ({ files }) =>
        files.store === 's3' && files.s3[name] === null
          ? `is required when files.store is s3; set it in the file or as ${environmentName(key)}`
          : null,
    };
  }),
  {
    keys: ['files.s3.redirect', 'files.store'],
    check: ({ files }) =>
      files.s3.redirect && files.store !== 's3'
        ? 'needs files.store s3; files on a disk have no other address'
        : null,
  },
  {
    keys: ['run_events.backend', 'bus.backend', 'cluster.allow_replicas_without_redis'],
    check: ({ run_events, bus, cluster }) =>
      (bus.backend === 'redis' || cluster.allow_replicas_without_redis) && run_events.backend !== 'db'
        ? `must be db when several replicas run; ${run_events.backend} events stay on one of them`
        : null,
  },
  {
    keys: ['doors.comfyui.port', 'server.port'],
    check: ({ doors, server }) =>
      doors.comfyui.port !== null && doors.comfyui.port !== 0 && doors.comfyui.port === server.port
        ? 'must differ from server.port: scripts of workers must not run on the origin of the gateway'
        : null,
  },
  {
    keys: ['doors.comfyui.public_url', 'doors.comfyui.port'],
    check: ({ doors: { comfyui } }) =>
      comfyui.public_url !== null && comfyui.port === null
        ? 'needs doors.comfyui.port, the port to which a proxy sends this name'
        : null,
  },
  {
    keys: ['doors.comfyui.public_url', 'server.public_url', 'server.cors.origins'],
    check: ({ doors, server }) => {
      const { public_url: page } = doors.comfyui;
      if (page === null) return null;
      if (page === server.public_url) return 'must differ from server.public_url, the origin of the console';
      return server.cors.origins.includes(page)
        ? 'must not be among server.cors.origins, since scripts of workers run there'
        : null;
    },
  },
  {
    keys: ['doors.mcp.oauth.enabled', 'server.public_url', 'server.host'],
    check: ({ doors, server: { public_url, host } }) => {
      const isSafe = public_url === null ? loopback.test(host) : isSafeOrigin(public_url);
      return doors.mcp.oauth.enabled && !isSafe
        ? 'needs server.public_url on https: clients send tokens there; without it only a gateway on this machine alone, such as server.host 127.0.0.1, may have it'
        : null;
    },
  },
  {
    keys: ['uploads.auto_convert_documents'],
    check: ({ uploads }) =>
      uploads.auto_convert_documents
        ? 'must be false: this version does not convert documents to Markdown; agents get them as they are'
        : null,
  },
  {
    keys: ['sandbox.allow_host_bash'],
    check: ({ sandbox }) =>
      sandbox.allow_host_bash
        ? 'must be false: this version runs no commands for agents, since nothing would keep them from the files and secrets of the gateway'
        : null,
  },
  {
    keys: ['uploads.max_total_size', 'uploads.max_file_size'],
    check: ({ uploads }) =>
      uploads.max_total_size < uploads.max_file_size
        ? 'must not be smaller than uploads.max_file_size'
        : null,
  },
  {
    keys: ['title.model_name', 'models'],
    check: ({ title, models }) => notConfigured(title.model_name, models),
  },
  {
    keys: ['summarization.model_name', 'models'],
    check: ({ summarization, models }) => notConfigured(summarization.model_name, models),
  },
  {
    keys: ['subagents.agents', 'models'],
    check: ({ subagents, models }) => {
      const lost = subagents.agents.find(({ model }) => notConfigured(model, models) !== null);
      return lost ? `has the sub-agent "${lost.name}", whose model must be the name of one of models` : null;
    },
  },
  {
    keys: ['memory.model_name', 'models'],
    check: ({ memory, models }) => notConfigured(memory.model_name, models),
  },
  {
    keys: ['summarization.keep_messages', 'summarization.trigger_messages'],
    check: ({ summarization }) =>
      summarization.keep_messages >= summarization.trigger_messages
        ? 'must be smaller than summarization.trigger_messages'
        : null,
  },
];

/** Matches hosts that this machine alone can reach. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

function isSafeOrigin(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || loopback.test(hostname);
}

function notConfigured(name: string | null, models: Config['models']): string | null {
  if (name === null || models.some((model) => model.name === name)) return null;
  return 'must be the name of one of models';
}

/** Returns the faults between keys. A key that already has a fault is left out: judging its default would mislead. */
export function checkRules(
  config: Config,
  sources: ReadonlyMap<string, Source>,
  faultyKeys: ReadonlySet<string | null>,
): ConfigFault[] {
  return rules.flatMap(({ keys, check }) => {
    const message = keys.some((key) => faultyKeys.has(key)) ? null : check(config);
    return message === null ? [] : [{ key: keys[0], message, source: firstGiven(keys, sources) }];
  });
}

/** Returns the place to look at: the first of the rule's keys that somebody set. */
function firstGiven(keys: readonly string[], sources: ReadonlyMap<string, Source>): Source {
  const given = keys.map((key) => sources.get(key)).find((source) => source && source.kind !== 'default');
  return given ?? { kind: 'default' };
}
