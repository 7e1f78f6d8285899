import { maskedSecret, type ServerDefinition, type Settings } from '@switchyard/contract/dispatch/settings';
import { instanceIdOf } from '@switchyard/contract/dispatch/worker-address';
import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { whyHostDenied } from '../../platform/outbound/host-rules.ts';
import { builtInServerId, plainPath, whatMoved } from './settings.ts';

/** A server as it was sent; it may not have the shape that the schema asks for. */
interface SentServer {
  id: unknown;
  headers: Record<string, unknown>;
  tls: unknown;
  basePath: string;
  instances: Record<string, unknown>[];
}

/**
 * Every fault of a configuration that its schema cannot see. Parts with a wrong shape are skipped, so that the answer
 * to a body with both kinds of faults names all of them.
 */
export function settingsFaults(body: unknown, current: Settings): Fault[] {
  const servers = recordsIn(isRecord(body) ? body.servers : undefined).map(
    ({ id, headers, tls, basePath, instances }): SentServer => ({
      id,
      tls,
      basePath: typeof basePath === 'string' ? plainPath(basePath) : '',
      headers: isRecord(headers) ? headers : {},
      instances: recordsIn(instances),
    }),
  );
  return [...serverFaults(servers), ...instanceFaults(servers), ...secretFaults(servers, current)];
}

function serverFaults(servers: readonly SentServer[]): Fault[] {
  const seen = new Map<string, number>();
  return servers.flatMap(({ id }, index) => {
    if (typeof id !== 'string') return [];
    const path = ['servers', index, 'id'];
    if (id === builtInServerId) {
      return [fault(path, say('server_id_own', { id: builtInServerId }))];
    }
    const first = seen.get(id);
    if (first === undefined) seen.set(id, index);
    return first === undefined
      ? []
      : [fault(path, say('server_id_twice', { id, place: `servers[${first}]` }))];
  });
}

function instanceFaults(servers: readonly SentServer[]): Fault[] {
  const seen = new Map<string, { place: string; basePath: string }>();
  const sent = servers.flatMap(({ instances, basePath }, server) =>
    instances.map(({ ip, port }, index) => ({
      ip,
      port,
      basePath,
      path: ['servers', server, 'instances', index],
    })),
  );
  return sent.flatMap(({ ip, port, basePath, path }) => {
    if (typeof ip !== 'string') return [];
    const denied = whyHostDenied(ip, { allowPrivate: true });
    const faults = denied ? [fault([...path, 'ip'], denied)] : [];
    if (typeof port !== 'number') return faults;
    const id = instanceIdOf({ ip, port });
    const first = seen.get(id);
    if (!first) {
      seen.set(id, { place: path.join('.'), basePath });
      return faults;
    }
    const { place } = first;
    const why =
      first.basePath === basePath
        ? say('instance_twice', { id, place })
        : say('instance_two_paths', { id, place, path: first.basePath || '/' });
    return [...faults, fault(path, why)];
  });
}

/**
 * A mask that is sent back stands for the stored value. That value must exist, and the server must still be at the
 * address it was given for.
 */
function secretFaults(servers: readonly SentServer[], current: Settings): Fault[] {
  return servers.flatMap((server, index) => {
    const stored = current.servers.find(({ id }) => id === server.id);
    return Object.keys(server.headers)
      .filter((name) => server.headers[name] === maskedSecret)
      .flatMap((name) => {
        const why = whyNotKept(name, server, stored);
        return why === null ? [] : [fault(['servers', index, 'headers', name], why)];
      });
  });
}

function whyNotKept(name: string, sent: SentServer, stored: ServerDefinition | undefined): Wording | null {
  if (!Object.hasOwn(stored?.headers ?? {}, name) || !stored) {
    return say('secret_not_stored', { mask: maskedSecret });
  }
  const moved = whatMoved(sent, stored);
  if (moved === null) return null;
  return `"${maskedSecret}" does not keep this value, because ${moved}. Send the value again.`;
}

/** Keeps the positions of the others, so that each fault names the right one. */
function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isRecord(item) ? item : {})) : [];
}

function fault(path: (string | number)[], message: Wording): Fault {
  return { in: 'body', path, message, type: 'value_error' };
}
