import type { SettingsInput } from '@switchyard/contract/dispatch/settings';

/** Settings with servers by id and instances by address, so that a moved row is not a change. */
export type Tree = { [key: string]: Tree | Leaf };
export type Leaf = string | number | boolean | null | readonly unknown[];

export function treeOf({ servers, healthCheck }: SettingsInput): Tree {
  return {
    healthCheck: plainTree(healthCheck),
    servers: Object.fromEntries(
      servers.map(({ id, instances, ...server }) => [
        id,
        {
          ...plainTree(server),
          instances: Object.fromEntries(
            instances.map(({ ip, port, ...instance }) => [`${ip}:${port}`, plainTree(instance)]),
          ),
        },
      ]),
    ),
  };
}

/** The opposite of `treeOf`. Servers and instances stand in the order of their keys in the tree. */
export function settingsOf(tree: Tree): SettingsInput {
  const servers = Object.entries(treeAt(tree, 'servers')).map(([id, server]) => {
    const { instances: _keyed, ...rest } = isTree(server) ? server : {};
    const instances = Object.entries(isTree(server) ? treeAt(server, 'instances') : {});
    return {
      id,
      ...rest,
      instances: instances.map(([address, instance]) => {
        const colon = address.lastIndexOf(':');
        const place = { ip: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
        return { ...place, ...(isTree(instance) ? instance : {}) };
      }),
    };
  });
  return { servers, healthCheck: tree.healthCheck } as unknown as SettingsInput;
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function treeAt(tree: Tree, key: string): Tree {
  const value = tree[key];
  return isTree(value) ? value : {};
}

/** Leaves out what is undefined: a field that is absent has no place. */
function plainTree(value: object): Tree {
  return JSON.parse(JSON.stringify(value)) as Tree;
}
