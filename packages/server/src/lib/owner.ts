/**
 * The owner on whose behalf a store is asked; always its first argument. There is no ambient user, so a forgotten owner
 * is a compile error. `requireOwner` makes it an error at run time too.
 */
export type Owner = { user: string } | { admin: string } | { system: string };

export function requireOwner(owner: Owner): Owner {
  const given: Partial<Record<'user' | 'admin' | 'system', string>> | null | undefined = owner;
  if (!given || !(given.user || given.admin || given.system)) {
    throw new Error('A store was asked without an owner. Pass { user }, { admin } or { system: reason }.');
  }
  return owner;
}
