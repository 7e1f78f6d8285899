import { join } from 'node:path';
import type { Environment } from '@switchyard/contract/accounts/account';
import type { AccountsOptions } from '../accounts/create-accounts.ts';
import type { SecretSource } from '../accounts/secrets/signing-keys.ts';
import type { TurnSettings } from '../agents/lead/turn-settings.ts';
import type { UsableLanggraphJson } from '../agents/loading/usable-langgraph-json.ts';
import { generalPurpose, type SubagentSettings } from '../agents/subagents/subagent-settings.ts';
import type { Config } from '../config/schema.ts';
import type { ConversationOptions } from '../conversation/create-conversation.ts';
import type { FeaturesConfiguration } from '../conversation/create-features.ts';
import type { DispatchOptions } from '../dispatch/dispatch-parts.ts';
import { seedOf } from '../dispatch/instances/settings-seed.ts';
import { defaultHttpLimits, type HttpLimits } from '../http/http-limits.ts';
import type { WorkerPrice } from '../lib/worker-price.ts';
import type { DatabaseOptions } from '../platform/database/open.ts';
import { noProxies, type ProxySettings } from '../platform/outbound/proxy-rules.ts';
import { defaultStreamLogLimits, type StreamLogLimits } from '../platform/stream-log/stream-log.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { TraceSettings } from '../platform/telemetry/span-sending.ts';
import type { ApprovalPolicy } from './workflow-budget.ts';

export function databaseOptions({ database }: Config, logger: Logger): DatabaseOptions {
  switch (database.backend) {
    case 'memory':
      return { backend: 'memory' };
    case 'sqlite':
      return { backend: 'sqlite', file: join(database.sqlite_dir, 'switchyard.db') };
    case 'postgres':
      return {
        backend: 'postgres',
        url: database.url ?? '',
        poolSize: database.pool_size,
        onIdleError: (err) => logger.warn({ err }, 'A database connection was lost'),
      };
  }
}

/** Kept free on the disk, so that uploads never take the last page from a database on it. */
export const diskReserveBytes = 256 * 1024 * 1024;

/** The folders in which the gateway itself writes. Postgres takes care of its own disk. */
export function writtenFolders(config: Config): string[] {
  const { database } = config;
  return [...homes(config), ...(database.backend === 'sqlite' ? [database.sqlite_dir] : [])];
}

/** Returns the folder of what all replicas must see: the files that users and tasks have stored. */
export function sharedHome({ data_home: home, files }: Config): string {
  return files.shared_home ?? home;
}

/** The data home, which one process has for itself, and what it shares where that is another folder. */
export function homes(config: Config): string[] {
  return [...new Set([config.data_home, sharedHome(config)])];
}

export function httpLimits({ server }: Config): HttpLimits {
  return {
    ...defaultHttpLimits,
    bodyBytes: server.body_limit,
    largeBodyBytes: server.large_body_limit,
    // Every allowed body fits, and several fit side by side.
    bodyMemoryBytes: Math.max(defaultHttpLimits.bodyMemoryBytes, 8 * server.large_body_limit),
    bodyBytesPerUser: Math.max(defaultHttpLimits.bodyBytesPerUser, 2 * server.large_body_limit),
    headBytes: server.header_limit,
    requestTimeoutMs: server.request_timeout,
  };
}

export function secretSource({ auth, data_home }: Pick<Config, 'auth' | 'data_home'>): SecretSource {
  return { given: auth.jwt_secret, givenFile: auth.jwt_secret_file, home: data_home };
}

export function accountOptions(
  { auth, ui }: Config,
  langgraph: UsableLanggraphJson,
): Omit<AccountsOptions, 'keys' | 'passwordCost' | 'isQuiet' | 'oauth'> {
  return {
    sessionTtlMs: auth.session_ttl,
    dispatchTokenTtlMs: auth.dispatch_token_ttl,
    registration: registrationOf(auth, langgraph),
    lockout: { attempts: auth.lockout.attempts, durationMs: auth.lockout.duration },
    hashing: auth.hashing,
    commonPasswordsFile: auth.password_blocklist_file,
    environment: environmentOf(ui),
  };
}

/**
 * Operators with an authentication of their own decide who may run their graphs. So a stranger makes no account there, unless it is
 * set. A file that cannot be used may hold such an authentication.
 */
export function registrationOf(
  { registration }: Config['auth'],
  { auth, fault }: UsableLanggraphJson,
): 'open' | 'closed' {
  if (registration !== 'auto') return registration;
  return auth === null && fault === null ? 'open' : 'closed';
}

function environmentOf({ environment: { name, color } }: Config['ui']): Environment | null {
  return name === null ? null : { name, color };
}

export function dispatchOptions(config: Config): DispatchOptions {
  const { files, dispatch } = config;
  return {
    seed: seedOf(dispatch.workers),
    limits: {
      queued: dispatch.max_queued,
      queuedPerUser: dispatch.max_queued_per_user,
      memberPriority: dispatch.max_member_priority,
      uploadBytes: files.max_upload,
      outputBytes: files.max_output,
      quotaBytes: files.quota_per_user,
      socketsPerUser: dispatch.max_sockets_per_user,
    },
    workerProxies: workerProxies(config),
    retentionMs: files.retention,
    webhooksToPrivateAddresses: dispatch.webhooks_to_private_addresses,
    workerPrice: workerPrice(config),
  };
}

