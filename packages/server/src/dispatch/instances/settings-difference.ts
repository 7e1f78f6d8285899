import type { Settings } from '@switchyard/contract/dispatch/settings';

/** What a change of the settings did, for the record: names of servers and instances, and none of their secrets. */
export function differenceOf(before: Settings, after: Settings) {
  const [old, now] = [serversOf(before), serversOf(after)];
  return {
    version: after.version,
    serversAdded: [...now.keys()].filter((id) => !old.has(id)),
    serversRemoved: [...old.keys()].filter((id) => !now.has(id)),
    serversChanged: [...now.keys()].filter((id) => old.has(id) && old.get(id) !== now.get(id)),
    healthCheckChanged: JSON.stringify(before.healthCheck) !== JSON.stringify(after.healthCheck),
  };
}

function serversOf({ servers }: Settings): Map<string, string> {
  return new Map(servers.map((server) => [server.id, JSON.stringify(server)]));
}