/** Returns null when no human is asked before an agent runs a workflow. */
export function approvalPolicy({ conversation }: Config): ApprovalPolicy | null {
  const { workflow_approval: approval, workflow_budget: budgetMs } = conversation;
  const { workflow_budget_cost: max, workflow_price_per_hour: pricePerHour } = conversation;
  if (approval === 'never') return null;
  const budget =
    max > 0
      ? ({ kind: 'cost', max, pricePerHour: pricePerHour > 0 ? pricePerHour : null } as const)
      : ({ kind: 'time', maxSeconds: budgetMs / 1000 } as const);
  return { approval, budget };
}

export function conversationOptions(
  config: Config,
): ConversationOptions & Omit<FeaturesConfiguration, 'cwd' | 'fetch' | 'diskReserveBytes' | 'skills'> {
  const { conversation, run_events: events, uploads, memory } = config;
  return {
    home: sharedHome(config),
    threadRetentionMs: conversation.thread_retention,
    mcp: { allowedCommands: config.mcp.allowed_commands },
    memory: {
      enabled: memory.enabled,
      injection: memory.injection_enabled,
      extraction: memory.extraction_enabled,
      model: memory.model_name,
      debounceMs: memory.debounce_seconds * 1_000,
      minConfidence: memory.fact_confidence_threshold,
      maxFacts: memory.max_facts,
      maxInjectionTokens: memory.max_injection_tokens,
    },
    agentsApi: { enabled: config.agents_api.enabled },
    models: config.models,
    uploads: {
      files: uploads.max_files,
      fileBytes: uploads.max_file_size,
      totalBytes: uploads.max_total_size,
    },
    runs: {
      slots: conversation.max_runs,
      timeLimitMs: conversation.run_timeout,
      onRecovery: conversation.on_recovery,
      givesTitles: config.title.enabled,
      limits: {
        waiting: maxWaitingRuns,
        waitingPerUser: conversation.max_waiting_runs_per_user,
        recursion: { standard: conversation.recursion_limit, max: conversation.max_recursion_limit },
      },
    },
    events: {
      backend: events.backend,
      maxTraceBytes: events.max_trace_content,
      trackTokens: events.track_tokens,
    },
  };
}

/** With Redis a replica takes over sooner, because it hears at once that a lease is free. */
export function leaseLifeMs({ cluster, bus }: Config): number {
  return cluster.lease_life ?? (bus.backend === 'redis' ? 6_000 : 15_000);
}

/** Null when workers have no price. */
export function workerPrice({ conversation }: Config): WorkerPrice | null {
  const { workflow_price_per_hour: perHour, workflow_price_currency: currency } = conversation;
  return perHour > 0 ? { perHour, currency } : null;
}

export function streamLimits({ conversation }: Config): StreamLogLimits {
  return {
    ...defaultStreamLogLimits,
    bytesPerRun: conversation.stream_buffer,
    bytes: conversation.stream_buffer_total,
    retentionMs: conversation.stream_retention,
  };
}

/** The limit for all users together: each waiting run is a row and takes memory. */
const maxWaitingRuns = 100_000;

export function turnOptions({ title, summarization, subagents }: Config): TurnSettings {
  return {
    title: { enabled: title.enabled, model: title.model_name },
    summarization: {
      enabled: summarization.enabled,
      model: summarization.model_name,
      tokens: summarization.trigger_tokens,
      messages: summarization.trigger_messages,
      keep: summarization.keep_messages,
    },
    subagents: subagentOptions(subagents),
  };
}

/** A configured kind with the name of the built-in kind replaces it. */
function subagentOptions(subagents: Config['subagents']): SubagentSettings {
  const { max_turns: maxTurns, timeout_seconds: seconds, max_concurrent: maxConcurrent, agents } = subagents;
  const standard = generalPurpose({ maxTurns, timeoutMs: seconds * 1000 });
  const configured = agents.map((agent) => ({
    name: agent.name,
    description: agent.description,
    systemPrompt: agent.system_prompt,
    tools: agent.tools,
    model: agent.model,
    maxTurns: agent.max_turns ?? maxTurns,
    timeoutMs: (agent.timeout_seconds ?? seconds) * 1000,
  }));
  const others = configured.filter(({ name }) => name !== standard.name);
  return {
    types: [configured.find(({ name }) => name === standard.name) ?? standard, ...others],
    maxConcurrent,
  };
}

export function proxySettings({ outbound }: Config): ProxySettings {
  const { http_proxy, https_proxy, no_proxy, proxy_loopback } = outbound;
  return { http: http_proxy, https: https_proxy, except: no_proxy, loopback: proxy_loopback };
}

/** Workers are part of the gateway's own surroundings, unless the operator says that the proxy leads to them. */
export function workerProxies(config: Config): ProxySettings {
  return config.outbound.proxy_workers ? proxySettings(config) : noProxies;
}

/** Returns null when nothing is traced. */
export function traceSettings({ observability: { traces } }: Config, version: string): TraceSettings | null {
  const { endpoint, headers, genai, content } = traces;
  if (endpoint === null) return null;
  const pairs = (headers ?? '').split(',').filter(Boolean);
  const given = pairs.map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
  });
  return { endpoint, headers: Object.fromEntries(given), genai, content, version };
}
